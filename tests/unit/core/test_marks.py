import pytest

from handgriff.core.marks import KNOWN_KEY, Data, Known, Selector
from handgriff.errors import DefinitionError


def test_marks_are_values() -> None:
    assert Known("order") == Known("order")
    assert Data("own record only") != Data("other")
    assert Selector() == Selector()


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_mark_that_says_nothing_is_an_error(blank: str) -> None:
    with pytest.raises(DefinitionError, match="kind"):
        Known(blank)
    with pytest.raises(DefinitionError, match="reason"):
        Data(blank)


def test_known_leaves_a_shared_definition_as_it_is() -> None:
    shared = {"$ref": "#/$defs/Order"}

    assert Known("order").__get_pydantic_json_schema__(None, lambda _: shared) == {"$ref": "#/$defs/Order", KNOWN_KEY: "order"}
    assert shared == {"$ref": "#/$defs/Order"}
