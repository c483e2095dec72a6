"""Records as JSON and back."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core import jsontext
from handgriff.core.codec import pack, unpack
from tests.unit.core.anything import anything


@dataclass(frozen=True, slots=True)
class Leaf:
    name: str
    size: int = 3
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    leaf: Leaf
    at: datetime
    kind: Literal["oak", "elm"]
    leaves: tuple[Leaf, ...] = ()
    pair: tuple[str, int] = ("", 0)
    pairs: tuple[tuple[str, str], ...] = ()
    words: frozenset[str] = frozenset()
    weight: float = 1.0
    is_green: bool = False
    below: "Tree | None" = None
    rest: object = None


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SMALLEST = {"leaf": {"name": "a"}, "at": "2026-03-01T12:00:00+00:00", "kind": "oak"}


def test_a_field_that_has_its_default_is_left_out() -> None:
    assert pack(Tree(Leaf("a"), NOON, "oak")) == SMALLEST
    assert pack(Tree(Leaf("a", 3, ""), NOON, "oak", is_green=True)) == {**SMALLEST, "leaf": {"name": "a", "note": ""}, "is_green": True}


def test_a_record_of_an_earlier_version_reads_as_if_it_had_the_new_fields() -> None:
    assert unpack(Tree, SMALLEST) == Tree(Leaf("a"), NOON, "oak")


def test_fields_keep_their_order_and_sets_are_sorted() -> None:
    tree = Tree(Leaf("a"), NOON, "elm", (Leaf("b"),), ("x", 1), (("k", "v"),), frozenset({"z", "m", "a"}), 2.5, is_green=True)

    assert jsontext.dumps(pack(tree)) == (
        '{"leaf":{"name":"a"},"at":"2026-03-01T12:00:00+00:00","kind":"elm","leaves":[{"name":"b"}],"pair":["x",1],"pairs":[["k","v"]],'
        '"words":["a","m","z"],"weight":2.5,"is_green":true}'
    )


def test_a_record_may_hold_one_of_its_own_kind() -> None:
    tree = Tree(Leaf("a"), NOON, "oak", below=Tree(Leaf("b"), NOON, "elm", rest={"free": [1, None]}))

    assert unpack(Tree, pack(tree)) == tree


@given(
    anything(Leaf),
    st.lists(anything(Leaf), max_size=3),
    st.frozensets(st.text(max_size=5)),
    st.floats(allow_nan=False, allow_infinity=False),
)
def test_every_record_is_read_back_as_it_was(leaf: Leaf, leaves: list[Leaf], words: frozenset[str], weight: float) -> None:
    tree = Tree(leaf, NOON, "oak", tuple(leaves), words=words, weight=weight)

    assert unpack(Tree, jsontext.loads(jsontext.dumps(pack(tree)))) == tree


@pytest.mark.parametrize(
    "change",
    [
        {"colour": "green"},
        {"leaf": {"name": "a", "colour": "green"}},
        {"leaf": {}},
        {"leaf": None},
        {"leaf": []},
        {"leaf": {"name": 5}},
        {"leaf": {"name": "a", "size": True}},
        {"leaf": {"name": "a", "size": 3.0}},
        {"leaf": {"name": "a", "size": None}},
        {"at": "yesterday"},
        {"at": 5},
        {"at": None},
        {"kind": "pine"},
        {"leaves": "ab"},
        {"leaves": {"name": "a"}},
        {"leaves": [{"name": "a"}, None]},
        {"pair": ["x"]},
        {"pair": ["x", 1, 2]},
        {"pair": "x1"},
        {"words": "abc"},
        {"words": [1]},
        {"is_green": 1},
        {"weight": "1"},
        {"below": {}},
    ],
    ids=str,
)
def test_what_is_not_of_that_form_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # whichever of its fields is wrong
        unpack(Tree, {**SMALLEST, **change})


@pytest.mark.parametrize("missing", list(SMALLEST))
def test_a_field_without_a_default_must_be_there(missing: str) -> None:
    with pytest.raises(ValueError, match="this is no Tree"):
        unpack(Tree, {name: value for name, value in SMALLEST.items() if name != missing})


@pytest.mark.parametrize("value", [None, [], "", 5, "Tree"], ids=repr)
def test_a_record_is_an_object(value: object) -> None:
    with pytest.raises(ValueError, match="this is no Tree"):
        unpack(Tree, value)


def test_a_whole_number_is_taken_where_a_fraction_may_stand() -> None:
    assert unpack(Tree, {**SMALLEST, "weight": 2}).weight == 2
