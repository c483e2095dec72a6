"""Where the application says that a derived machine is: states that can be active together, or an error that names them."""

import pytest

from handgriff import DefinitionError, Machine
from handgriff.core.standing import derived
from handgriff.machine import State


async def state_of(_call: object) -> str:
    return "pending"


ORDER = Machine(
    "order",
    State("pending"),
    State("open", "packed", "paid"),
    State("both", State("l", "a", "b"), State("r", "a", "b"), type="parallel"),
    state_of=state_of,
)


@pytest.mark.parametrize(
    ("answer", "active"),
    [
        pytest.param("pending", {"pending"}, id="one"),
        pytest.param(["pending", "pending"], {"pending"}, id="one twice"),
        pytest.param("open", {"open", "open.packed"}, id="one with states in it"),
        pytest.param(["open", "open.paid"], {"open", "open.paid"}, id="one in another"),
        pytest.param(["both.l.b", "both.r.b"], {"both", "both.l", "both.l.b", "both.r", "both.r.b"}, id="regions"),
        pytest.param(["both.l.b"], {"both", "both.l", "both.l.b", "both.r", "both.r.a"}, id="one region"),
    ],
)
def test_an_answer_stands_for_the_states_that_are_active_then(answer: object, active: set[str]) -> None:
    ids = {ORDER.definition.places[0].id, *(f"order.{path}" for path in active)}

    assert derived(ORDER, answer).active == ids


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        pytest.param(["pending", "open"], ("pending", "open"), id="neighbours"),
        pytest.param(("open.packed", "open.paid"), ("open.packed", "open.paid"), id="neighbours further inside"),
        pytest.param(["both.l.a", "both.l.b"], ("both.l.a", "both.l.b"), id="neighbours in a region"),
        pytest.param(["both.l.a", "pending"], ("both.l.a", "pending"), id="inside and beside"),
        pytest.param(["both.l", "both.r.a", "both.r.b"], ("both.r.a", "both.r.b"), id="the second and the third"),
    ],
)
def test_states_that_exclude_each_other_are_no_answer(answer: object, named: tuple[str, str]) -> None:
    with pytest.raises(DefinitionError) as error:
        derived(ORDER, answer)

    assert (error.value.subject, error.value.member) == ("order", "state_of")
    assert "{!r} and {!r}, which can't be active together".format(*named) in str(error.value)
