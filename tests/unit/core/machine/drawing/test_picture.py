"""What a picture shows, whichever way it is drawn."""

from handgriff import Machine
from handgriff.core.machine.drawing.picture import Picture, picture_of
from handgriff.machine import State
from tests.unit.core.machine.drawing.drawn_machines import INVOICE, INVOICE_TOOLS, ORDER, ORDER_TOOLS, Tool, yes


def tools(picture: Picture) -> dict[str, tuple[str, ...]]:
    return {state.name: state.tools for state in picture.states if state.tools}


def arrows(picture: Picture) -> list[tuple[str, str, tuple[str, ...]]]:
    names = [state.name for state in picture.states]
    return [(names[arrow.source], names[arrow.target], arrow.labels) for arrow in picture.arrows]


def test_a_tool_stands_on_the_states_it_is_bound_to_with_what_it_fires() -> None:
    assert tools(picture_of(INVOICE, INVOICE_TOOLS, None)) == {
        "invoice": ("new_invoice begins one",),
        "draft": ("submit: SUBMIT", "look"),
        "review": ("approve: APPROVE", "reject: REJECT", "look"),
        "approved": ("discharge: DISCHARGE",),
    }


def test_what_else_must_hold_is_said_beside_it() -> None:
    found = tools(picture_of(ORDER, ORDER_TOOLS, None))

    assert found["asked"] == ("pay (and order packed): PAID",)
    assert found["packing"] == ("pack (and invoice approved or discharged): PACKED",)


def test_a_tool_of_another_machine_is_not_in_it() -> None:
    assert tools(picture_of(ORDER, INVOICE_TOOLS, None)) == {}


def test_arrows_say_what_has_to_happen() -> None:
    assert arrows(picture_of(ORDER, (), None)) == [
        ("open", "running", ("CHECKOUT [at_least(items=1)]",)),
        ("running", "held", ("HOLD",)),
        ("running", "complete", ("done",)),
        ("asked", "paid", ("PAID",)),
        ("asked", "cancelled", ("GIVE_UP",)),
        ("packing", "packed", ("PACKED",)),
        ("packed", "packing", ("after 1 d",)),
        ("held", "back", ("RESUME",)),
    ]


def test_possibilities_between_the_same_states_share_an_arrow_and_forbidden_ones_have_none() -> None:
    on = {"A": [{"target": "b", "guard": "yes"}, {"target": "b"}], "B": "b", "C": {}, "D": {"actions": "note"}}
    after = {"90000": "b", "10": "b", "7200000": "b"}
    machine = Machine.from_config({"id": "m", "initial": "a", "states": {"a": {"on": on, "after": after}, "b": {}}}, guards={"yes": yes})

    assert arrows(picture_of(machine, (), None)) == [
        ("a", "b", ("A [yes]", "A", "B", "after 10 ms", "after 90 s", "after 2 h")),
        ("a", "a", ("D",)),
    ]


def test_a_history_leads_where_it_says_as_long_as_there_is_none() -> None:
    inner = State("busy", "x", "y", State("h", type="history", target="y"), State("k", type="history"))

    assert arrows(picture_of(Machine("m", inner), (), None)) == [("h", "y", ())]


def test_an_instance_is_present_in_its_innermost_states() -> None:
    active = frozenset({"order", "order.running", "order.running.payment", "order.running.payment.asked"})

    assert [state.name for state in picture_of(ORDER, (), active).states if state.is_present] == ["asked"]
    assert [state.name for state in picture_of(ORDER, (), frozenset({"order.running"})).states if state.is_present] == ["running"]


def test_a_tool_without_bindings_is_nowhere() -> None:
    assert tools(picture_of(INVOICE, [Tool("search")], None)) == {}
