"""The tools of the shop that gives money back, through the boundary: who may, who must agree, and that each wish is one effect."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from examples.refunds import refunding
from examples.refunds import shop as shop_rules
from examples.refunds.assistant import assistant
from examples.refunds.rows import ConflictError
from handgriff import Caller, Refusal
from handgriff.core.events import CallOutcome
from handgriff.models.scripted import Say, Use
from tests.examples.refunds_shop import ADA, BEN, CLEO, DAN, EVE, KINDS, Shop, database, opened, read

EFFECTS = {"give_credit": "write", "list_orders": "read", "refund_payment": "irreversible", "show_payments": "read"}

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


async def credit(made: Shop) -> list[tuple[Any, ...]]:
    return await made.book.rows("SELECT shop_order, cents, given_by, agreed_by FROM credit ORDER BY cents")


async def credited(made: Shop, order: str) -> int:
    ((sum_,),) = await made.book.rows("SELECT credited FROM shop_order WHERE id = $1", order)
    return int(sum_)


def test_every_tool_has_the_effect_it_is_known_by() -> None:
    contracts = assistant().contracts

    assert {name: contract.effect for name, contract in contracts.items()} == EFFECTS
    assert {name for name, contract in contracts.items() if contract.transaction} == {"give_credit"}
    assert {name for name, contract in contracts.items() if contract.reconcile} == {"refund_payment"}


async def test_whoever_may_not_make_refunds_is_offered_only_what_looks(small: Shop) -> None:
    offered = {tool.name for tool in await small.host.menu(DAN)}

    assert offered == {"list_orders", "show_payments"}
    outcome = await small.call("give_credit", {"order": "o_501", "cents": 100}, DAN)
    assert (outcome.code, await credit(small)) == ("not_found", [])


async def test_orders_are_the_shops_own(shop: Shop) -> None:
    mine = read(await shop.call("list_orders", {}))
    theirs = read(await shop.call("list_orders", {"customer": "GRETA"}, EVE))
    nobody = await shop.call("list_orders", {"customer": "Nobody"})

    assert [order["id"] for order in mine] == [f"o_50{number}" for number in range(1, 7)]
    assert theirs == [
        {"id": "o_901", "customer": "Greta Lindqvist", "item": "Rope", "total": "€ 60.00", "credited": "€ 0.00", "clerk": "eve"}
    ]
    assert "'Nobody'" in nobody.shown.summary


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("show_payments", {"order": "o_901"}),
        ("show_payments", {"order": "o_999"}),
        ("refund_payment", {"payment": "pay_901", "cents": 100}),
        ("refund_payment", {"payment": "pay_999", "cents": 100}),
        ("give_credit", {"order": "o_901", "cents": 100}),
        ("give_credit", {"order": "o_999", "cents": 100}),
    ],
    ids=["look-foreign", "look-missing", "refund-foreign", "refund-missing", "credit-foreign", "credit-missing"],
)
async def test_another_shops_order_is_as_missing_as_none(small: Shop, tool: str, arguments: Mapping[str, Any]) -> None:
    for who in (ADA, CLEO):
        outcome = await small.call(tool, arguments, who)

        assert outcome.code == "not_found"
    assert (await credit(small), await small.refunds(), small.charges()) == ([], [], [])


@pytest.mark.parametrize(
    ("tool", "argument", "value"), [("refund_payment", "payment", "pay_505"), ("give_credit", "order", "o_505")], ids=str
)
async def test_a_clerk_gives_nothing_back_for_a_colleagues_order_and_a_manager_may(
    small: Shop, tool: str, argument: str, value: str
) -> None:
    arguments = {argument: value, "cents": 2500}

    refused = await small.call(tool, arguments)

    assert (refused.code, refused.shown.summary) == ("denied", "o_505 is looked after by ben.")
    assert (await small.call(tool, arguments, BEN)).code == "unconfirmed"
    assert (await small.call(tool, arguments, CLEO)).code == "unconfirmed"


@pytest.mark.parametrize("cents", [0, -100, 12.5, 10_000_001, True], ids=str)
async def test_an_amount_that_is_none_is_refused_in_form(small: Shop, cents: object) -> None:
    for tool, target in (("refund_payment", {"payment": "pay_503"}), ("give_credit", {"order": "o_503"})):
        assert (await small.call(tool, {**target, "cents": cents})).code == "invalid"


async def test_ids_nobody_has_seen_are_refused_in_a_conversation(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    steps = (
        Use("refund_payment", {"payment": "pay_501", "cents": 100}),
        Use("give_credit", {"order": "o_501", "cents": 100}),
        Say("I had seen neither."),
    )
    async with database("sqlite", request, tmp_path) as url, opened(url, tmp_path, steps=steps) as made:
        session = await made.host.sessions.create(ADA)

        items = [item.body async for item in made.host.turn(ADA, session.id, "Give Greta a euro back.")]

        assert [body.code for body in items if isinstance(body, CallOutcome)] == ["invalid", "invalid"]
        assert (await credit(made), made.charges()) == ([], [])


@pytest.mark.parametrize(
    ("cents", "confirm"),
    [(1, "person"), (100_00, "person"), (100_01, "code"), (1_000_00, "code"), (1_000_01, "second_person"), (2_400_00, "second_person")],
    ids=str,
)
async def test_the_amount_says_who_must_agree(small: Shop, cents: int, confirm: str) -> None:
    proposal = await small.proposed("pay_503", cents)

    found = await small.host.proposals.get(ADA, proposal)
    assert found.confirm == confirm
    assert len(small.mailbox.sent) == (confirm == "code")
    assert (small.charges(), await small.refunds()) == ([], [])


async def test_parts_of_a_large_refund_are_none_the_smaller(small: Shop) -> None:
    await small.refunded("pay_503", 90_00)

    found = await small.host.proposals.get(ADA, await small.proposed("pay_503", 20_00))
    assert found.confirm == "code"


async def test_a_confirmed_refund_is_charged_once_and_written_down(shop: Shop) -> None:
    decided = await shop.refunded("pay_501", 50_00)

    assert (decided.proposal.state, decided.outcome.shown.summary) == ("done", "Refund pay_501-r1: € 50.00 are on their way back.")
    assert shop.charges() == [("pay_501-r1", 50_00)]
    assert await shop.book.rows("SELECT * FROM refund") == [("pay_501-r1", "pay_501", 50_00, "made", "ada", "ada")]
    (payment,) = read(await shop.call("show_payments", {"order": "o_501"}))
    assert payment == {
        "id": "pay_501",
        "paid": "€ 69.00",
        "refunded": "€ 50.00",
        "refunds": [{"number": "pay_501-r1", "amount": "€ 50.00", "state": "made"}],
    }


async def test_more_than_was_paid_never_goes_back(shop: Shop) -> None:
    await shop.refunded("pay_501", 50_00)

    outcome = await shop.call("refund_payment", {"payment": "pay_501", "cents": 19_01})

    assert (outcome.code, outcome.shown.summary) == ("invalid", "€ 19.00 are left of pay_501, so € 19.01 can't go back.")
    assert (await shop.refunded("pay_501", 19_00)).proposal.state == "done"
    assert shop.charges() == [("pay_501-r1", 50_00), ("pay_501-r2", 19_00)]


async def test_two_equal_refunds_that_are_both_wanted_are_two(shop: Shop) -> None:
    states = [(await shop.refunded("pay_504", 40_00)).proposal.state for _ in range(2)]

    assert states == ["done", "done"]
    assert shop.charges() == [("pay_504-r1", 40_00), ("pay_504-r2", 40_00)]


async def test_one_wish_proposed_twice_is_one_refund_because_the_second_shows_what_is_not_true_any_more(shop: Shop) -> None:
    first, second = await shop.proposed("pay_504", 40_00), await shop.proposed("pay_504", 40_00)

    states = [(await shop.decide(proposal)).proposal.state for proposal in (first, second)]

    assert states == ["done", "stale"]
    assert shop.charges() == [("pay_504-r1", 40_00)]


async def test_two_proposals_confirmed_at_the_same_moment_are_one_refund(shop: Shop) -> None:
    proposals = [await shop.proposed("pay_504", 40_00) for _ in range(4)]
    states: list[str] = []
    done: set[str] = set()

    async def click(proposal: str) -> None:
        try:
            decided = await shop.decide(proposal)
        except Refusal as refusal:
            states.append(refusal.code)
        else:
            states.append(decided.proposal.state)
            done.update([decided.outcome.shown.summary] if decided.proposal.state == "done" else [])

    async with anyio.create_task_group() as clicks:
        for proposal in proposals:
            clicks.start_soon(click, proposal)

    # Whoever comes a moment later wished for what is done by then, and is given its result: the same refund.
    assert done == {"Refund pay_504-r1: € 40.00 are on their way back."}
    assert set(states) <= {"done", "stale", "conflict", "failed"}
    assert shop.charges() == [("pay_504-r1", 40_00)]
    assert [refund for refund in await shop.refunds() if refund[2] != "failed"] == [("pay_504-r1", 40_00, "made")]


async def test_a_refund_whose_payment_has_changed_is_not_begun(shop: Shop) -> None:
    wish = refunding.Begun("pay_501-r1", "pay_501", 10_00, 0, "ada", "ada")
    await refunding.begin(shop.book, wish)

    with pytest.raises(ConflictError, match="meanwhile"):
        await refunding.begin(shop.book, wish)
    assert await shop.refunds() == [("pay_501-r1", 10_00, "begun")]


@pytest.mark.parametrize(("cents", "before"), [(10_00, 0), (60_00, 10_00)], ids=["changed", "too-much"])
async def test_a_claimed_number_is_used_up_also_where_nothing_was_begun(shop: Shop, cents: int, before: int) -> None:
    await shop.refunded("pay_501", 10_00)

    # As where the first was made after the second's plan and before its key.
    with pytest.raises(ConflictError, match="meanwhile"):
        await refunding.begin(shop.book, refunding.Begun("pay_501-r2", "pay_501", cents, before, "ada", "ada"))

    assert await shop.refunds() == [("pay_501-r1", 10_00, "made"), ("pay_501-r2", cents, "failed")]
    await shop.refunded("pay_501", 5_00)
    assert shop.charges() == [("pay_501-r1", 10_00), ("pay_501-r3", 5_00)]


async def test_what_was_made_stays_made(shop: Shop) -> None:
    await refunding.begin(shop.book, refunding.Begun("pay_501-r1", "pay_501", 10_00, 0, "ada", "ada"))

    assert await refunding.settle(shop.book, "pay_501-r1", "failed") is True
    assert await refunding.settle(shop.book, "pay_501-r1", "made") is True
    assert await refunding.settle(shop.book, "pay_501-r1", "failed") is False
    assert await refunding.settle(shop.book, "pay_501-r9", "made") is False
    payment, _ = await shop_rules.payment(shop.book, "lumen", "pay_501")
    assert (payment.refunded, payment.open_refund, payment.next_number) == (10_00, None, "pay_501-r2")


async def test_a_code_is_a_second_proof(shop: Shop) -> None:
    proposal = await shop.proposed("pay_502", 240_00)
    code = shop.mailbox.code("ada")
    wrong = f"{(int(code) + 1) % 1_000_000:06}"

    with pytest.raises(Refusal) as none:
        await shop.decide(proposal)
    with pytest.raises(Refusal) as other:
        await shop.decide(proposal, code=wrong)
    assert (none.value.code, other.value.code, shop.charges()) == ("invalid", "denied", [])
    assert (await shop.decide(proposal, code=code)).proposal.state == "done"
    assert shop.charges() == [("pay_502-r1", 240_00)]


@pytest.mark.parametrize("who", [ADA, BEN, DAN, EVE], ids=["owner", "another-clerk", "no-right", "another-shop"])
async def test_a_large_refund_is_not_confirmed_by(small: Shop, who: Caller) -> None:
    proposal = await small.proposed("pay_503", 1_500_00)

    with pytest.raises(Refusal) as refused:
        await small.decide(proposal, who)

    assert refused.value.code == ("denied" if who is ADA else "not_found")
    assert small.charges() == []
    assert (who is ADA) == bool(await small.host.proposals.list(who))


async def test_a_large_refund_is_confirmed_by_a_colleague_who_may_approve_and_runs_as_its_owners(shop: Shop) -> None:
    proposal = await shop.proposed("pay_503", 1_500_00)
    assert [waiting.id for waiting in await shop.host.proposals.list(CLEO)] == [proposal]

    decided = await shop.decide(proposal, CLEO)

    assert decided.proposal.state == "done"
    assert shop.charges() == [("pay_503-r1", 1_500_00)]
    assert await shop.book.rows("SELECT asked_by, agreed_by FROM refund") == [("ada", "cleo")]


async def test_a_managers_large_refund_is_confirmed_by_the_orders_clerk_and_by_no_other(small: Shop) -> None:
    proposal = await small.proposed("pay_503", 1_500_00, CLEO)

    with pytest.raises(Refusal, match="not_found"):
        await small.decide(proposal, BEN)
    assert (await small.decide(proposal, ADA)).proposal.state == "done"
    assert await small.book.rows("SELECT asked_by, agreed_by FROM refund") == [("cleo", "ada")]


async def test_a_little_credit_is_given_unasked(shop: Shop) -> None:
    outcome = await shop.call("give_credit", {"order": "o_501", "cents": 20_00})

    assert (outcome.code, outcome.shown.summary) == (None, "Greta Lindqvist has € 20.00 of store credit for o_501.")
    assert (await credit(shop), await credited(shop, "o_501")) == ([("o_501", 20_00, "ada", None)], 20_00)
    assert [(effect.state, effect.transaction) for effect in await shop.host.effects.list("lumen")] == [("done", True)]


async def test_more_than_a_little_credit_is_asked_for_also_in_parts(shop: Shop) -> None:
    assert (await shop.call("give_credit", {"order": "o_501", "cents": 20_01})).code == "unconfirmed"
    assert (await shop.call("give_credit", {"order": "o_501", "cents": 15_00})).code is None
    assert (await shop.call("give_credit", {"order": "o_501", "cents": 5_01})).code == "unconfirmed"
    assert await credit(shop) == [("o_501", 15_00, "ada", None)]

    first, second = await shop.host.proposals.list(ADA)

    # The first was shown when there was no credit yet.
    assert (await shop.decide(first.id)).proposal.state == "stale"
    assert (await shop.decide(second.id)).proposal.state == "done"
    assert await credit(shop) == [("o_501", 5_01, "ada", "ada"), ("o_501", 15_00, "ada", None)]
    assert await credited(shop, "o_501") == 20_01


async def test_little_credits_given_at_the_same_moment_stay_little_together(shop: Shop) -> None:
    codes: list[str | None] = []

    async def give() -> None:
        codes.append((await shop.call("give_credit", {"order": "o_501", "cents": 8_00})).code)

    async with anyio.create_task_group() as calls:
        for _ in range(6):
            calls.start_soon(give)

    assert codes.count(None) == 2
    assert set(codes) <= {None, "unconfirmed", "conflict"}
    assert await credit(shop) == [("o_501", 8_00, "ada", None)] * 2
    assert await credited(shop, "o_501") == 16_00


async def test_credit_is_never_more_than_the_order_cost(shop: Shop) -> None:
    outcome = await shop.call("give_credit", {"order": "o_506", "cents": 35_01})

    assert outcome.code == "invalid"
    assert (await shop.call("give_credit", {"order": "o_506", "cents": 35_00})).code == "unconfirmed"
    assert await credit(shop) == []


async def test_credit_that_changed_while_somebody_agreed_is_given_not_at_all(shop: Shop) -> None:
    order = await shop_rules.order(shop.book, "lumen", "o_501")
    assert (await shop.call("give_credit", {"order": "o_501", "cents": 30_00})).code == "unconfirmed"
    (waiting,) = await shop.host.proposals.list(ADA)
    await shop.book.write("UPDATE shop_order SET credited = 100 WHERE id = $1", order.id)

    assert (await shop.decide(waiting.id)).proposal.state == "stale"
    assert (await credit(shop), await credited(shop, "o_501")) == ([], 100)
