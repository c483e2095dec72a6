"""The way to a closed tool: the shortest, by tools that are offered and open on the way, the same every time."""

from collections.abc import Sequence

import pytest

from handgriff import Machine
from handgriff.core.contract import Contract
from handgriff.core.machine.interpret import start
from handgriff.core.machine.machine import Machine as AnyMachine
from handgriff.core.standing import Standing, derived, stands
from handgriff.core.ways import path_to
from handgriff.machine import State, Transition
from tests.unit.core.bound_tools import bound
from tests.unit.core.machine.machines import NOON, sent

Standings = dict[AnyMachine, Standing | None]


def yes(_context: object, _event: object, _params: object) -> bool:
    return True


async def state_of(_call: object) -> str:
    return "pending"


INVOICE = Machine(
    "invoice",
    State("draft", on={"EDIT": Transition(actions="note"), "SUBMIT": "review"}),
    State("review", on={"APPROVE": Transition("approved", guard="yes"), "REJECT": "draft"}),
    State("approved", on={"DISCHARGE": "discharged", "REOPEN": "draft"}),
    State("discharged", type="final"),
    guards={"yes": yes},
)
CHAT = Machine("chat", State("anonymous", on={"LOGIN": "identified"}), State("identified", on={"LOGOUT": "anonymous"}))
ORDER = Machine("order", "pending", "shipped", state_of=state_of)

EDIT = bound("edit", INVOICE.at("draft"), "EDIT")
SUBMIT = bound("submit", INVOICE.at("draft"), "SUBMIT")
APPROVE = bound("approve", INVOICE.at("review"), "APPROVE")
DISCHARGE = bound("discharge", INVOICE.at("approved"), "DISCHARGE")
LOOK = bound("look", INVOICE.at("approved"))
LOGIN = bound("login", CHAT.at("anonymous"), "LOGIN")
TOOLS = (DISCHARGE, APPROVE, LOOK, SUBMIT, EDIT, LOGIN)


def at_start(*machines: AnyMachine) -> Standings:
    return {machine: stands(machine, start(machine.definition, NOON).snapshot) for machine in machines}


def after(*events: str) -> Standings:
    return {INVOICE: stands(INVOICE, sent(INVOICE.definition, *events).snapshot)}


@pytest.mark.parametrize(
    ("wanted", "events", "way"),
    [
        pytest.param(DISCHARGE, (), ("submit", "approve", "discharge"), id="from the beginning"),
        pytest.param(DISCHARGE, ("SUBMIT",), ("approve", "discharge"), id="from the middle"),
        pytest.param(LOOK, ("SUBMIT",), ("approve", "look"), id="to a tool that fires nothing"),
        pytest.param(SUBMIT, ("SUBMIT",), (), id="back, where no tool leads back"),
        pytest.param(SUBMIT, ("SUBMIT", "APPROVE", "DISCHARGE"), (), id="from the end"),
        pytest.param(SUBMIT, (), (), id="to what is open"),
    ],
)
def test_the_way_leads_from_where_the_machine_stands(wanted: Contract, events: Sequence[str], way: tuple[str, ...]) -> None:
    assert path_to(wanted, after(*events), TOOLS) == way


def test_only_what_is_offered_is_on_the_way() -> None:
    assert path_to(DISCHARGE, after(), (SUBMIT, DISCHARGE, LOOK)) == ()


def test_of_two_tools_and_of_two_ways_the_first_by_name_is_taken() -> None:
    machine = Machine(
        "m", State("a", on={"L": "l", "R": "r"}), State("l", on={"ON": "end"}), State("r", on={"ON": "end"}), State("end", type="final")
    )
    right, left, other_left = (
        bound("b_right", machine.at("a"), "R"),
        bound("c_left", machine.at("a"), "L"),
        bound("d_left", None, machine.event("L")),
    )
    on, wanted = bound("on", machine.at("l", "r"), "ON"), bound("wanted", machine.at("end"))

    for tools in ((right, left, other_left, on), (on, other_left, left, right)):
        assert path_to(wanted, at_start(machine), tools) == ("b_right", "on", "wanted")
        assert path_to(wanted, at_start(machine), [tool for tool in tools if tool is not right]) == ("c_left", "on", "wanted")


def test_a_tool_is_on_the_way_only_where_it_is_bound() -> None:
    machine = Machine("m", State("a", on={"GO": "b", "ON": "b"}), State("b", on={"ON": "c"}), State("c", type="final"))
    on, wanted = bound("on", machine.at("b"), "ON"), bound("wanted", machine.at("c"))

    assert path_to(wanted, at_start(machine), (on,)) == ()
    assert path_to(wanted, at_start(machine), (on, bound("go", machine.at("a"), "GO"))) == ("go", "on", "wanted")


