"""A store that fails at one kind of write: nothing is pretended, nothing runs twice, the next access puts things in order. Case B088."""

import pytest

from handgriff import BackendError, Refusal
from handgriff.core.batch import Batch
from handgriff.core.events import UserMessage
from handgriff.ports.store import Committed
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.bank import Bank, banking, transfer
from tests.interaction.desk import ADA, decisions, endings, read, rows

pytestmark = pytest.mark.anyio
NOTE = ToolUse("note", {"text": "a"})


class FailingStore(MemoryStore):
    """Fails every commit that holds an operation of this kind, or an event with a body of it."""

    failing_at: str = ""

    async def commit(self, batch: Batch, *, durable: bool = False) -> Committed:
        kinds = {type(operation).__name__ for operation in batch}
        kinds |= {type(operation.event.body).__name__ for operation in batch if type(operation).__name__ == "AppendEvent"}  # type: ignore[union-attr]  # only an AppendEvent has one
        if self.failing_at in kinds:
            raise BackendError("memory", "commit") from OSError("disk full")
        return await super().commit(batch, durable=durable)


@pytest.mark.parametrize(("at", "call"), [("ClaimEffect", NOTE), ("HoldProposal", transfer())])
async def test_what_can_not_be_claimed_or_parked_is_not_begun(at: str, call: ToolUse) -> None:
    bank, store = Bank(), FailingStore()
    store.failing_at = at
    async with banking(bank, [call, "Well."], store=store) as chat:
        told = await chat.say("Go.")

        [outcome] = told.outcomes
        assert (outcome.code, bool(outcome.incident), told.ended.status) == ("transient", True, "done")
        assert (bank.noted, bank.paid, await chat.host.proposals.list(ADA)) == ([], [], [])


async def test_an_outcome_that_can_not_be_settled_is_uncertain_at_once_and_on_disk() -> None:
    """The claim is there, its end is not: that is what uncertain means."""
    bank, store, clock = Bank(), FailingStore(), StillClock()
    async with banking(bank, [NOTE, "Nobody knows.", "Hello."], store=store, clock=clock) as chat:
        store.failing_at = "SettleEffect"
        told = await chat.say("Note it.")
        store.failing_at = ""

        [outcome] = told.outcomes
        assert (outcome.code, bool(outcome.incident), told.ended.status) == ("indeterminate", True, "done")
        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["running"]
        clock.move(61)
        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["indeterminate"]
        assert (await chat.say("And?")).text == "Hello."
        assert bank.noted == ["a"]


async def test_a_decision_whose_end_can_not_be_settled_is_found_later() -> None:
    bank, store, clock = Bank(), FailingStore(), StillClock()
    async with banking(bank, [transfer(), "Nobody knows."], store=store, clock=clock) as chat:
        await chat.say("Pay.")
        [proposal] = await chat.host.proposals.list(ADA)
        store.failing_at = "SettleEffect"
        decided = await chat.host.proposals.decide(ADA, proposal.id, True)
        store.failing_at = ""
        assert (decided.outcome.code, decided.proposal.state, decided.continues) == ("indeterminate", "running", False)
        clock.move(61)

        assert (await chat.say("And?")).text == "Nobody knows."
        assert (await decisions(chat), bank.paid) == (["running", "indeterminate"], [(10, "acc-2")])


@pytest.mark.parametrize("at", ["AssistantMessage", "CallOutcome", "OpenRequest", "TurnEnded"])
async def test_a_turn_that_can_not_be_stored_fails_openly_and_is_closed_at_the_next_access(at: str) -> None:
    bank, store, clock = Bank(), FailingStore(), StillClock()
    script = [ToolUse("balance", {}), "A hundred.", "All is well.", "All is well."]
    async with banking(bank, script, store=store, clock=clock) as chat:
        items = chat.host.turn(ADA, chat.session.id, "How much?")
        async for item in items:
            if isinstance(item.body, UserMessage):
                break
        store.failing_at = at
        with pytest.raises(BackendError, match="commit"):
            await read(items)
        store.failing_at = ""
        with pytest.raises(Refusal, match="conversation_busy"):
            await chat.say("And?")
        clock.move(31)

        assert (await chat.say("And?")).text in ("A hundred.", "All is well.")
        assert await endings(chat) == ["interrupted", "done"]
        assert all(row.status != "open" for row in await rows(chat))
        assert chat.provider.violations == ()


async def test_a_turn_that_can_not_be_begun_leaves_nothing_behind() -> None:
    bank, store = Bank(), FailingStore()
    async with banking(bank, ["Hello."], store=store) as chat:
        store.failing_at = "OpenRequest"
        with pytest.raises(BackendError):
            await chat.say("Hello")
        store.failing_at = ""

        assert (len(chat.provider.requests), len(await chat.events())) == (0, 1)
        assert (await chat.say("Hello")).text == "Hello."
