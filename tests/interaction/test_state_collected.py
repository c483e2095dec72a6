"""What an operator removes is gone, and what was used stays counted. On every store. Promise P20; case B008."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from handgriff import Assistant, Call, Plan, Refusal, Result, Toolbox
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, BOB, WORDS, assistant, everybody, read
from tests.interaction.stores import STORES, rows, store_name

pytestmark = pytest.mark.anyio
DAY = 86_400.0
CANARY = "canary-4711"


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


def invoices(deleted: list[str]) -> Assistant:
    box = Toolbox("invoices")

    @box.tool(effect="irreversible", description=WORDS)
    async def delete_invoice(invoice: str) -> Result[None]:
        deleted.append(invoice)
        return Result("Deleted.")

    @delete_invoice.plan
    async def preview(invoice: str) -> Plan:
        return Plan(f"Delete {invoice}?")

    @box.tool(effect="read", writes="app", description=WORDS)
    async def remember(call: Call) -> Result[None]:
        for key in ("k", "user:k", "app:k"):
            await call.state.set(key, CANARY)
        await call.scratch("s").set("k", CANARY)
        return Result("Remembered.")

    return assistant(box)


SCRIPT = [(ToolUse("remember", {}), ToolUse("delete_invoice", {"invoice": "INV-7"}))]


async def used(chat: Harness, *, tenant: str = "acme") -> tuple[int, int]:
    """Ledger rows of the tenant, and their cost."""
    found = await (await chat.host.engine()).store.requests(tenant)
    return len(found), sum(row.cost_pico or 0 for row in found)


async def mentions(chat: Harness, store: str, word: str) -> dict[str, int]:
    """In how many rows of which tables *word* stands."""
    found = {table: sum(word in row for row in lines) for table, lines in (await rows(chat, store)).items()}
    return {table: count for table, count in found.items() if count}


async def test_an_idle_session_goes_with_everything_but_what_it_used(store: str) -> None:
    """B008: its proposal can't be carried out any more, and no row but the ledger's names it."""
    deleted: list[str] = []
    clock = StillClock()
    async with harness(invoices(deleted), ADA, store=store, clock=clock, script=SCRIPT) as chat:
        session = chat.session.id
        await chat.say("Delete INV-7.")
        (waiting,) = await chat.host.proposals.list(ADA, session=session)
        before = await used(chat)
        clock.move(13 * DAY)
        young = (await chat.host.sessions.create(ADA)).id
        assert (await chat.host.collect(idle=timedelta(days=14))).sessions == 0
        clock.move(2 * DAY)

        assert (await chat.host.collect(idle=timedelta(days=14))).sessions == 1
        assert before[1] > 0
        assert await used(chat) == before
        with pytest.raises(Refusal) as refused:
            await chat.host.proposals.decide(ADA, waiting.id, True)
        assert (refused.value.code, deleted) == ("not_found", [])
        assert [found.id for found in await chat.host.sessions.list(ADA)] == [young]
        (table,) = await mentions(chat, store, session)
        assert "request" in table


async def test_a_session_in_which_something_waits_or_runs_is_not_idle(store: str) -> None:
    """A proposal alone keeps nothing alive, but an event does: idle is counted from the last one."""
    clock = StillClock()
    async with harness(invoices([]), ADA, store=store, clock=clock, script=[*SCRIPT, "Well."]) as chat:
        await chat.say("Delete INV-7.")
        clock.move(13 * DAY)
        await chat.say("Never mind.")
        clock.move(2 * DAY)

        assert (await chat.host.collect(idle=timedelta(days=14))).sessions == 0


@pytest.mark.parametrize("idle", [timedelta(0), timedelta(-1)], ids=str)
async def test_no_time_is_no_idleness(idle: timedelta) -> None:
    async with harness(invoices([]), ADA) as chat:
        with pytest.raises(Refusal, match="idle"):
            await chat.host.collect(idle=idle)


async def test_who_is_erased_leaves_ledger_rows_under_a_pseudonym_and_nothing_else(store: str) -> None:
    """P20: sessions, state, scratch, proposals and effects of one user; the tenant's shared keys and the others' stay."""
    clock = StillClock()
    async with harness(invoices([]), ADA, store=store, clock=clock, callers=everybody, script=SCRIPT) as chat:
        await chat.say("Delete INV-7.")
        hers = (await chat.host.sessions.create(BOB, state={"k": "hers", "user:k": "hers"})).id
        before = await used(chat)

        erased = await chat.host.erase("acme", "ada")

        assert (erased.sessions, await used(chat)) == (1, before)
        assert await chat.host.sessions.list(ADA) == ()
        assert await chat.host.sessions.state(BOB, hers) == {"k": "hers", "user:k": "hers", "app:k": CANARY}
        assert list((await mentions(chat, store, CANARY)).values()) == [1]
        found: Any = await (await chat.host.engine()).store.requests("acme")
        assert {row.user for row in found} == {erased.pseudonym}
        assert "ada" not in {row.user for row in found}

        again = (await chat.host.sessions.create(ADA)).id
        assert await chat.host.sessions.state(ADA, again) == {"app:k": CANARY}


async def test_an_erased_tenant_is_nowhere_but_in_the_ledger_by_a_pseudonym(store: str) -> None:
    clock = StillClock()
    async with harness(invoices([]), ADA, store=store, clock=clock, callers=everybody, script=SCRIPT) as chat:
        await chat.say("Delete INV-7.")
        before = await used(chat)

        erased = await chat.host.erase("acme")

        assert await used(chat) == (0, 0)
        assert await used(chat, tenant=erased.pseudonym) == before
        assert await mentions(chat, store, CANARY) == {}
        assert await mentions(chat, store, "acme") == {}


async def test_a_turn_of_an_erased_user_is_stopped_and_writes_nothing_more(store: str) -> None:
    deleted: list[str] = []
    async with harness(invoices(deleted), ADA, store=store, script=SCRIPT) as chat:
        await read(chat.host.turn(ADA, chat.session.id, "Delete INV-7."))
        await chat.host.erase("acme", "ada")

        with pytest.raises(Refusal, match="not_found"):
            await read(chat.host.turn(ADA, chat.session.id, "Again."))
        assert deleted == []
