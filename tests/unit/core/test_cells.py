"""The arithmetic of one commit on one place."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.cells import BoundReached, Cell, Computed, Part, computed, first_version, parts
from handgriff.core.delta import (
    Append,
    Change,
    ChangeRefused,
    Clear,
    Delete,
    Delta,
    Expect,
    Increment,
    Remove,
    Renew,
    Set,
    changed,
    weight,
)
from handgriff.core.state import LIMITS, StateLimits, Totals
from handgriff.testing.samples import START, at
from handgriff.testing.stores.cases import FITTING
from tests.ids import stable

KEYS = ("a", "b", "é")


def test_a_delta_is_taken_apart_by_place_in_one_order_whatever_its_own() -> None:
    delta: Delta = (
        Set("user", "a", "1"),
        Set("session", "a", "2"),
        Expect("user", "b", 1),
        Renew("n", START, at(1)),
        Set("scratch", "a", "3", "n"),
        Set("app", "a", "4"),
        Delete("session", "b"),
        Renew("m", START, at(1)),
    )

    places = [(part.scope, part.namespace) for part in parts(delta)]
    assert places == [("app", ""), ("scratch", "m"), ("scratch", "n"), ("session", ""), ("user", "")]
    assert [(part.scope, part.namespace) for part in parts(delta[::-1])] == places
    assert parts(()) == ()


def test_a_part_keeps_the_order_of_its_operations_and_looks_at_each_key_once() -> None:
    writes: tuple[Change, ...] = (Set("session", "b", "1"), Increment("session", "a", 1), Delete("session", "b"))
    guards = (Expect("session", "c", None), Expect("session", "a", 2))

    (part,) = parts((writes[0], guards[0], *writes[1:], guards[1]))

    assert part == Part("session", "", guards, writes)
    assert part.keys == ("c", "a", "b")


def test_clearing_forgets_what_was_to_be_changed_before_and_keeps_the_guards() -> None:
    guard, late = Expect("scratch", "a", 1, "n"), Set("scratch", "c", "1", "n")
    delta: Delta = (Renew("n", START, at(1)), Set("scratch", "b", "1", "n"), guard, Clear("n"), late)

    (part,) = parts(delta)
    assert part == Part("scratch", "n", (guard,), (late,), renew=Renew("n", START, at(1)), clears=True)
    assert not part.removes
    (part,) = parts(delta[:-1])
    assert part.removes


def test_of_two_deadlines_the_later_holds() -> None:
    for first, second in ((5, 9), (9, 5)):
        (part,) = parts((Renew("n", START, at(first)), Renew("n", at(1), at(second))))
        assert part.renew is not None
        assert part.renew.until == at(9)


@pytest.mark.parametrize(
    "operation", [Set("scratch", "k", "1", "n"), Remove("scratch", "k", "1", "n"), Expect("scratch", "k", 1, "n")], ids=stable
)
def test_no_record_is_touched_without_its_deadline(operation: Change) -> None:
    """No record without a deadline can exist (specification 5.4)."""
    with pytest.raises(ValueError, match="'n' is written without a Renew"):
        parts((operation, Renew("other", START, at(1))))


def test_only_cells_that_changed_are_to_be_written() -> None:
    cells = {"a": Cell("[1]", 4), "b": Cell("1", 1), "gone": Cell(None, 2)}
    nothing = (Remove("session", "a", "9"), Delete("session", "gone"), Delete("session", "never"))

    assert _computed(cells, *nothing) == Computed({}, _totals(cells))
    assert _computed(cells, *nothing, Increment("session", "b", 1)).cells == {"b": Cell("2", 2)}


def test_a_deleted_key_keeps_its_version_and_goes_on_counting() -> None:
    """P9."""
    first = _computed({"a": Cell("1", 7)}, Delete("session", "a"))
    assert first == Computed({"a": Cell(None, 8)}, Totals())

    again = _computed(first.cells, Set("session", "a", "1"))
    assert again == Computed({"a": Cell("1", 9)}, Totals(1, 2))


def test_a_write_counts_also_where_the_text_is_the_same_object() -> None:
    text = "1"

    assert _computed({"a": Cell(text, 1)}, Set("session", "a", text)).cells == {"a": Cell("1", 2)}


def test_a_new_key_begins_where_its_place_does() -> None:
    (part,) = parts((Set("session", "a", "1"), Set("session", "a", "2"), Set("session", "b", "1")))

    result = computed(part, {"b": Cell("0", 3)}, Totals(1, 2), LIMITS, first_version=100)

    assert result.cells == {"a": Cell("2", 102), "b": Cell("1", 4)}


@pytest.mark.parametrize(
    ("cell", "version"),
    [(None, 1), (None, 0), (Cell("1", 2), 1), (Cell("1", 2), None), (Cell(None, 2), 2), (Cell("null", 1), None)],
    ids=stable,
)
def test_a_guard_that_does_not_hold_is_refused(cell: Cell | None, version: int | None) -> None:
    with pytest.raises(ChangeRefused, match="'a': it has changed since it was read"):
        _computed({"a": cell} if cell else {}, Expect("session", "a", version))


@pytest.mark.parametrize(("cell", "version"), [(None, None), (Cell(None, 2), None), (Cell("null", 3), 3)], ids=stable)
def test_a_guard_that_holds_is_looked_at_before_the_changes(cell: Cell | None, version: int | None) -> None:
    result = _computed({"a": cell} if cell else {}, Set("session", "a", "9"), Expect("session", "a", version))

    assert result.cells["a"].text == "9"


def test_a_cleared_place_is_guarded_as_it_was_and_begins_from_nothing() -> None:
    cells = {"a": Cell("[1]", 12), "b": Cell("1", 11)}
    clear: Delta = (Renew("n", START, at(1)), Expect("scratch", "a", 12, "n"), Clear("n"), Append("scratch", "a", "2", "n"))
    (part,) = parts(clear)

    result = computed(part, cells, _totals(cells), StateLimits(keys=1), first_version=50)

    assert result == Computed({"a": Cell("[2]", 51)}, Totals(1, 4))


@pytest.mark.parametrize(
    ("cells", "operation", "limits", "subject"),
    [
        ({}, Set("session", "a", "123"), StateLimits(value_bytes=2), "a"),
        ({"a": Cell("[1]", 1)}, Append("session", "a", "2"), StateLimits(value_bytes=4), "a"),
        ({"a": Cell("1", 1)}, Set("session", "b", "1"), StateLimits(keys=1), "session"),
        ({"a": Cell("1", 1)}, Set("session", "b", "1"), StateLimits(scope_bytes=3), "session"),
        ({"a": Cell("1", 1)}, Set("session", "a", "123"), StateLimits(scope_bytes=3), "session"),
    ],
    ids=stable,
)
def test_growing_past_a_bound_is_refused(cells: dict[str, Cell], operation: Change, limits: StateLimits, subject: str) -> None:
    """P11."""
    with pytest.raises(BoundReached, match=f"the bound of '{subject}' is passed") as reached:
        _computed(cells, operation, limits=limits)

    assert reached.value.subject == subject


def test_a_record_is_bounded_by_its_own_bytes_and_named_by_its_namespace() -> None:
    (part,) = parts((Renew("n", START, at(1)), Set("scratch", "a", "123", "n")))

    computed(part, {}, Totals(), StateLimits(scope_bytes=1, scratch_bytes=4))
    with pytest.raises(BoundReached) as reached:
        computed(part, {}, Totals(), StateLimits(scope_bytes=99, scratch_bytes=3))
    assert reached.value.subject == "n"


def test_versions_of_a_record_begin_at_its_moment_to_the_microsecond_in_every_zone() -> None:
    moment = datetime(2026, 3, 4, 5, 6, 7, 123456, tzinfo=UTC)

    assert first_version(moment) == 1_772_600_767_123_456
    assert first_version(moment.astimezone(timezone(timedelta(hours=5, minutes=45)))) == first_version(moment)
    assert first_version(moment + timedelta(microseconds=1)) == first_version(moment) + 1


CHANGES = st.builds(lambda case, key: replace(case[0], key=key), st.sampled_from(FITTING), st.sampled_from(KEYS))
SMALL = st.builds(StateLimits, value_bytes=st.integers(1, 30), keys=st.integers(1, 3), scope_bytes=st.integers(1, 60))


@given(st.lists(st.lists(CHANGES, min_size=1, max_size=4), max_size=8), st.just(LIMITS) | SMALL)
def test_any_sequence_of_commits_is_what_one_change_after_the_other_makes(commits: list[list[Change]], limits: StateLimits) -> None:
    cells: dict[str, Cell] = {}
    for commit in commits:
        (part,) = parts(tuple(commit))
        before = _totals(cells)
        try:
            result = computed(part, {key: cells[key] for key in part.keys if key in cells}, before, limits)
        except (ChangeRefused, BoundReached):
            continue

        expected = {key: cell.text for key, cell in cells.items()}
        for change in commit:
            expected[change.key] = changed(change, expected.get(change.key))
        for key, cell in result.cells.items():
            assert cell.version > (cells[key].version if key in cells else 0)
        cells |= result.cells
        assert {key: cell.text for key, cell in cells.items() if cell.text is not None} == _present(expected)
        assert result.totals == _totals(cells)
        assert not result.totals.exceeds(limits.keys, limits.scope_bytes, before)


def _present(texts: Mapping[str, str | None]) -> dict[str, str]:
    return {key: text for key, text in texts.items() if text is not None}


def _totals(cells: Mapping[str, Cell]) -> Totals:
    present = _present({key: cell.text for key, cell in cells.items()})
    return Totals(len(present), sum(weight(key, text) for key, text in present.items()))


def _computed(cells: Mapping[str, Cell], *operations: Change | Expect, limits: StateLimits = LIMITS) -> Computed:
    (part,) = parts(operations)
    return computed(part, cells, _totals(cells), limits)
