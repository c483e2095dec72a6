"""Instances that are kept elsewhere: one of many calls runs, and where that store fails nothing is half done and nothing untrue is told."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import anyio
import pytest

from handgriff import Assistant, BackendError, Call, Result, Toolbox
from handgriff.core.outcome import Outcome
from handgriff.ports.snapshots import Kept, SnapshotKey
from handgriff.runtime.boundary.elsewhere import Elsewhere
from handgriff.stores.memory import MemoryStore
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from tests.interaction.cabinet import Fault, Watched
from tests.interaction.desk import WORDS
from tests.interaction.papers import ADA, Office, everybody

pytestmark = pytest.mark.anyio
LEASE = 61


@asynccontextmanager
async def opened(office: Office, fault: Fault | None = None, **options: Any) -> AsyncIterator[Harness]:
    machine = office.machine(**options.pop("kept", {}))
    snapshots = Watched(MemorySnapshots(), fault or Fault())
    async with harness(office.assistant(machine), ADA, callers=everybody, snapshots=snapshots, **options) as chat:
        yield chat


async def called(chat: Harness, tool: str, **arguments: Any) -> Outcome:
    return await chat.host.call(ADA, tool, arguments, session=chat.session.id)


async def state(chat: Harness) -> str:
    return (await chat.host.workflows.states(ADA, chat.session.id))["paper"]


async def test_of_a_hundred_firing_calls_one_runs() -> None:
    office, ended = Office(), Counter[str]()
    async with opened(office) as chat:

        async def one() -> None:
            ended[(await called(chat, "submit")).code or "done"] += 1

        async with anyio.create_task_group() as tasks:
            for _ in range(100):
                tasks.start_soon(one)

        assert (ended["done"], ended.total(), set(ended) <= {"done", "conflict", "closed"}) == (1, 100, True)
        assert (office.ran, await state(chat)) == (["submit"], "review")


async def test_nothing_of_an_instance_elsewhere_is_in_the_store() -> None:
    async with opened(Office()) as chat:
        await called(chat, "submit")

        assert await chat.host.workflows.list("acme") == ()


async def test_a_bound_write_that_moves_nothing_does_not_run_once_its_state_is_left() -> None:
    """It is left between the gate and the claim, while the call's meaning is checked."""
    box, office, ran = Toolbox("side"), Office(), list[str]()
    machine = office.machine()

    @box.tool(effect="write", description=WORDS, at=machine.at("draft"))
    def amend() -> Result[None]:
        ran.append("amend")
        return Result("Amended.")

    @box.tool(effect="write", description=WORDS, at=machine.at("draft"), fires="SUBMIT")
    def submit() -> Result[None]:
        return Result("Submitted.")

    @amend.validate
    async def meanwhile(args: Any, call: Call) -> None:
        await called(chat, "submit")

    assistant = Assistant("side", instructions="You test.", toolboxes=[box])
    async with harness(assistant, ADA, callers=everybody, snapshots=MemorySnapshots()) as chat:
        assert ((await called(chat, "amend")).code, ran) == ("conflict", [])
        assert await state(chat) == "review"


async def test_what_fails_before_a_handler_runs_is_transient_and_what_fails_behind_it_is_told_as_done() -> None:
    whole = Fault()
    async with opened(Office(), whole) as chat:
        begin = len(whole.places)
        await called(chat, "submit")
    places = whole.places[begin:]
    assert {"before load 1", "before set 1", "after set 1", "before set 2", "after set 2"} <= set(places)

    for lasts in (False, True):
        for place in places:
            await _fails_at(place, lasts=lasts)


async def _fails_at(place: str, *, lasts: bool) -> None:
    office, fault, clock = Office(), Fault(place, lasts), StillClock()
    async with opened(office, fault, clock=clock) as chat:
        outcome = await called(chat, "submit")

        assert outcome.code == (None if office.ran else "transient"), place
        assert [effect.state for effect in await chat.host.effects.list("acme")] == (["done"] if office.ran else []), place
        if office.ran:
            assert json.loads(outcome.text)["workflow"]["state"] == "review", place
        fault.mend()
        assert await state(chat) == ("review" if office.ran else "draft"), place
        clock.move(LEASE)
        assert (await called(chat, "submit")).code == ("closed" if outcome.code is None else None), place
        assert (await state(chat), office.ran) == ("review", ["submit"]), place


async def test_a_beginning_that_fails_elsewhere_is_transient_or_leads_to_an_instance() -> None:
    whole = Fault()
    async with opened(Office(), whole, kept={"instance": "handle"}) as chat:
        await called(chat, "begin")

    for place in whole.places:
        office, fault = Office(), Fault(place, lasts=True)
        async with opened(office, fault, kept={"instance": "handle"}) as chat:
            outcome = await called(chat, "begin")
            fault.mend()

            assert outcome.code == (None if office.ran else "transient"), place
            if outcome.moved is not None:
                assert (await called(chat, "submit", paper=outcome.moved.handle)).code is None, place


async def test_lists_and_reads_say_that_the_store_failed_and_what_is_bound_to_nothing_runs() -> None:
    office, fault = Office(), Fault("before load 1", lasts=True)
    async with opened(office, fault) as chat:
        assert (await called(chat, "look")).code is None
        assert (await called(chat, "audit")).code == "transient"
        with pytest.raises(BackendError):
            await chat.host.workflows.offered(ADA, chat.session.id)
        assert office.ran == ["look"]


async def test_an_operator_who_resolves_an_effect_is_not_stopped_by_a_failing_snapshot_store() -> None:
    def fail() -> Any:
        raise RuntimeError("broken")

    office, fault = Office(instead={"submit": fail}), Fault()
    async with opened(office, fault) as chat:
        await called(chat, "submit")
        [effect] = await chat.host.effects.list("acme")
        fault.at = f"before set {sum('before set' in place for place in fault.places) + 1}"
        resolved = await chat.host.effects.resolve("acme", "submit", effect.key, "done", by="ops")

        assert resolved.state == "done"
        assert await state(chat) == "review"


def _another(text: str) -> str:
    return text.replace('"acme"', '"other"')


def _cut(text: str) -> str:
    return text[:-1]


@pytest.mark.parametrize("spoil", [_another, _cut], ids=["another tenant's", "cut"])
async def test_what_was_never_stored_there_is_refused_loudly_and_not_taken_for_a_beginning(
    spoil: Callable[[str], str], caplog: pytest.LogCaptureFixture
) -> None:
    office, inner = Office(), MemorySnapshots()
    async with harness(office.assistant(), ADA, callers=everybody, snapshots=inner) as chat:
        await called(chat, "submit")
        [(place, kept)] = inner._records.items()
        inner._records[place] = replace(kept, text=spoil(kept.text))

        assert [(await called(chat, tool)).code for tool in ("submit", "approve", "audit")] == ["transient"] * 3
        assert (office.ran, "reading an instance" in caplog.text) == (["submit"], True)
        inner._records[place] = kept
        assert (await called(chat, "approve")).code is None


async def test_a_snapshot_store_that_does_not_answer_is_given_up() -> None:
    class Hanging(MemorySnapshots):
        async def load(self, key: SnapshotKey) -> Kept | None:
            await anyio.sleep_forever()
            raise AssertionError("it never wakes")

    elsewhere = Elsewhere(Hanging(), MemoryStore(), StillClock(), seconds=0.01)
    with anyio.fail_after(5), pytest.raises(BackendError, match="loading an instance"):
        await elsewhere.load(SnapshotKey("acme", "paper", "h"), None)
