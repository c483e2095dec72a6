"""What every scratch must do at its bounds: refuse what does not fit, and keep what was there."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

import pytest

from handgriff.core.delta import Delete
from handgriff.core.state import LIMITS, StateLimits
from handgriff.ports.scratch import Scratch
from handgriff.ports.store import CommitRefused
from handgriff.testing.scratch.notes import PAD, SESSION, START, TENANT, at, item, note, read, write


class BoundSuite:
    """The size of a value and a record, and the number of keys."""

    async def test_a_record_holds_64_kib_and_not_a_byte_more(self, scratch: Scratch) -> None:
        half = LIMITS.scratch_bytes // 2
        await write(scratch, note("a", _text(half - 1)), note("b", _text(half - 1)))
        before = await scratch.record(TENANT, SESSION, PAD, now=START)

        with pytest.raises(CommitRefused) as refused:
            await write(scratch, note("b", _text(half)), moment=10)

        assert (refused.value.guard, refused.value.subject) == ("limit", PAD)
        assert await scratch.record(TENANT, SESSION, PAD, now=at(10)) == before

    async def test_many_small_writes_reach_the_bound_too(self, scratch: Scratch) -> None:
        limits = StateLimits(scratch_bytes=64)
        for step in range(7):
            await write(scratch, item("codes", "1234567"), moment=step, limits=limits)
        with pytest.raises(CommitRefused, match="limit"):
            await write(scratch, item("codes", "1234567"), moment=7, limits=limits)

        assert await read(scratch) == {"codes": [1234567] * 7}

    async def test_bytes_are_counted_and_not_characters(self, scratch: Scratch) -> None:
        limits = StateLimits(value_bytes=8)
        await write(scratch, note("a", '"éé"'), limits=limits)
        with pytest.raises(CommitRefused) as refused:
            await write(scratch, note("b", '"éééé"'), limits=limits)

        assert (refused.value.guard, refused.value.subject) == ("limit", "b")
        assert await read(scratch) == {"a": "éé"}

    async def test_a_record_holds_so_many_keys(self, scratch: Scratch) -> None:
        limits = StateLimits(keys=3)
        await write(scratch, *(note(key, "1") for key in "abc"), limits=limits)
        with pytest.raises(CommitRefused) as refused:
            await write(scratch, note("a", "2"), note("d", "1"), limits=limits)
        assert (refused.value.guard, refused.value.subject) == ("limit", PAD)

        await write(scratch, Delete("scratch", "a", PAD), note("d", "1"), limits=limits)
        assert await read(scratch) == {"b": 1, "c": 1, "d": 1}

    async def test_keys_that_were_deleted_take_no_room(self, scratch: Scratch) -> None:
        limits = StateLimits(keys=2, scratch_bytes=20)
        for step in range(30):
            await write(scratch, note(f"key{step}", "1"), moment=step, limits=limits)
            await write(scratch, Delete("scratch", f"key{step}", PAD), moment=step, limits=limits)

        await write(scratch, note("a", "1"), moment=30, limits=limits)
        assert await read(scratch) == {"a": 1}

    async def test_each_record_has_bounds_of_its_own(self, scratch: Scratch) -> None:
        limits = StateLimits(keys=1)
        for pad in ("one", "two"):
            await write(scratch, note("a", "1", pad), limits=limits)

        assert len(await scratch.records(TENANT, now=START)) == 2  # noqa: PLR2004  # one each

    async def test_what_is_too_much_under_tighter_bounds_may_shrink(self, scratch: Scratch) -> None:
        limits = StateLimits(scratch_bytes=16)
        await write(scratch, note("a", _text(100)), note("b", _text(100)))
        await write(scratch, Delete("scratch", "a", PAD), limits=limits)

        with pytest.raises(CommitRefused, match="limit"):
            await write(scratch, note("c", "1"), limits=limits)
        assert (await read(scratch)).keys() == {"b"}


def _text(size: int) -> str:
    return f'"{"x" * (size - 2)}"'
