"""When a call may come in the shop: what its bindings refuse, at the call and once more when a person has confirmed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, get_args

import anyio
import pytest

from examples.retail.assistant import TOOLBOXES
from examples.retail.assistant import assistant as retail
from examples.retail.bindings import BINDINGS, IDENTIFIED
from examples.retail.command import SAMPLE
from examples.retail.database import Database
from examples.retail.identity import own_order, own_record
from examples.retail.machines import ABOUT_SOMEBODY, STATES, conversation, order
from examples.retail.records import Status
from examples.retail.stage import Stage, Visit, stage
from handgriff import Assistant, Call, DefinitionError, Toolbox
from handgriff.core.events import CallOutcome
from handgriff.core.outcome import Outcome

ADA = {"email": "ada.moss@example.com"}
RETURN = {"order_id": "#W1000002", "item_ids": ["3000000022"], "payment_method_id": "credit_card_4100001"}
EXCHANGE = {**RETURN, "new_item_ids": ["3000000021"]}
CANCEL = {"order_id": "#W1000001", "reason": "no longer needed"}
MODIFY = {"order_id": "#W1000001", "item_ids": ["3000000001"], "new_item_ids": ["3000000002"], "payment_method_id": "gift_card_4000001"}


@asynccontextmanager
async def visited() -> AsyncIterator[tuple[Stage, Visit]]:
    async with stage(SAMPLE) as set_stage:
        yield set_stage, await set_stage.visit("somebody")


async def call(visit: Visit, tool: str, arguments: dict[str, Any]) -> Outcome:
    """A call past the model, whose arguments count as typed."""
    return await visit.stage.host.call(visit.caller, tool, arguments, session=visit.session)


async def step(visit: Visit) -> str:
    """The step that decided the last call."""
    return [event.body for event in await visit.events() if isinstance(event.body, CallOutcome)][-1].step


async def states(visit: Visit) -> dict[str, str]:
    return await visit.stage.host.workflows.states(visit.caller, visit.session)


async def offered(visit: Visit) -> set[str]:
    return {each.contract.name for each in await visit.stage.host.workflows.offered(visit.caller, visit.session)}


def stand(visit: Visit, order_id: str, status: str) -> None:
    """The shop itself moves an order."""
    found: Any = visit.stage.database.order(order_id)
    visit.stage.database.put("orders", order_id, {**found, "status": status})


def test_every_status_of_the_shop_is_a_state_of_the_order() -> None:
    assert set(STATES) == set(get_args(Status))
    assert set(STATES.values()) == {state.path for state in order.definition.nodes.values() if state.path}


def test_every_tool_about_somebody_is_bound_to_an_identified_conversation() -> None:
    personal = {contract.name for contract in retail.contracts.values() if contract.authorize in (own_order, own_record)}

    assert personal == set(ABOUT_SOMEBODY)
    for name in personal:
        assert IDENTIFIED.nodes in [at.nodes for at in retail.contracts[name].at if at.machine is conversation]


def test_every_tool_that_changes_an_order_is_bound_to_its_state_too() -> None:
    changes = {contract.name for contract in retail.contracts.values() if contract.authorize is own_order and contract.effect != "read"}

    assert {contract.name for contract in retail.contracts.values() if order in contract.machines} == changes


@pytest.mark.parametrize("tool", ABOUT_SOMEBODY)
def test_no_shop_is_built_that_would_show_or_change_records_before_an_identification(tool: str) -> None:
    others = [each for each in BINDINGS if each.tool != tool]

    for bindings in (others, [*others, conversation.bind(tool, at="open")]):
        with pytest.raises(DefinitionError, match=f"OnlyAfter.*{tool}"):
            Assistant("retail", instructions=retail.instructions, toolboxes=TOOLBOXES, bindings=bindings)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("get_user_details", {"user_id": "ada_moss_1201"}), ("get_order_details", {"order_id": "#W1000001"})],
    ids=["shopper", "order"],
)
async def test_nothing_personal_is_read_before_somebody_is_identified(tool: str, arguments: dict[str, Any]) -> None:
    async with visited() as (_, visit):
        refused = await call(visit, tool, arguments)

        assert (refused.code, await step(visit)) == ("closed", "gate")
        assert refused.next == "First call find_user_id_by_email."
        assert (await call(visit, "find_user_id_by_email", ADA)).is_ok
        assert (await call(visit, tool, arguments)).is_ok


@pytest.mark.anyio
@pytest.mark.parametrize("tool", ["get_order_details", "cancel_pending_order"])
async def test_before_identification_all_orders_get_one_answer(tool: str) -> None:
    async with visited() as (_, visit):
        reason = {} if tool == "get_order_details" else {"reason": "no longer needed"}
        answers = [await call(visit, tool, {"order_id": order_id, **reason}) for order_id in ("#W1000001", "#W1000002", "#W404")]

        assert answers[0] == answers[1] == answers[2]
        assert (answers[0].code, answers[0].next, await step(visit)) == ("closed", "First call find_user_id_by_email.", "gate")


@pytest.mark.anyio
async def test_a_conversation_that_is_identified_stays_so_and_offers_more() -> None:
    async with visited() as (_, visit):
        before = await offered(visit)
        assert await states(visit) == {"conversation": "open.anonymous"}

        assert (await call(visit, "find_user_id_by_email", {"email": "nobody@example.com"})).code == "not_found"
        assert await states(visit) == {"conversation": "open.anonymous"}
        assert (await call(visit, "find_user_id_by_email", ADA)).is_ok
        assert (await call(visit, "find_user_id_by_name_zip", {"first_name": "Ada", "last_name": "Moss", "zip": "04101"})).is_ok

        assert await states(visit) == {"conversation": "open.identified"}
        assert await offered(visit) - before == set(ABOUT_SOMEBODY)


@pytest.mark.anyio
async def test_two_shoppers_who_are_identified_at_once_leave_a_conversation_about_one() -> None:
    async with visited() as (set_stage, visit):
        answers: dict[str, Outcome] = {}

        async def identify(email: str) -> None:
            answers[email] = await call(visit, "find_user_id_by_email", {"email": email})

        async with anyio.create_task_group() as together:
            together.start_soon(identify, "ada.moss@example.com")
            together.start_soon(identify, "ben.okafor@example.com")

        [found] = [answer for answer in answers.values() if answer.is_ok]
        state = await set_stage.host.sessions.state(visit.caller, visit.session)
        assert f'"user_id":"{state["shopper"]}"' in (found.data or "")


@pytest.mark.anyio
@pytest.mark.parametrize("tool", ["get_user_details", "get_order_details", "cancel_pending_order"])
async def test_a_call_that_is_overtaken_by_an_identification_reaches_nobody_elses_record(tool: str) -> None:
    """Authority had nobody to compare with, and the gate sees somebody."""
    theirs = {"get_user_details": {"user_id": "ben_okafor_3307"}, "get_order_details": {"order_id": "#W1000003"}}
    visits: list[Visit] = []

    async def overtaken(args: Any, of: Call[Database]) -> bool:
        allowed = await (own_record if tool == "get_user_details" else own_order)(args, of)
        assert (await call(visits[0], "find_user_id_by_email", ADA)).is_ok
        return allowed

    box = Toolbox("slow")
    for contract in retail.contracts.values():
        box.add(replace(contract, authorize=overtaken) if contract.name == tool else contract)
    async with stage(SAMPLE, assistant=Assistant("retail", instructions=retail.instructions, toolboxes=[box])) as set_stage:
        visits.append(await set_stage.visit("somebody"))

        refused = await call(visits[0], tool, theirs.get(tool, {**CANCEL, "order_id": "#W1000003"}))

        assert refused.code in ("denied", "not_found")
        assert "pending" not in refused.text
        assert await states(visits[0]) == {"conversation": "open.identified"}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("tool", "arguments", "status"),
    [
        ("cancel_pending_order", CANCEL, "processed"),
        ("modify_pending_order_items", MODIFY, "pending (item modified)"),
        ("return_delivered_order_items", RETURN, "exchange requested"),
        ("exchange_delivered_order_items", EXCHANGE, "return requested"),
    ],
    ids=["cancel", "modify", "return", "exchange"],
)
async def test_an_order_that_the_shop_has_moved_is_closed_at_once(tool: str, arguments: dict[str, Any], status: str) -> None:
    async with visited() as (_, visit):
        await call(visit, "find_user_id_by_email", ADA)
        assert (await call(visit, tool, arguments)).code == "unconfirmed"
        stand(visit, arguments["order_id"], status)

        refused = await call(visit, tool, arguments)

        assert (refused.code, await step(visit)) == ("closed", "gate")
        assert f"'{STATES[status]}'" in refused.shown.summary  # type: ignore[index]  # each of them is a Status
        assert tool not in refused.text.split('"allowed"')[1]


@pytest.mark.anyio
async def test_a_status_that_nobody_has_told_the_assistant_of_lets_nothing_pass() -> None:
    async with visited() as (_, visit):
        await call(visit, "find_user_id_by_email", ADA)
        stand(visit, "#W1000001", "lost")

        refused = await call(visit, "cancel_pending_order", CANCEL)

        assert (refused.is_ok, await step(visit)) == (False, "gate")
        assert refused.incident is not None


@pytest.mark.anyio
async def test_of_two_changes_that_wait_for_one_order_the_second_is_closed_when_it_is_confirmed() -> None:
    async with visited() as (_, visit):
        await call(visit, "find_user_id_by_email", ADA)
        assert (await call(visit, "cancel_pending_order", CANCEL)).code == "unconfirmed"
        assert (await call(visit, "modify_pending_order_items", MODIFY)).code == "unconfirmed"
        waiting = {each.tool: each for each in await visit.waiting()}

        first = await visit.stage.host.proposals.decide(visit.caller, waiting["cancel_pending_order"].id, True)
        second = await visit.stage.host.proposals.decide(visit.caller, waiting["modify_pending_order_items"].id, True)

        assert first.proposal.state == "done"
        assert (second.proposal.state, second.outcome.step, second.outcome.code) == ("failed", "gate", "closed")


@pytest.mark.anyio
async def test_after_the_handover_no_tool_is_used_any_more_and_nothing_that_waited_is_done() -> None:
    async with visited() as (set_stage, visit):
        await call(visit, "find_user_id_by_email", ADA)
        assert (await call(visit, "cancel_pending_order", CANCEL)).code == "unconfirmed"
        assert (await call(visit, "transfer_to_human_agents", {"summary": "Wants a person."})).is_ok
        [waiting] = await visit.waiting()

        decided = await set_stage.host.proposals.decide(visit.caller, waiting.id, True)

        assert (decided.outcome.step, decided.outcome.code) == ("gate", "closed")
        assert set_stage.database.snapshot() == set_stage.original
        assert await states(visit) == {"conversation": "handed_over"}
        assert await offered(visit) == set()
        for tool, arguments in (
            ("get_order_details", {"order_id": "#W1000001"}),
            ("find_user_id_by_email", ADA),
            ("list_all_product_types", {}),
            ("calculate", {"expression": "1"}),
            ("transfer_to_human_agents", {"summary": "Once more."}),
        ):
            assert ((await call(visit, tool, arguments)).code, await step(visit)) == ("closed", "gate")


@pytest.mark.anyio
async def test_a_conversation_that_is_rewound_to_before_its_identification_is_anonymous_again() -> None:
    async with visited() as (set_stage, visit):
        await call(visit, "calculate", {"expression": "1"})
        [*_, before] = await visit.events()
        await call(visit, "find_user_id_by_email", ADA)
        copied = await set_stage.host.sessions.fork(visit.caller, visit.session)

        await set_stage.host.sessions.rewind(visit.caller, visit.session, before.seq)

        assert await states(visit) == {"conversation": "open.anonymous"}
        assert (await call(visit, "get_order_details", {"order_id": "#W1000001"})).code == "closed"
        assert (await call(visit, "find_user_id_by_email", {"email": "ben.okafor@example.com"})).is_ok
        assert (await call(Visit(set_stage, visit.caller, copied.id), "get_order_details", {"order_id": "#W1000001"})).is_ok