def test_a_way_may_lead_through_history_and_what_happens_by_itself() -> None:
    busy = State("busy", State("x", on={"NEXT": "y"}), State("y", on={"END": "#m.end"}), State("h", type="history"), on={"HOLD": "held"})
    machine = Machine("m", busy, State("held", on={"BACK": "busy.h"}), State("end", always=Transition("over")), State("over", type="final"))
    tools = [bound(event.lower(), None, machine.event(event)) for event in ("NEXT", "END", "HOLD", "BACK")]
    held = {machine: stands(machine, sent(machine.definition, "NEXT", "HOLD").snapshot)}

    assert path_to(bound("wanted", machine.at("over")), held, tools) == ("back", "end", "wanted")


def test_where_two_machines_refuse_one_way_follows_the_other() -> None:
    wanted = bound("pay", [CHAT.at("identified"), INVOICE.at("approved")])

    assert path_to(wanted, at_start(CHAT, INVOICE), TOOLS) == ("login", "submit", "approve", "pay")


def test_a_machine_that_lets_it_pass_is_left_alone() -> None:
    wanted = bound("pay", [CHAT.at("anonymous"), INVOICE.at("review")])

    assert path_to(wanted, at_start(CHAT, INVOICE), TOOLS) == ("submit", "pay")


def test_a_tool_that_another_machine_closes_is_not_on_the_way_until_that_one_has_moved() -> None:
    submit = bound("submit", [CHAT.at("identified"), INVOICE.at("draft")], INVOICE.event("SUBMIT"))
    alone, both = bound("wanted", INVOICE.at("review")), bound("wanted", [CHAT.at("identified"), INVOICE.at("review")])

    assert path_to(alone, at_start(CHAT, INVOICE), (submit, LOGIN)) == ()
    assert path_to(both, at_start(CHAT, INVOICE), (submit, LOGIN)) == ("login", "submit", "wanted")


def test_where_only_the_application_moves_the_machine_there_is_no_way() -> None:
    pending: Standings = {ORDER: derived(ORDER, "pending"), **at_start(INVOICE)}

    assert path_to(bound("track", ORDER.at("shipped")), pending, TOOLS) == ()
    assert path_to(bound("track", [INVOICE.at("review"), ORDER.at("shipped")]), pending, TOOLS) == ()
    assert path_to(bound("track", [INVOICE.at("review"), ORDER.at("pending")]), pending, TOOLS) == ("submit", "track")


def test_what_only_arguments_say_is_not_known_to_refuse_and_opens_no_way() -> None:
    wanted = bound("track", [INVOICE.at("review"), ORDER.at("shipped")])
    submit = bound("submit", [INVOICE.at("draft"), ORDER.at("shipped")], INVOICE.event("SUBMIT"))

    assert path_to(wanted, {**at_start(INVOICE), ORDER: None}, TOOLS) == ("submit", "track")
    assert path_to(wanted, at_start(INVOICE), [submit]) == ()
    assert path_to(LOOK, {INVOICE: None}, TOOLS) == ()


def test_an_event_behind_a_wildcard_is_a_step() -> None:
    machine = Machine("m", State("a", on={"ask.*": "b"}), State("b", type="final"))

    assert path_to(bound("wanted", machine.at("b")), at_start(machine), [bound("ask", None, machine.event("ask.it"))]) == ("ask", "wanted")


def test_a_tool_that_fires_is_open_where_its_event_is_taken() -> None:
    reopen = bound("reopen", None, INVOICE.event("REOPEN"))

    assert path_to(reopen, after(), TOOLS) == ("submit", "approve", "reopen")


def test_where_one_machine_must_wait_for_another_the_way_is_sought_over_both_together() -> None:
    first, second = (Machine(name, State("one", on={"NEXT": "two"}), State("two", on={"BACK": "one"})) for name in ("first", "second"))
    tools = (
        bound("move_first", first.at("one"), "NEXT"),
        bound("move_second", [first.at("one"), second.at("one")], second.event("NEXT")),
        bound("back", first.at("two"), "BACK"),
    )
    wanted = bound("wanted", [first.at("two"), second.at("two")])
    ahead = {**at_start(second), first: stands(first, sent(first.definition, "NEXT").snapshot)}

    assert path_to(wanted, at_start(first, second), tools) == ("move_second", "move_first", "wanted")
    # One that lets it pass already may have to go back meanwhile.
    assert path_to(wanted, ahead, tools) == ("back", "move_second", "move_first", "wanted")


def test_a_way_is_sought_at_so_many_places_and_no_more() -> None:
    digits = [Machine(f"m{n}", *(State(f"s{k}", on={"UP": f"s{(k + 1) % 10}"}) for k in range(10))) for n in range(6)]
    tools = [bound(f"up_{machine.id}", None, machine.event("UP")) for machine in digits]
    near, far = (bound("wanted", [machine.at(state) for machine in digits]) for state in ("s1", "s9"))

    assert path_to(near, at_start(*digits), tools) == (*sorted(tool.name for tool in tools), "wanted")
    assert path_to(far, at_start(*digits), tools) == ()
    assert path_to(near, at_start(*digits), tools, most=10) == ()
