"""Bindings are checked when the assistant is built: the states they name, the events they fire, the promises they are named in."""

from collections.abc import Mapping, Sequence

import pytest

from handgriff import DefinitionError, Machine
from handgriff.core.contract import Contract
from handgriff.core.gating_checks import check_bindings
from handgriff.core.machine.invariants import Invariant
from handgriff.machine import NeverTogether, OnlyAfter, State, Transition
from tests.unit.core.bound_tools import bound


def yes(_context: object, _event: object, _params: object) -> bool:
    return True


async def state_of(_call: object) -> str:
    return "pending"


def invoice(*more: State, draft: Mapping[str, str] | None = None, invariants: Sequence[Invariant] = ()) -> Machine:
    return Machine(
        "invoice",
        State("draft", on={"SUBMIT": "review", **(draft or {})}),
        State("review", on={"APPROVE": Transition("approved", guard="yes"), "REJECT": "draft"}),
        State("approved", on={"DISCHARGE": "discharged"}),
        State("discharged", type="final"),
        *more,
        guards={"yes": yes},
        invariants=invariants,
    )


def check(*contracts: Contract) -> None:
    machines: Mapping[str, Machine] = {machine.id: machine for contract in contracts for machine in contract.machines}
    check_bindings(machines, contracts)


def refused(*contracts: Contract) -> tuple[str, str, str]:
    """Who is wrong, in which member, and the message."""
    with pytest.raises(DefinitionError) as error:
        check(*contracts)
    return error.value.subject, error.value.member, str(error.value)


def test_bindings_that_can_hold_and_move_are_fine() -> None:
    machine = invoice()

    check(
        bound("submit", machine.at("draft"), "SUBMIT"),
        bound("approve", machine.at("review"), "APPROVE"),
        bound("reject", None, machine.event("REJECT")),
        bound("look", machine.at("draft", "review", "approved", "discharged")),
    )


def test_a_tool_bound_to_a_state_that_nothing_leads_to_is_refused() -> None:
    machine = invoice(State("lost", on={"GO": "draft"}))

    subject, member, message = refused(bound("look", machine.at("draft", "lost")))

    assert (subject, member) == ("look", "at")
    assert "no instance of 'invoice' is ever to be found in 'lost'" in message


def test_a_tool_bound_to_a_state_that_is_only_passed_through_is_refused() -> None:
    machine = Machine("m", State("a", on={"GO": "b"}), State("b", always=Transition("c")), State("c", type="final"))

    assert refused(bound("look", machine.at("b")))[:2] == ("look", "at")


def test_an_event_that_one_of_its_states_does_not_define_is_refused_with_the_state() -> None:
    machine = invoice()

    subject, member, message = refused(bound("approve", machine.at("draft", "review"), "APPROVE"))

    assert (subject, member) == ("approve", "fires")
    assert "'APPROVE' is not defined in 'draft', where it is bound." in message
    assert "bind it to 'review' alone, or let 'draft' take 'APPROVE'" in message


def test_a_parent_stands_for_all_its_states_also_for_those_that_do_not_take_the_event() -> None:
    inner = State("open", State("x", on={"NEXT": "y"}), State("y", on={"BACK": "x", "END": "#m.over"}))
    machine = Machine("m", inner, State("over", type="final"))

    assert "not defined in 'open.x'" in refused(bound("back", machine.at("open"), "BACK"))[2]
    check(bound("back", machine.at("open.y"), "BACK"))


def test_a_forbidden_event_is_not_defined_there() -> None:
    machine = Machine("m", State("a", State("x", on={"GO": None, "NEXT": "y"}), "y", on={"GO": "b"}), State("b", type="final"))

    assert "not defined in 'a.x'" in refused(bound("go", machine.at("a"), "GO"))[2]


def test_an_event_in_a_final_state_is_not_defined_there() -> None:
    machine = invoice()

    assert "not defined in 'discharged'" in refused(bound("discharge", machine.at("approved", "discharged"), "DISCHARGE"))[2]


def test_an_event_behind_a_wildcard_is_defined() -> None:
    machine = Machine("m", State("a", on={"ask.*": "b"}), State("b", on={"*": "a"}))

    check(bound("ask", machine.at("a"), "ask.anything"), bound("back", machine.at("b"), "WHATEVER"))
    assert "not defined in 'a'" in refused(bound("back", machine.at("a", "b"), "WHATEVER"))[2]


def test_an_event_without_states_must_be_taken_somewhere() -> None:
    machine = Machine("m", State("a", type="final"), State("lost", on={"GO": "a"}))

    assert refused(bound("go", None, machine.event("GO")))[2].startswith("'go', fires: nothing ever takes 'GO'.")


