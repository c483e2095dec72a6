"""One record kept whole: what it holds is what a place with its cells holds."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.cells import BoundReached, Cell, computed, first_version, parts
from handgriff.core.delta import Append, Change, ChangeRefused, Clear, Delete, Delta, Expect, Renew, Set, Value
from handgriff.core.scratch import Kept, renewed, written
from handgriff.core.state import LIMITS, StateLimits, Totals

START = datetime(2026, 3, 4, tzinfo=UTC)
FIRST = first_version(START)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def put(key: str, value: str) -> Set:
    return Set("scratch", key, value, "pad")


def drop(key: str) -> Delete:
    return Delete("scratch", key, "pad")


def renew(moment: float, ttl: float = 100) -> Renew:
    return Renew("pad", at(moment), at(moment + ttl))


def after(kept: Kept | None, *delta: Change | Expect | Clear | Renew, limits: StateLimits = LIMITS) -> Kept | None:
    (part,) = parts(delta)
    return written(kept, part, limits)


HELD = Kept(at(100), FIRST, {"a": Value("1", FIRST + 3)})


def test_a_record_begins_with_its_deadline_and_first_version() -> None:
    assert after(None, renew(0), put("a", "1")) == Kept(at(100), FIRST, {"a": Value("1", FIRST + 1)})
    assert after(None, renew(0)) == Kept(at(100), FIRST, {})


def test_a_write_prolongs_and_never_shortens() -> None:
    longer, shorter = after(HELD, renew(50)), after(HELD, renew(50, ttl=1))

    assert longer
    assert longer.expires_at == at(150)
    assert shorter
    assert shorter.expires_at == at(100)


@pytest.mark.parametrize("moment", [100, 101])
def test_what_is_over_is_gone_before_the_guards_are_looked_at(moment: int) -> None:
    kept = after(HELD, renew(moment), Expect("scratch", "a", None, "pad"), put("b", "1"))

    assert kept
    assert kept.values.keys() == {"b"}
    assert kept.expires_at == at(moment + 100)


def test_guards_are_looked_at_before_the_record_is_cleared() -> None:
    version = FIRST + 3
    assert after(HELD, renew(1), Expect("scratch", "a", version, "pad"), Clear("pad")) is None
    with pytest.raises(ChangeRefused, match="changed"):
        after(HELD, renew(1), Clear("pad"), Expect("scratch", "a", None, "pad"), put("a", "2"))


def test_clearing_alone_leaves_nothing() -> None:
    assert after(HELD, Clear("pad")) is None
    assert after(None, Clear("pad")) is None
    assert after(HELD, renew(1), put("b", "1"), Clear("pad")) is None


def test_what_comes_after_clearing_is_a_new_record() -> None:
    kept = after(HELD, Clear("pad"), renew(1, ttl=10), put("a", "2"))

    assert kept
    assert kept.expires_at == at(11)
    assert kept.values["a"].text == "2"


@pytest.mark.parametrize("how", ["deleted", "cleared", "over"])
def test_a_key_that_comes_back_never_has_a_version_it_had(how: str) -> None:
    """Also where the clock stands still, or goes back."""
    held = Kept(at(100), FIRST, {"a": Value("1", FIRST + 3)})
    match how:
        case "deleted":
            back = after(after(held, renew(0), drop("a")), renew(0), put("a", "1"))
        case "cleared":
            back = after(held, Clear("pad"), renew(0), put("a", "1"))
        case _:
            back = after(Kept(at(0), FIRST, held.values), renew(0), put("a", "1"))

    assert back
    assert back.values["a"].version > FIRST + 3


def test_a_deleted_key_leaves_nothing_but_the_first_version() -> None:
    kept: Kept | None = HELD
    for number in range(50):
        kept = after(after(kept, renew(0), put(f"k{number}", "1")), renew(0), drop(f"k{number}"))

    assert kept
    assert kept.values == HELD.values
    assert kept.first_version > FIRST


def test_a_bound_is_the_record_s() -> None:
    limits = StateLimits(scratch_bytes=10)
    assert after(HELD, renew(1), put("b", "12345678"[:6]), limits=limits)
    with pytest.raises(BoundReached) as reached:
        after(HELD, renew(1), put("b", "123456789"), limits=limits)
    assert reached.value.subject == "pad"


def test_renewing_is_for_what_lives() -> None:
    assert renewed(HELD, now=at(99), until=at(200)) == Kept(at(200), FIRST, HELD.values)
    assert renewed(HELD, now=at(99), until=at(100)) is HELD
    assert renewed(HELD, now=at(100), until=at(200)) is HELD


KEYS = st.sampled_from("abc")
OPERATIONS = st.one_of(
    st.builds(put, KEYS, st.sampled_from(["1", "[]", "null"])),
    st.builds(drop, KEYS),
    st.builds(lambda key: Append("scratch", key, "2", "pad"), KEYS),
    st.just(Clear("pad")),
)
DELTAS = st.builds(
    lambda moment, ttl, operations: (renew(moment, ttl), *operations),
    st.integers(0, 30),
    st.integers(1, 10),
    st.lists(OPERATIONS, max_size=4),
)


@given(st.lists(DELTAS, max_size=12).map(lambda deltas: sorted(deltas, key=lambda delta: delta[0].at)))
def test_a_record_kept_whole_holds_what_its_cells_hold(deltas: Iterable[Delta]) -> None:
    kept: Kept | None = None
    cells = Cells()
    for delta in deltas:
        try:
            cells.apply(delta)
        except ChangeRefused:
            with pytest.raises(ChangeRefused):
                after(kept, *delta)
            continue
        kept = after(kept, *delta)
        assert (kept is not None) == (cells.until is not None)
        if kept is not None:
            assert kept.expires_at == cells.until
            assert {key: value.text for key, value in kept.values.items()} == cells.texts()


class Cells:
    """A record as a table of cells, in which deleted keys stay."""

    def __init__(self) -> None:
        self.until: datetime | None = None
        self.cells: dict[str, Cell] = {}

    def apply(self, delta: Delta) -> None:
        (part,) = parts(delta)
        assert part.renew
        held = {} if self.until is None or self.until <= part.renew.at else self.cells
        until = self.until if held is self.cells and not part.clears else None
        sizes = [len(key) + len(cell.text) for key, cell in held.items() if cell.text is not None]
        result = computed(part, held, Totals(len(sizes), sum(sizes)), LIMITS)
        self.cells = {**({} if part.clears else held), **result.cells}
        self.until = None if part.removes else max(part.renew.until, until or part.renew.until)

    def texts(self) -> dict[str, str]:
        return {key: cell.text for key, cell in self.cells.items() if cell.text is not None}
