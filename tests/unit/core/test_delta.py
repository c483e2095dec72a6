"""The operations of a delta: what each makes of a value, how they are kept, and which of them can change places."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, permutations
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core import jsontext
from handgriff.core.delta import (
    KINDS,
    Add,
    Append,
    Change,
    ChangeRefused,
    Clear,
    Delete,
    Delta,
    Expect,
    Increment,
    Merge,
    Operation,
    Remove,
    Renew,
    Set,
    Value,
    changed,
    decode_delta,
    encode_delta,
    in_scopes,
    is_write,
    items,
    merged,
    replayed,
    weight,
)
from handgriff.testing.samples import START, at
from handgriff.testing.stores.cases import BIGGEST, DIFFERENT, EQUAL, FITTING, UNFITTING
from handgriff.testing.stores.texts import RFC_7396, TEXTS
from tests.ids import stable
from tests.unit.core.anything import anything

DELTAS: st.SearchStrategy[Delta] = st.lists(st.one_of(*map(anything, get_args(Operation))), max_size=6).map(tuple)


@pytest.mark.parametrize(("operation", "before", "after"), FITTING, ids=stable)
def test_an_operation_makes_of_a_value_what_it_says(operation: Change, before: str | None, after: str | None) -> None:
    """B012."""
    assert changed(operation, before) == after


@pytest.mark.parametrize(("operation", "values"), UNFITTING, ids=stable)
def test_an_operation_refuses_what_it_cannot_work_on_and_names_it(operation: Change, values: Sequence[str]) -> None:
    for value in values:
        with pytest.raises(ChangeRefused) as refused:
            changed(operation, value)
        assert refused.value.key == "k"
        assert refused.value.problem in str(refused.value)


@pytest.mark.parametrize(
    ("operation", "value", "problem"),
    [
        (Increment("session", "k", 1), '"1"', "it is text, not a whole number."),
        (Increment("session", "k", 1), "1.5", "it is a number, not a whole number."),
        (Increment("session", "k", 1), "true", "it is a boolean, not a whole number."),
        (Increment("session", "k", 1), "null", "it is null, not a whole number."),
        (Increment("session", "k", 1), str(BIGGEST), "the sum has more than 100 digits."),
        (Append("session", "k", "1"), "{}", "it is an object, not a list."),
        (Remove("session", "k", "1"), "false", "it is a boolean, not a list."),
        (Merge("session", "k", "{}"), "[1]", "it is a list, and only an object can be merged into."),
    ],
    ids=stable,
)
def test_a_refusal_says_what_stands_there(operation: Change, value: str, problem: str) -> None:
    with pytest.raises(ChangeRefused) as refused:
        changed(operation, value)

    assert refused.value.problem == problem


@pytest.mark.parametrize(("original", "patch", "result"), RFC_7396)
def test_a_merge_follows_the_examples_of_RFC_7396(original: str, patch: str, result: str) -> None:
    assert merged(jsontext.loads(original), jsontext.loads(patch)) == jsontext.loads(result)


def test_a_merge_changes_neither_of_its_arguments() -> None:
    target, patch = {"a": {"b": 1}}, {"a": {"c": 2}}

    assert merged(target, patch) == {"a": {"b": 1, "c": 2}}  # type: ignore[arg-type]  # plain objects of JSON
    assert (target, patch) == ({"a": {"b": 1}}, {"a": {"c": 2}})


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_objects_are_equal_whatever_the_order_of_their_members(one: str, other: str) -> None:
    assert changed(Add("session", "k", other), f"[{one}]") == f"[{one}]"
    assert changed(Remove("session", "k", other), f"[0,{one}]") == "[0]"


@pytest.mark.parametrize(("one", "other"), [*pairwise(DIFFERENT), ("1", "true"), ("1", '"1"')])
def test_other_values_are_not_equal(one: str, other: str) -> None:
    assert changed(Add("session", "k", other), f"[{one}]") == f"[{one},{other}]"
    assert changed(Remove("session", "k", other), f"[{one}]") == f"[{one}]"


def test_an_item_is_no_deeper_than_its_list_can_be_read() -> None:
    """P11."""
    deepest = f"{'[' * 63}{']' * 63}"

    for kind in (Append, Add):
        assert changed(kind("session", "k", deepest), None) == f"[{deepest}]"
        with pytest.raises(ChangeRefused, match="too deep"):
            changed(kind("session", "k", f"[{deepest}]"), None)


@pytest.mark.parametrize(
    ("operation", "before", "counts"),
    [
        (Set("session", "k", "1"), "1", True),
        (Increment("session", "k", 0), "1", True),
        (Append("session", "k", "1"), None, True),
        (Merge("session", "k", "{}"), "{}", True),
        (Merge("session", "k", '{"a":null}'), "{}", True),
        (Delete("session", "k"), "1", True),
        (Delete("session", "k"), None, False),
        (Add("session", "k", "1"), "[1]", False),
        (Add("session", "k", "1"), "[2]", True),
        (Remove("session", "k", "1"), "[2]", False),
        (Remove("session", "k", "1"), None, False),
        (Remove("session", "k", "1"), "[1]", True),
    ],
    ids=stable,
)
def test_what_finds_nothing_to_do_is_no_write(operation: Change, before: str | None, *, counts: bool) -> None:
    """Also where the texts are one object in memory, as short ones are."""
    assert is_write(operation, before, changed(operation, before)) is counts


def test_the_items_of_a_list_are_texts() -> None:
    assert items("k", '[1,"a,]",{"b":[1]},1e+22]') == ["1", '"a,]"', '{"b":[1]}', "1e+22"]
    with pytest.raises(ChangeRefused, match="'k': it is null, not a list"):
        items("k", "null")


def test_a_value_weighs_the_bytes_of_its_key_and_its_text() -> None:
    assert weight("é", '"👋"') == 2 + 6


def test_a_value_is_read_as_a_fresh_copy_however_many_members_it_has() -> None:
    value = Value(f"[{'0,' * 150_000}0]", 1)

    read = value.json()
    assert isinstance(read, list)
    assert len(read) == 150_001
    assert value.json() is not read


@given(DELTAS)
def test_a_delta_is_read_back_as_it_was_written(delta: Delta) -> None:
    text = encode_delta(delta)

    assert decode_delta(text) == delta
    assert encode_delta(decode_delta(text)) == text
    assert (text is None) == (not delta)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_in_a_delta_keeps_its_bytes(text: str) -> None:
    delta: Delta = (Set("session", "k", text), Append("user", "k", text), Merge("app", "k", f'{{"a":{text}}}'))

    assert decode_delta(encode_delta(delta)) == delta


def test_an_empty_delta_is_kept_as_nothing() -> None:
    assert encode_delta(()) is None
    assert decode_delta(None) == ()


@pytest.mark.parametrize("text", ['[["multiply","session","k",2]]', '[["Set","session","k","1",""]]'])
def test_an_operation_of_a_newer_version_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="unknown state operation"):
        decode_delta(text)


def test_every_operation_has_a_name_of_its_own() -> None:
    assert set(KINDS.values()) == set(get_args(Operation))
    assert len(KINDS) == len(get_args(Operation))


def test_replaying_deltas_gives_the_sessions_own_values() -> None:
    deltas: list[Delta] = [
        (Set("session", "a", "1"), Set("user", "a", "9"), Set("app", "a", "9"), Renew("n", START, at(1)), Set("scratch", "a", "9", "n")),
        (Increment("session", "a", 2), Expect("session", "b", None), Append("session", "b", "1")),
        (Clear("n"), Delete("session", "never")),
        (Append("session", "b", "2"), Set("session", "c", "null"), Remove("session", "b", "1")),
        (),
        (Delete("session", "c"), Merge("session", "d", '{"x":{"y":null,"z":1}}')),
    ]

    assert replayed(deltas[:2]) == {"a": "3", "b": "[1]"}
    assert replayed(deltas) == {"a": "3", "b": "[2]", "d": '{"x":{"z":1}}'}
    assert replayed([tuple(operation for delta in deltas for operation in delta)]) == replayed(deltas)
    assert replayed([]) == {}


def test_the_part_about_scratch_and_the_rest_are_the_whole_delta() -> None:
    delta: Delta = (
        Set("session", "a", "1"),
        Renew("n", START, at(1)),
        Set("scratch", "a", "1", "n"),
        Expect("scratch", "b", 1, "n"),
        Clear("n"),
    )

    assert in_scopes(delta, scratch=True) == delta[1:]
    assert in_scopes(delta, scratch=False) == delta[:1]


COMMUTING: dict[str, tuple[Change, ...]] = {
    "increments": tuple(Increment("session", "k", by) for by in (1, -2, 2**70, 0)),
    "keys of their own": (
        Set("session", "a", "1"),
        Append("session", "b", "1"),
        Delete("session", "c"),
        Merge("session", "d", '{"a":1}'),
    ),
    "one item added": (Add("session", "k", '{"a":1,"b":2}'),) * 3 + (Increment("session", "n", 1),),
    "items removed": tuple(Remove("session", "list", item) for item in ("1", "2", '"x"', "9")),
    "members of their own": tuple(
        Merge("session", "object", patch) for patch in ('{"a":2}', '{"b":{"c":1}}', '{"b":{"d":null}}', '{"e":null}')
    ),
}
GATHERING: dict[str, tuple[Change, ...]] = {
    "appends": tuple(Append("session", "k", item) for item in ("1", "2", "2", '"x"')),
    "adds": tuple(Add("session", "k", item) for item in ("1", "2", "2", '"x"')),
}
BEFORE: Delta = (Set("session", "c", "1"), Set("session", "list", '[1,"x",3,1]'), Set("session", "object", '{"a":1,"e":1,"b":{"d":1}}'))


@pytest.mark.parametrize("name", COMMUTING)
def test_operations_that_commute_give_one_result_in_every_order(name: str) -> None:
    """P4: neither the order in which four calls end nor how they were batched shows in the state."""
    results = [_values(replayed([BEFORE, *deltas])) for order in permutations(COMMUTING[name]) for deltas in _batched(order)]

    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("name", GATHERING)
def test_items_that_are_gathered_are_the_same_in_every_order(name: str) -> None:
    """P4: their order is that of the calls, and none is lost."""
    for order in permutations(GATHERING[name]):
        (result,) = {replayed(deltas)["k"] for deltas in _batched(order)}
        asked = [operation.value for operation in order if isinstance(operation, (Append, Add))]
        assert items("k", result) == (asked if name == "appends" else list(dict.fromkeys(asked)))


def test_of_two_sets_of_one_key_the_later_in_call_order_wins() -> None:
    assert replayed([(Set("session", "k", "1"),), (Set("session", "k", "2"),)]) == {"k": "2"}
    assert replayed([(Set("session", "k", "2"),), (Set("session", "k", "1"),)]) == {"k": "1"}


def _batched(order: Sequence[Change]) -> list[list[Delta]]:
    return [[tuple(order)], [(operation,) for operation in order], [tuple(order[:2]), tuple(order[2:])]]


def _values(texts: dict[str, str]) -> dict[str, jsontext.Json]:
    return {key: jsontext.loads(text) for key, text in texts.items()}


@given(st.sampled_from(FITTING), st.sampled_from(["app", "user", "session", "scratch"]))
def test_an_operation_does_the_same_in_every_scope(case: tuple[Change, str | None, str | None], scope: str) -> None:
    operation, before, after = case

    assert changed(replace(operation, scope=scope), before) == after  # type: ignore[arg-type]  # one of the four