def parallel() -> Machine:
    left = State("left", State("a", on={"L": "b"}), State("b", on={"L": "a"}))
    right = State("right", State("x", on={"R": "y"}), State("y", on={"R": "x"}))
    return Machine("m", State("both", left, right, type="parallel"))


def test_a_conjunction_over_regions_can_hold() -> None:
    machine = parallel()

    check(bound("look", [machine.at("left.a"), machine.at("right.y")]), bound("move", [machine.at("left.b"), machine.at("right.x")], "R"))


def test_a_conjunction_of_states_that_exclude_each_other_is_refused() -> None:
    machine = parallel()

    subject, member, message = refused(bound("look", [machine.at("left.a"), machine.at("left.b")]))

    assert (subject, member) == ("look", "at")
    assert "m.at('left.a') and m.at('left.b') never hold at the same time" in message


def derived(*states: State | str) -> Machine:
    return Machine("order", *states, state_of=state_of)


@pytest.mark.parametrize(
    ("names", "can_hold"),
    [
        pytest.param(("pending", "shipped"), False, id="neighbours"),
        pytest.param(("open", "open.packed"), True, id="a state and one in it"),
        pytest.param(("open.packed", "open.paid"), False, id="neighbours further inside"),
        pytest.param(("both.l.a", "both.r.a"), True, id="regions"),
        pytest.param(("both.l.a", "both.l.b"), False, id="neighbours in a region"),
    ],
)
def test_a_conjunction_on_a_derived_machine_needs_states_that_can_be_together(names: tuple[str, str], can_hold: bool) -> None:
    regions = State("both", State("l", "a", "b"), State("r", "a", "b"), type="parallel")
    machine = derived("pending", State("open", "packed", "paid"), "shipped", regions)
    contract = bound("look", [machine.at(name) for name in names])

    if can_hold:
        check(contract)
    else:
        assert refused(contract)[:2] == ("look", "at")


def test_a_conjunction_over_machines_is_nobodys_to_refuse() -> None:
    chat = Machine("chat", State("anonymous", on={"LOGIN": "identified"}), State("identified", type="final"))

    check(bound("cancel", [chat.at("identified"), derived("pending", "shipped").at("pending")]))


def test_a_derived_machine_may_be_anywhere() -> None:
    check(bound("cancel", derived("pending", "shipped").at("shipped")))


def test_a_machine_that_can_not_begin_is_refused() -> None:
    def wrong(_context: object, _event: object, _params: object) -> bool:
        raise KeyError("args")

    paid = State("paid", type="final")
    machine = Machine(
        "till", State("open", on={"PAY": "paid"}, after={0: Transition("paid", guard="wrong")}), paid, guards={"wrong": wrong}
    )

    subject, member, message = refused(bound("pay", machine.at("open"), "PAY"))

    assert (subject, member) == ("till", "states.open.after.0.guard")
    assert "guard 'wrong' raised KeyError" in message


def test_what_is_wrong_with_a_machine_is_told_with_its_path() -> None:
    machine = invoice(State("stuck"), draft={"STICK": "stuck"})

    subject, member, message = refused(bound("submit", machine.at("draft"), "SUBMIT"))

    assert (subject, member) == ("invoice", "states.stuck")
    assert "nothing ever leaves 'stuck'" in message


def tools(machine: Machine, *more: Contract) -> tuple[Contract, ...]:
    return (bound("approve", machine.at("review"), "APPROVE"), bound("discharge", machine.at("approved"), "DISCHARGE"), *more)


def test_a_promise_about_tools_is_proved_by_their_bindings() -> None:
    check(*tools(invoice(invariants=[OnlyAfter("discharge", "approve"), NeverTogether("draft", "approved")])))


def test_a_promise_about_tools_that_does_not_hold_is_refused_with_the_way_there() -> None:
    machine = invoice(draft={"RUSH": "approved"}, invariants=[OnlyAfter("discharge", "approve")])

    subject, member, message = refused(*tools(machine))

    assert (subject, member) == ("invoice", "invariants: OnlyAfter(later='discharge', earlier='approve')")
    assert "with RUSH, 'discharge' comes without 'approve' before it" in message


def test_a_promise_that_names_a_tool_of_another_machine_names_nothing() -> None:
    machine = invoice(invariants=[OnlyAfter("approved", "login")])
    chat = Machine("chat", State("anonymous", on={"LOGIN": "identified"}), State("identified", type="final"))

    message = refused(*tools(machine, bound("login", chat.at("anonymous"), "LOGIN")))[2]

    assert "'login' is no state, no event and no bound tool." in message
