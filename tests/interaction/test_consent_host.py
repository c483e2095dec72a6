"""What a host must have for the tools it serves: said while it is built or opened, not at the first call."""

from typing import Any

import pytest

from handgriff import Assistant, Call, DefinitionError, Host, Result, Toolbox
from handgriff.stores.memory import MemoryStore
from handgriff.testing.mailbox import Mailbox
from tests.interaction.desk import WORDS, assistant, everybody
from tests.interaction.safe import ADA, Safe, opened, pay, refused, waiting

pytestmark = pytest.mark.anyio


class SyncSender:
    def send(self, caller: object, text: str) -> None: ...


def transacting() -> Assistant:
    """One tool that writes in `call.transaction()`."""
    box = Toolbox("books")

    @box.tool(effect="write", transaction=True, description=WORDS)
    async def book(call: Call) -> Result[None]:
        return Result("Booked.")

    return assistant(box)


def test_a_tool_that_asks_for_a_code_needs_somebody_who_sends_it() -> None:
    with pytest.raises(DefinitionError, match="pay asks for a code and nothing sends one") as raised:
        Host(Safe(confirm="code").assistant(), store="memory://", callers=everybody, model="scripted:x")

    assert (raised.value.subject, raised.value.member) == ("Host", "codes")


@pytest.mark.parametrize("codes", [SyncSender(), object(), "console", Mailbox().send], ids=lambda it: type(it).__name__)
def test_a_sender_that_is_none_is_refused_whatever_the_tools_ask_for(codes: Any) -> None:
    with pytest.raises(DefinitionError, match="has no async send"):
        Host(Safe().assistant(), store="memory://", callers=everybody, model="scripted:x", codes=codes)


def test_the_other_ways_need_no_sender() -> None:
    for confirm in ("person", "second_person", lambda args, call: "code"):
        Host(Safe(confirm=confirm).assistant(), store="memory://", callers=everybody, model="scripted:x")
    Host(Safe(confirm="code").assistant(), store="memory://", callers=everybody, model="scripted:x", codes=Mailbox())


@pytest.mark.parametrize("store", ["memory://", MemoryStore()], ids=["by name", "given"])
async def test_a_store_that_shares_no_database_serves_no_transaction(store: Any) -> None:
    host = Host(transacting(), store=store, callers=everybody, model="scripted:x")

    with pytest.raises(DefinitionError, match="shares no database with the application") as raised:
        await host.engine()
    assert (raised.value.subject, raised.value.member) == ("book", "transaction")
    await host.close()


async def test_a_function_that_asks_for_a_code_that_nothing_sends_leaves_what_can_only_be_declined() -> None:
    """It is logged for the operator, and confirmed by nothing."""
    safe = Safe(confirm=lambda args, call: "code")
    async with opened(safe, [pay(), "As you wish."]) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)

        assert (await refused(chat.host.proposals.decide(ADA, found, True, "123456"))).code == "unconfirmed"
        with pytest.raises(DefinitionError, match="give Host"):
            await chat.host.proposals.send_code(ADA, found)
        decided, _ = await chat.decline()
        assert (decided.proposal.state, safe.paid) == ("declined", [])
