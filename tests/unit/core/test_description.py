"""The four parts of a description."""

from itertools import permutations

import pytest

from handgriff.core.description import LABELS, Description, parse_description
from handgriff.errors import DefinitionError

PARTS = ("Use when: the user asks about orders.", "Not for: products.", "Needs: nothing.", "Effect: none.")
WHOLE = Description("the user asks about orders.", "products.", "nothing.", "none.")


@pytest.mark.parametrize("parts", [*permutations(PARTS)])
def test_the_parts_may_stand_in_any_order(parts: tuple[str, ...]) -> None:
    assert parse_description("list_orders", " ".join(parts)) == WHOLE


def test_a_model_reads_them_one_a_line_in_one_order() -> None:
    assert WHOLE.text == "\n".join(PARTS)
    assert parse_description("list_orders", WHOLE.text) == WHOLE


def test_lines_spaces_and_capitals_do_not_matter() -> None:
    text = """
    USE WHEN:the user
        asks about\torders.
    not for: products. needs: nothing. effect:
    none.
    """

    assert parse_description("list_orders", text) == WHOLE


def test_a_label_counts_only_where_it_begins_a_word() -> None:
    text = "Use when: a side-effect:free view is wanted. Not for: x. Needs: (needs: too). Effect: none."

    assert parse_description("look", text) == Description("a side-effect:free view is wanted.", "x.", "(needs: too).", "none.")


@pytest.mark.parametrize("label", LABELS)
def test_every_part_must_be_there_once_and_say_something(label: str) -> None:
    without = " ".join(part for part in PARTS if not part.startswith(label))

    with pytest.raises(DefinitionError, match=f"no '{label}' part"):
        parse_description("list_orders", without)
    with pytest.raises(DefinitionError, match=f"no '{label}' part"):
        parse_description("list_orders", f"{without} {label}:")
    with pytest.raises(DefinitionError, match=f"'{label}' stands twice"):
        parse_description("list_orders", f"{' '.join(PARTS)} {label}: again.")


@pytest.mark.parametrize("text", [None, "", "  ", "Lists orders.", f"Lists orders. {' '.join(PARTS)}", "Use when it rains."], ids=repr)
def test_prose_is_no_description(text: str | None) -> None:
    with pytest.raises(DefinitionError, match="'list_orders', description") as raised:
        parse_description("list_orders", text)
    assert "write the docstring as" in raised.value.mend
