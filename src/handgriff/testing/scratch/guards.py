"""What every scratch must do with guards: a version that was read holds as long as nobody has written, and never again."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

import anyio
import pytest

from handgriff.core.delta import Change, Delete, Expect
from handgriff.ports.scratch import Scratch
from handgriff.ports.store import CommitRefused
from handgriff.testing.scratch.notes import HOUR, PAD, SESSION, TENANT, at, clear, guard, note, read, values, write


class GuardSuite:
    """Versions, and operations that need one."""

    async def test_a_guard_holds_until_its_key_is_written(self, scratch: Scratch) -> None:
        await write(scratch, note("codes", "[1,2]"), note("other", "1"))
        version = (await values(scratch))["codes"].version
        await write(scratch, note("other", "2"), moment=1)

        await write(scratch, guard("codes", version), note("codes", "[1]"), moment=2)

        assert (await read(scratch))["codes"] == [1]
        assert not await _holds(scratch, guard("codes", version), note("codes", "[]"), moment=3)
        assert (await read(scratch))["codes"] == [1]

    async def test_a_guard_that_does_not_hold_names_its_key_and_leaves_nothing(self, scratch: Scratch) -> None:
        await write(scratch, note("a", "1"))
        before = await scratch.record(TENANT, SESSION, PAD, now=at(0))

        with pytest.raises(CommitRefused) as refused:
            await write(scratch, note("b", "1"), guard("a", None), note("a", "2"), moment=10)

        assert (refused.value.guard, refused.value.subject) == ("state", "a")
        assert await scratch.record(TENANT, SESSION, PAD, now=at(10)) == before

    async def test_absence_is_guarded_too(self, scratch: Scratch) -> None:
        assert await _holds(scratch, guard("a", None), note("a", "1"))
        assert not await _holds(scratch, guard("a", None), note("a", "2"))
        await write(scratch, Delete("scratch", "a", PAD))
        assert await _holds(scratch, guard("a", None), note("a", "3"))

        assert await read(scratch) == {"a": 3}

    async def test_a_guard_of_one_record_says_nothing_about_another(self, scratch: Scratch) -> None:
        await write(scratch, note("a", "1", "one"))
        version = (await values(scratch, "one"))["a"].version
        await write(scratch, note("a", "1", "two"), moment=1)

        assert await _holds(scratch, guard("a", version, "one"), note("b", "1", "one"), moment=2)
        assert await _holds(scratch, guard("b", None, "two"), note("b", "1", "two"), moment=2)

    @pytest.mark.parametrize("end", ["deleted", "overwritten with the same", "cleared", "over", "forgotten"])
    async def test_an_old_guard_never_fits_what_came_later(self, scratch: Scratch, end: str) -> None:
        """A value that went and came back is not the value that was read."""
        await write(scratch, note("a", "1"), note("b", "1"))
        version = (await values(scratch))["a"].version
        moment = 10.0
        match end:
            case "deleted":
                await write(scratch, Delete("scratch", "a", PAD), moment=moment)
            case "cleared":
                await clear(scratch, moment=moment)
            case "over":
                moment = HOUR
            case "forgotten":
                await scratch.forget(TENANT, SESSION)
            case _:
                await write(scratch, note("a", "2"), moment=moment)

        for step in range(1, 5):
            await write(scratch, note("a", "1"), note("a", "2"), note("a", "1"), moment=moment + step)
            assert not await _holds(scratch, guard("a", version), note("a", "3"), moment=moment + step)

    async def test_a_version_grows_with_every_write_of_its_key(self, scratch: Scratch) -> None:
        seen: list[int] = []
        for step in range(4):
            await write(scratch, note("a", str(step)), note(f"other{step}", "1"), moment=step)
            await write(scratch, Delete("scratch", f"other{step}", PAD), moment=step)
            seen.append((await values(scratch))["a"].version)

        assert seen == sorted(set(seen))

    async def test_one_of_many_takes_what_all_have_read(self, scratch: Scratch) -> None:
        await write(scratch, note("codes", '["last"]'))
        version = (await values(scratch))["codes"].version
        takers: list[int] = []

        async def take(number: int) -> None:
            if await _holds(scratch, guard("codes", version), note("codes", "[]"), note("taker", str(number)), moment=1):
                takers.append(number)

        async with anyio.create_task_group() as tasks:
            for number in range(16):
                tasks.start_soon(take, number)

        assert len(takers) == 1
        assert await read(scratch) == {"codes": [], "taker": takers[0]}


async def _holds(scratch: Scratch, *operations: Change | Expect, moment: float = 0) -> bool:
    try:
        await write(scratch, *operations, moment=moment)
    except CommitRefused as refused:
        assert refused.guard == "state"  # noqa: PT017  # another refusal is another test's
        return False
    return True
