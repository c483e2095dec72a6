"""Refunds of which nobody knew for a while what became of them: in the end the shop's book says what the provider says. Case B106."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import httpx2
import pytest

from examples.refunds.assistant import make_host
from examples.refunds.books import Book
from examples.refunds.desk import Desk, desks
from examples.refunds.launch import provider_process
from examples.refunds.payments import PaymentProvider
from handgriff import Caller
from handgriff.core.events import CallOutcome, UserMessage
from handgriff.testing.clock import StillClock
from tests.examples.refunds_shop import ADA, CLEO, KINDS, PATIENCE, Shop, beside, database, opened

NUMBER = "pay_504-r1"

pytestmark = pytest.mark.anyio


@pytest.fixture(params=KINDS)
async def shop(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Shop]:
    if request.param == "postgres":
        request.getfixturevalue("postgres_url")
    async with database(request.param, request, tmp_path) as url, opened(url, tmp_path) as made:
        yield made


@pytest.fixture
async def small(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Shop]:
    async with database("sqlite", request, tmp_path) as url, opened(url, tmp_path) as made:
        yield made


async def uncertain(shop: Shop, fault: str) -> None:
    """A refund that meets *fault*, and of which nobody then knows."""
    shop.provider.switch.arm(fault, None)
    decided = await shop.refunded("pay_504", 40_00)
    assert (decided.proposal.state, decided.outcome.code) == ("indeterminate", "indeterminate")
    assert await shop.refunds() == [(NUMBER, 40_00, "begun")]


@pytest.mark.parametrize(("fault", "became"), [("before", "failed"), ("during", "made"), ("hang", "made"), ("after", "made")], ids=str)
async def test_what_the_provider_says_later_is_what_the_book_says_and_it_was_asked_once(shop: Shop, fault: str, became: str) -> None:
    await uncertain(shop, fault)
    charged = shop.charges()

    (effect,) = await shop.found_out()

    assert charged == ([] if became == "failed" else [(NUMBER, 40_00)])
    assert shop.charges() == charged
    assert (effect.state, effect.resolved_by) == ("done" if became == "made" else "failed", "reconcile")
    assert await shop.refunds() == [(NUMBER, 40_00, became)]
    assert [each.state for each in await shop.host.effects.list("lumen")] == [effect.state]


async def test_nobody_is_asked_before_the_lease_is_over(small: Shop) -> None:
    await uncertain(small, "during")

    assert [each.state for each in await small.host.effects.list("lumen")] == ["indeterminate"]
    assert await small.refunds() == [(NUMBER, 40_00, "begun")]


async def test_while_nobody_knows_nothing_more_goes_back_of_that_payment_whoever_asks(shop: Shop) -> None:
    other = await shop.proposed("pay_504", 5_00, CLEO)
    await uncertain(shop, "during")

    for who, cents in ((ADA, 40_00), (ADA, 10_00), (CLEO, 40_00)):
        outcome = await shop.call("refund_payment", {"payment": "pay_504", "cents": cents}, who)
        assert (outcome.code, NUMBER in outcome.shown.summary) == ("conflict", True)
    assert (await shop.decide(other, CLEO)).proposal.state == "stale"
    assert (await shop.refunded("pay_501", 1_00)).proposal.state == "done"
    assert shop.charges() == [(NUMBER, 40_00), ("pay_501-r1", 1_00)]


@pytest.mark.parametrize(
    ("fault", "charges"),
    [("before", [("pay_504-r2", 30_00)]), ("during", [(NUMBER, 40_00), ("pay_504-r2", 30_00)])],
    ids=["before", "during"],
)
async def test_when_it_is_known_another_refund_has_another_number(shop: Shop, fault: str, charges: list[tuple[str, int]]) -> None:
    await uncertain(shop, fault)
    await shop.found_out()

    assert (await shop.refunded("pay_504", 30_00)).proposal.state == "done"
    assert shop.charges() == charges


async def test_what_is_in_flight_stays_uncertain_until_it_is_not(shop: Shop) -> None:
    await uncertain(shop, "hold")

    assert [each.state for each in await shop.found_out()] == ["indeterminate"]
    assert await shop.refunds() == [(NUMBER, 40_00, "begun")]
    shop.provider.switch.arm(None, None)
    while not shop.charges():
        await anyio.lowlevel.checkpoint()
    assert [each.state for each in await shop.found_out()] == ["done"]
    assert (shop.charges(), await shop.refunds()) == ([(NUMBER, 40_00)], [(NUMBER, 40_00, "made")])


async def test_a_provider_that_cannot_be_reached_has_booked_nothing(small: Shop) -> None:
    host = make_host(small.url, "http://127.0.0.1:9", deps=desks(small.url, "http://127.0.0.1:9"), codes=small.mailbox, clock=small.clock)
    async with host:
        decided = await beside(small, host).refunded("pay_504", 40_00)

    assert (decided.proposal.state, decided.outcome.code) == ("failed", "transient")
    assert await small.refunds() == [(NUMBER, 40_00, "failed")]
    assert (await small.refunded("pay_504", 40_00)).proposal.state == "done"
    assert small.charges() == [("pay_504-r2", 40_00)]


async def test_a_provider_that_is_killed_in_the_middle_is_asked_when_it_is_back(small: Shop, tmp_path: Path) -> None:
    with provider_process(tmp_path / "process") as running:
        ours, clock = desks(small.url, running.url), StillClock()
        async with make_host(small.url, running.url, deps=ours, codes=small.mailbox, clock=clock) as host:
            shop, payments = beside(small, host, clock), PaymentProvider(running.url, "lumen")
            async with httpx2.AsyncClient(base_url=running.url) as client:
                await client.post("/fault", json={"fault": "hold"})

            async def kill_it() -> None:
                while await payments.find(NUMBER) != "in_flight":
                    pass
                running.kill()

            async with anyio.create_task_group() as killing:
                killing.start_soon(kill_it)
                decided = await shop.refunded("pay_504", 40_00)
            assert decided.proposal.state == "indeterminate"
            running.start_again()

            assert [each.state for each in await shop.found_out()] == ["failed"]
            assert await shop.refunds() == [(NUMBER, 40_00, "failed")]


async def test_while_the_provider_cannot_say_it_stays_uncertain(small: Shop) -> None:
    await uncertain(small, "during")
    nowhere = "http://127.0.0.1:9"
    # For the first host, which looks after what is left by itself and can ask, it stays early.
    later = StillClock()
    async with make_host(small.url, nowhere, codes=small.mailbox, clock=later) as host:
        assert [each.state for each in await beside(small, host, later).found_out()] == ["indeterminate"]

    assert [each.state for each in await small.found_out()] == ["done"]


async def test_a_404_that_is_not_about_the_key_says_nothing(small: Shop) -> None:
    await uncertain(small, "during")
    elsewhere = desks(small.url, f"{small.provider.url}/elsewhere")
    later = StillClock()
    async with make_host(small.url, small.provider.url, deps=elsewhere, codes=small.mailbox, clock=later) as host:
        assert [each.state for each in await beside(small, host, later).found_out()] == ["indeterminate"]

    assert [each.state for each in await small.found_out()] == ["done"]


async def test_a_declined_refund_has_failed_and_says_why(shop: Shop) -> None:
    decided = await shop.refunded("pay_506", 35_00)

    assert (decided.proposal.state, decided.outcome.code) == ("failed", "conflict")
    assert "declined" in decided.outcome.shown.summary
    assert (shop.charges(), await shop.refunds()) == ([], [("pay_506-r1", 35_00, "failed")])


async def test_a_decline_whose_answer_was_lost_is_found_out_as_one(small: Shop) -> None:
    small.provider.switch.arm("during", None)
    assert (await small.refunded("pay_506", 35_00)).proposal.state == "indeterminate"

    (effect,) = await small.found_out()

    assert effect.state == "failed"
    assert "declined" in str(effect.result)
    assert await small.refunds() == [("pay_506-r1", 35_00, "failed")]


async def test_a_number_that_was_claimed_and_never_written_down_is_not_given_out_again(shop: Shop) -> None:
    async with make_host(
        shop.url, shop.provider.url, deps=_broken(shop.url, shop.provider.url), codes=shop.mailbox, clock=shop.clock
    ) as broken:
        assert (await beside(shop, broken).refunded("pay_504", 40_00)).proposal.state == "indeterminate"
    assert await shop.refunds() == []

    (effect,) = await shop.found_out()

    assert (effect.key, effect.state) == (NUMBER, "failed")
    assert await shop.refunds() == [(NUMBER, 40_00, "failed")]
    assert (await shop.refunded("pay_504", 30_00)).proposal.state == "done"
    assert shop.charges() == [("pay_504-r2", 30_00)]


async def test_the_model_is_told_with_the_next_message(small: Shop) -> None:
    session = await small.host.sessions.create(ADA)

    async def say(text: str) -> list[Any]:
        return [item.body async for item in small.host.turn(ADA, session.id, text)]

    await say("Order o_504 was paid with pay_504.")
    await say("/refund_payment payment=pay_504 cents=4000")
    (waiting,) = await small.host.proposals.list(ADA, session=session.id)
    small.provider.switch.arm("during", None)
    assert (await small.decide(waiting.id)).proposal.state == "indeterminate"
    async for _ in small.host.follow(ADA, session.id):
        pass
    small.clock.move(60)

    bodies = await say("And?")

    (said,) = [body for body in bodies if isinstance(body, UserMessage)]
    assert "Refund pay_504-r1: € 40.00 are on their way back." in "".join(said.wire)
    events = await small.host.sessions.events(ADA, session.id)
    codes = [(event.body.code, event.body.late) for event in events if isinstance(event.body, CallOutcome)]
    assert codes == [("indeterminate", False), (None, True)]


async def test_a_fault_of_the_shops_own_gives_no_credit(small: Shop) -> None:
    await small.book.write("CREATE TRIGGER full_drawer BEFORE INSERT ON credit BEGIN SELECT RAISE(ABORT, 'full'); END")

    outcome = await small.call("give_credit", {"order": "o_501", "cents": 5_00})

    states = [each.state for each in await small.host.effects.list("lumen")]
    assert (outcome.code, states) == ("permanent", ["failed"])
    assert await small.book.rows("SELECT credited FROM shop_order WHERE id = $1", "o_501") == [(0,)]


def _broken(url: str, provider_url: str) -> Any:
    """Desks of a shop whose database takes no refunds just now."""

    @asynccontextmanager
    async def open_desk(caller: Caller) -> AsyncIterator[Desk]:
        async with desks(url, provider_url)(caller) as desk:
            yield Desk(_ReadOnly(desk.book), PaymentProvider(provider_url, caller.tenant, PATIENCE))

    return open_desk


class _ReadOnly:
    """A book in which nothing can be written."""

    def __init__(self, book: Book) -> None:
        self._book = book

    async def rows(self, statement: str, *values: str | int | None) -> list[tuple[Any, ...]]:
        return await self._book.rows(statement, *values)

    async def write(self, statement: str, *values: str | int | None) -> int:
        raise OSError("the disk is full")

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        yield

    async def script(self, text: str) -> None:
        raise OSError("the disk is full")

    async def has(self, table: str) -> bool:
        return await self._book.has(table)
