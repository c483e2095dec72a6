"""What is delivered twice changes state once: an event by its id, a wish by its key. On every store. Promise P7."""

from pathlib import Path

import anyio
import pytest

from handgriff import Call, Result, Toolbox
from handgriff.core.batch import AppendEvent, StateChange
from handgriff.core.delta import Append, Delta, Increment
from handgriff.core.events import OperatorChange, Written
from handgriff.ports.store import CommitRefused
from handgriff.testing.clock import START
from handgriff.testing.harness import Harness, harness
from tests.interaction.desk import ADA, WORDS, assistant
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


def till() -> Toolbox:
    box = Toolbox("till")

    @box.tool(effect="write", description=WORDS)
    async def pay(invoice: str, call: Call) -> Result[int]:
        await call.scratch("paid").append("invoices", invoice)
        await call.state.append("user:paid", invoice)
        return Result("Paid.", await call.state.increment("payments"))

    @pay.idempotency_key
    async def key(args: dict[str, str], call: Call) -> str:
        return args["invoice"]

    return box


async def test_one_wish_made_many_times_is_one_change(store: str) -> None:
    """One after the other, and all at once; the answer is the first one's."""
    answers = []
    async with harness(assistant(till()), ADA, store=store) as chat:

        async def pay() -> None:
            answers.append(await chat.host.call(ADA, "pay", {"invoice": "INV-7"}, session=chat.session.id))

        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(pay)
        await pay()

        assert {answer.code for answer in answers} <= {None, "conflict"}
        assert answers[-1].is_ok
        assert answers[-1].replayed
        assert await chat.host.sessions.state(ADA, chat.session.id) == {"payments": 1, "user:paid": ["INV-7"]}
        record = await chat.host.scratch.get("acme", chat.session.id, "paid")
        assert record.values["invoices"].json() == ["INV-7"]


DELTA: Delta = (Increment("session", "n", 1), Append("user", "items", '"a"'), Append("app", "items", '"a"'))


def event(chat: Harness, delta: Delta = DELTA, what: str = "counted") -> AppendEvent:
    written = Written("event-1", None, START, OperatorChange(what, "test"))
    return AppendEvent("acme", chat.session.id, written, StateChange("ada", delta))


async def test_an_event_that_is_delivered_twice_is_stored_once_with_its_delta(store: str) -> None:
    """Also at once, and in one batch."""
    seqs: set[int] = set()
    async with harness(assistant(till()), ADA, store=store) as chat:
        engine = await chat.host.engine()

        async def deliver() -> None:
            seqs.update((await engine.store.commit((event(chat), event(chat)))).seqs)

        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(deliver)

        assert len(seqs) == 1
        assert [each.id for each in await chat.events()].count("event-1") == 1
        assert await chat.host.sessions.state(ADA, chat.session.id) == {"n": 1, "user:items": ["a"], "app:items": ["a"]}


@pytest.mark.parametrize("other", ["delta", "body"])
async def test_the_same_id_with_something_else_in_it_is_an_error(store: str, other: str) -> None:
    async with harness(assistant(till()), ADA, store=store) as chat:
        engine = await chat.host.engine()
        await engine.store.commit((event(chat),))
        with pytest.raises(CommitRefused) as refused:
            await engine.store.commit((event(chat, DELTA[:1]) if other == "delta" else event(chat, what="something else"),))

        assert (refused.value.guard, refused.value.subject) == ("event", "event-1")
        assert (await chat.host.sessions.state(ADA, chat.session.id))["n"] == 1
