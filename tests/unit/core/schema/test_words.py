import pytest

from handgriff.core.schema.shape import compiled
from handgriff.core.schema.vocabulary import Raw
from handgriff.core.schema.words import asked, one_of, unknown, wanted


@pytest.mark.parametrize(
    ("schema", "said", "short"),
    [
        ({"type": "integer"}, "an integer", "integer"),
        ({"type": ["null", "number"]}, "a number or null", "number | null"),
        ({"type": "string", "format": "date"}, "a date, such as 2024-04-06", "date"),
        ({"type": "string", "format": "date-time"}, "a date-time with an offset, such as 2024-04-06T22:30:41+02:00", "date-time"),
        ({"enum": ["a", 1, None]}, 'one of "a", 1, null', '"a" | 1 | null'),
        ({"const": "a"}, '"a"', '"a"'),
        ({"$ref": "#/$defs/E"}, 'one of "x", "y"', '"x" | "y"'),
        ({"anyOf": [{"$ref": "#/$defs/E"}, {"type": "null"}]}, "a string or null", "string | null"),
        ({}, "a string or a number or a boolean or an object or an array or null", "any"),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "nothing", ""),
    ],
    ids=str,
)
def test_a_place_says_what_it_wants(schema: Raw, said: str, short: str) -> None:
    shape = compiled({"properties": {"x": schema}, "$defs": {"E": {"enum": ["x", "y"]}}, "required": ["x"]})

    assert wanted(shape, "#/properties/x") == said
    assert asked(shape) == f'a JSON object {{"x": {short}}}'


def test_a_long_list_is_cut_and_says_so() -> None:
    assert one_of(range(60)).endswith("48, 49 and 10 more")


def test_an_unknown_name_is_answered_with_the_nearest_or_with_all() -> None:
    assert unknown("nmae", ["name", "size"]) == "unknown; did you mean 'name'?"
    assert unknown("zzz", ["name", "size"]) == "unknown; it takes name, size"
    assert unknown("zzz", []) == "unknown; it takes none"
