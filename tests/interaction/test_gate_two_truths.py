"""Two who settle the same uncertain call in the same moment: its instance follows the record that stands, wherever it is kept."""

from typing import Any, Literal

import anyio
import pytest

from handgriff import Assistant, Call, Machine, Refusal, Result, Toolbox
from handgriff.core.batch import Batch, SettleEffect
from handgriff.core.events import CallOutcome
from handgriff.ports.store import Committed
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.clock import StillClock
from tests.interaction.counter import opened
from tests.interaction.desk import WORDS
from tests.interaction.meanwhile import Meanwhile
from tests.interaction.papers import ADA, STATES

pytestmark = pytest.mark.anyio
LEASE = 61


def desk(answer: Result[None] | Refusal | None) -> Assistant:
    """One tool, whose handler leaves nobody knowing, and whose `reconcile` gives that answer."""
    box, paper = Toolbox("desk"), Machine("paper", *STATES)

    @box.tool(effect="write", description=WORDS, at=paper.at("draft"), fires="SUBMIT")
    def submit() -> Result[None]:
        raise ConnectionError("lost")

    @submit.reconcile
    async def asked(args: Any, call: Call) -> Result[None] | Refusal | None:
        return answer

    return Assistant("desk", instructions="You test.", toolboxes=[box])


class Quicker(Meanwhile):
    """A store in which an operator is quicker than everybody who has asked."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = anyio.Lock()

    async def commit(self, batch: Batch, *, durable: bool = False) -> Committed:
        """Write, once the operator has."""
        if any(isinstance(each, SettleEffect) and each.resolved_by == "reconcile" for each in batch):
            async with self.lock:
                then, self.then = self.then, None
                if then is not None:
                    await then()
        return await super().commit(batch, durable=durable)


@pytest.mark.parametrize("said", ["done", "failed"])
@pytest.mark.parametrize("where", ["store", "elsewhere"])
async def test_where_an_operator_was_quicker_than_reconcile_what_the_operator_said_stands(
    where: str, said: Literal["done", "failed"]
) -> None:
    answer = Refusal("permanent", "It did not.") if said == "done" else Result[None]("It did.")
    store, clock, snapshots = Quicker(), StillClock(), MemorySnapshots() if where == "elsewhere" else None
    async with opened(desk(None), store.inner, clock=clock, snapshots=snapshots) as other:
        session = await other.sessions.create(ADA)
        await other.call(ADA, "submit", {}, session=session.id)
        [effect] = await other.effects.list("acme")
        clock.move(LEASE)
        async with opened(desk(answer), store, clock=clock, snapshots=snapshots) as host:
            store.then = lambda: other.effects.resolve("acme", "submit", effect.key, said, by="ops")
            outcome = await host.call(ADA, "submit", {}, session=session.id)

            [record] = [each for each in await host.effects.list("acme") if each.key == effect.key]
            assert (record.state, record.resolved_by) == (said, "ops")
            assert outcome.code == ("closed" if said == "done" else "indeterminate")
            assert (await host.workflows.states(ADA, session.id))["paper"] == ("review" if said == "done" else "draft")
            moved = [event.body.moved for event in await host.sessions.events(ADA, session.id) if isinstance(event.body, CallOutcome)]
            assert len([each for each in moved if each is not None]) == (1 if said == "done" else 0)


@pytest.mark.parametrize("where", ["store", "elsewhere"])
async def test_a_holder_that_comes_back_after_an_operator_has_decided_moves_nothing(where: str) -> None:
    """It was thought dead, and its outcome comes late: the decision stands, and so does what others have done since."""
    store, clock, snapshots = Meanwhile(), StillClock(), MemorySnapshots() if where == "elsewhere" else None
    box, paper = Toolbox("desk"), Machine("paper", *STATES)
    ran: list[str] = []

    @box.tool(effect="write", description=WORDS, at=paper.at("draft"), fires="SUBMIT")
    async def submit() -> Result[None]:
        ran.append("submit")
        if len(ran) == 1:
            clock.move(LEASE)
            [effect] = await other.effects.list("acme")
            await other.effects.resolve("acme", "submit", effect.key, "failed", by="ops")
            assert (await other.call(ADA, "submit", {}, session=session.id)).code is None
            assert (await other.call(ADA, "reject", {}, session=session.id)).code is None
        return Result("Submitted.")

    @box.tool(effect="write", description=WORDS, at=paper.at("review"), fires="REJECT")
    def reject() -> Result[None]:
        return Result("Rejected.")

    @box.tool(effect="write", description=WORDS, at=paper.at("review"), fires="APPROVE")
    def approve() -> Result[None]:
        return Result("Approved.")

    assistant = Assistant("desk", instructions="You test.", toolboxes=[box])
    async with (
        opened(assistant, store, clock=clock, snapshots=snapshots) as other,
        opened(assistant, store, clock=clock, snapshots=snapshots) as host,
    ):
        session = await host.sessions.create(ADA)
        await host.call(ADA, "submit", {}, session=session.id)

        assert (await host.workflows.states(ADA, session.id))["paper"] == "draft"
        assert ran == ["submit", "submit"]
        assert (await other.call(ADA, "submit", {}, session=session.id)).code is None
