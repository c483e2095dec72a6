"""JSON text: what is refused, what is kept, and that what we write we can read."""

import contextlib
import enum
import json
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core import jsontext
from handgriff.core.jsontext import Exact, JsonError, JsonLimits

TREES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**40), 10**40) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


class Colour(enum.IntEnum):
    RED = 1


@given(TREES)
def test_what_is_written_reads_as_what_it_was(value: Any) -> None:
    assert jsontext.loads(jsontext.dumps(value)) == value


@given(TREES)
def test_what_is_written_is_the_same_when_written_again(value: Any) -> None:
    text = jsontext.dumps(value)

    assert jsontext.dumps(jsontext.loads(text)) == text


@given(st.text(alphabet=st.characters(codec=None)))  # surrogates included
def test_whatever_is_written_can_be_encoded(text: str) -> None:
    jsontext.dumps({"text": text}).encode()


@given(st.text() | st.binary())
def test_no_text_raises_anything_but_its_own_error(text: str | bytes) -> None:
    with contextlib.suppress(JsonError):
        jsontext.loads(text)


def test_order_and_letters_are_kept_and_no_space_is_added() -> None:
    assert jsontext.dumps({"z": [1, 2.5, None, True], "a": {"ü": "🌍"}}) == '{"z":[1,2.5,null,true],"a":{"ü":"🌍"}}'


@pytest.mark.parametrize("text", ['{"x": NaN}', "[Infinity]", "-Infinity", '{"x": 1e999}', "[-1e400]"])
@pytest.mark.parametrize("exact", [False, True])
def test_numbers_that_are_not_finite_are_refused(text: str, exact: bool) -> None:
    """B055"""
    with pytest.raises(JsonError):
        jsontext.loads(text, exact=exact)


@pytest.mark.parametrize(
    ("value", "where"), [({"mean": float("nan")}, "mean"), ({"xs": [1.0, float("-inf")]}, "xs/1"), (float("inf"), "the top")]
)
def test_writing_a_number_that_is_not_finite_names_its_place(value: object, where: str) -> None:
    """B055"""
    with pytest.raises(JsonError, match="NaN and infinities aren't JSON") as caught:
        jsontext.dumps(value)

    assert caught.value.where == where


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', '{"x":[{"k":null,"k":null}]}', '{"a":1,"\\u0061":2}'])
def test_a_key_given_twice_is_refused(text: str) -> None:
    with pytest.raises(JsonError, match=r"given twice at key '[ak]'"):
        jsontext.loads(text)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (r'{"q":"\ud99c \ubcf4\uc720"}', "q"),
        (r'["\uD83D"]', "0"),
        (r'{"a":{"\udc00":1}}', "a"),
        ('"\ud83d"', "character 2"),
    ],
)
def test_half_a_character_is_refused_and_its_place_named(text: str, where: str) -> None:
    """B056"""
    with pytest.raises(JsonError, match="lone surrogate") as caught:
        jsontext.loads(text)

    assert caught.value.where == where


def test_a_whole_character_written_as_two_escapes_is_fine() -> None:
    """B056"""
    assert jsontext.loads(r'"\ud83c\udf0d"') == "🌍"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [("a\udc00b", "a\ufffdb"), ("\ud83d", "\ufffd"), ("\ud83c\udf0d", "🌍"), ("🌍", "🌍"), ("\ufeffé\ud800", "\ufeffé\ufffd"), ("a", "a")],
)
def test_halves_that_stand_alone_are_replaced_and_pairs_are_joined(text: str, cleaned: str) -> None:
    """B056"""
    assert jsontext.clean(text) == cleaned
    assert jsontext.dumps([text]) == f'["{cleaned}"]'


def test_keys_that_become_the_same_by_cleaning_are_refused() -> None:
    """B056"""
    with pytest.raises(JsonError, match="given twice"):
        jsontext.dumps(dict.fromkeys(("\ud800", "\ud801")))


@pytest.mark.parametrize("digits", ["2512292042121000001", "9007199254740993", "-" + "9" * 100])
def test_integers_keep_every_digit(digits: str) -> None:
    """B049"""
    assert jsontext.loads(digits) == int(digits)
    assert jsontext.dumps(int(digits)) == digits


def test_an_integer_of_more_than_a_hundred_digits_is_refused() -> None:
    """B049"""
    for text in (str(10**400), f'{{"a":[{10**100}]}}', "-" + "1" * 5000):
        with pytest.raises(JsonError, match="more than 100 digits"):
            jsontext.loads(text)
    for value in (10**100, -(10**400), 10**5000):
        with pytest.raises(JsonError, match="more than 100 digits"):
            jsontext.dumps({"id": value})


def test_a_long_run_of_digits_in_a_text_is_just_text() -> None:
    assert jsontext.loads(jsontext.dumps({"a": "1" * 200, "b": 7})) == {"a": "1" * 200, "b": 7}


def test_exact_numbers_remember_how_they_were_written() -> None:
    read = jsontext.loads("[0.12345678901234567890, 1e3, 2]", exact=True)

    assert isinstance(read, list)
    assert [type(item) for item in read] == [Exact, Exact, int]
    assert isinstance(read[0], Exact)
    assert read[0].literal == "0.12345678901234567890"
    assert jsontext.dumps(read) == "[0.12345678901234568,1000.0,2]"


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("depth", [65, 5000, 100_000])
def test_what_is_too_deep_is_an_error_of_ours(opening: str, depth: int) -> None:
    """B043"""
    closing = "]" if opening == "[" else "}"

    with pytest.raises(JsonError, match="too deep"):
        jsontext.loads(opening * depth + "1" + closing * depth)


def test_the_depth_is_counted_in_levels_and_not_in_brackets() -> None:
    assert jsontext.loads("[" * 64 + "]" * 64)
    assert jsontext.loads("[" + ",".join(["[]"] * 200) + "]") == [[]] * 200


@pytest.mark.parametrize("depth", [65, 500, 5000])
def test_a_value_that_is_too_deep_is_not_written(depth: int) -> None:
    value: Any = 1
    for _ in range(depth):
        value = {"a": [value]} if depth % 2 else [value]

    with pytest.raises(JsonError, match="too deep"):
        jsontext.dumps(value)


def test_a_value_that_holds_itself_is_not_written() -> None:
    value: list[Any] = [1]
    value += [value, value]

    with pytest.raises(JsonError, match="too deep"):
        jsontext.dumps(value)


def test_a_stack_without_room_is_an_error_of_ours() -> None:
    def deep(levels: int) -> str:
        return deep(levels - 1) if levels else jsontext.dumps([[[[1]]]])

    for levels in range(sys.getrecursionlimit() - 400, sys.getrecursionlimit()):
        try:
            deep(levels)
        except JsonError:
            return
        except RecursionError:
            continue  # our own frames had no room either


@pytest.mark.parametrize("text", ["[1,2,3,4]", '{"a":[1,2],"b":[3]}', "[[[[]]]]"])
def test_more_properties_and_items_than_allowed_are_refused(text: str) -> None:
    with pytest.raises(JsonError, match="more than 2 properties and items"):
        jsontext.loads(text, limits=JsonLimits(members=2))


@pytest.mark.parametrize("text", ['"12345678901234567890"', '"éééééééééé"'])
def test_a_text_of_more_bytes_than_allowed_is_refused(text: str) -> None:
    with pytest.raises(JsonError, match="more than 20 bytes"):
        jsontext.loads(text, limits=JsonLimits(size=20))


def test_commas_in_texts_are_not_members() -> None:
    assert jsontext.loads('["a,b,c,d,e"]', limits=JsonLimits(members=1)) == ["a,b,c,d,e"]


@pytest.mark.parametrize("text", ['{"a":', '{"a":"x', "[1,", '{"a"', "{", '"abc\\', "[1", '{"a":tru'])
def test_a_text_that_was_cut_off_is_refused_and_never_completed(text: str) -> None:
    """B061"""
    with pytest.raises(JsonError):
        jsontext.loads(text)


@pytest.mark.parametrize("text", ['{"a":', '{"a":"x', "[1,", "{", "[1"])
def test_a_text_that_ends_too_early_is_said_to(text: str) -> None:
    with pytest.raises(JsonError, match="ends too early"):
        jsontext.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "{'a':1}",
        "[1,]",
        '{"a":1,}',
        "01",
        "+1",
        ".5",
        "1.",
        "tru",
        "[1] [2]",
        '"\n"',
        '"\\x"',
        "\ufeff{}",
        "nan",
        "// c\n1",
        "\u00a01",
    ],
)
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(JsonError):
        jsontext.loads(text)


def test_bytes_are_read_as_utf_8_and_nothing_else() -> None:
    assert jsontext.loads('"ü"'.encode()) == "ü"
    with pytest.raises(JsonError, match="not UTF-8 at byte 2"):
        jsontext.loads('"ü"'.encode("latin-1"))


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"a": [1, object()]}, "a value of type object isn't JSON at a/1"),
        ({"a": {1, 2}}, "a value of type set isn't JSON at a"),
        ({"a": {1: 2}}, "a key of type int isn't JSON at a"),
        ({None: 1}, "a key of type NoneType isn't JSON at the top"),
        ({(1, 2): 1}, "a key of type tuple isn't JSON at the top"),
        (b"x", "a value of type bytes isn't JSON at the top"),
        (MappingProxyType({}), "a value of type mappingproxy isn't JSON at the top"),
    ],
)
def test_what_is_not_json_is_named_by_path_and_type(value: Mapping[Any, Any], problem: str) -> None:
    with pytest.raises(JsonError) as caught:
        jsontext.dumps(value)

    assert str(caught.value) == problem


def test_errors_do_not_repeat_values() -> None:
    """B139"""
    for text in ('{"token":"sk-secret"', '{"token":"sk-secret",}', '["sk-secret\ud800"]'):
        with pytest.raises(JsonError) as caught:
            jsontext.loads(text)
        assert "sk-secret" not in str(caught.value)


def test_enumerations_and_tuples_are_written_as_what_they_stand_for() -> None:
    assert jsontext.dumps({"c": Colour.RED, "t": (1, ("x",))}) == '{"c":1,"t":[1,["x"]]}'


def test_a_value_read_elsewhere_is_held_to_the_rules_of_text() -> None:
    assert jsontext.admit({"a": [1, "é"]}) == '{"a":[1,"é"]}'
    with pytest.raises(JsonError, match="lone surrogate"):
        jsontext.admit({"a": "\ud800"})
    with pytest.raises(JsonError, match="3 properties"):
        jsontext.admit([1, 2, 3, 4], limits=JsonLimits(members=3))


def test_a_digest_names_the_text() -> None:
    assert jsontext.digest('{"ü":1}') == jsontext.digest(jsontext.dumps(json.loads('{ "ü" : 1 }')))
    assert len(jsontext.digest("{}")) == 64


def test_paths_are_spelled_short_and_unambiguous() -> None:
    assert jsontext.spell(["a/b", 0, "c~d", "k" * 70]) == "a~1b/0/c~0d/" + "k" * 64 + "…"
