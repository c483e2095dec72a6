"""What every scratch must do with time: one deadline a record, and what is over is nowhere."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

import pytest

from handgriff.core.delta import Renew
from handgriff.core.state import LIMITS
from handgriff.ports.scratch import Scratch
from handgriff.testing.scratch.notes import (
    HOUR,
    MS,
    PAD,
    SESSION,
    START,
    TENANT,
    at,
    clear,
    item,
    lives,
    note,
    read,
    renewing,
    values,
    write,
)


class DeadlineSuite:
    """Deadlines, renewing, and what comes after."""

    async def test_a_record_lives_until_its_deadline_and_not_at_it(self, scratch: Scratch) -> None:
        await write(scratch, note("a", "1"))

        assert await lives(scratch, moment=HOUR - MS)
        assert not await lives(scratch, moment=HOUR)
        assert not await lives(scratch, moment=HOUR + MS)
        assert list(await scratch.records(TENANT, now=at(HOUR))) == []

    async def test_a_write_moves_the_deadline_of_the_whole_record(self, scratch: Scratch) -> None:
        """B001: no key of a record outlives another."""
        await write(scratch, note("a", "1"), ttl=100)
        await write(scratch, note("b", "1"), moment=50, ttl=100)

        assert (await read(scratch, moment=150 - MS)).keys() == {"a", "b"}
        assert await read(scratch, moment=150) == {}

    async def test_a_shorter_time_does_not_bring_the_deadline_nearer(self, scratch: Scratch) -> None:
        await write(scratch, note("a", "1"))
        await write(scratch, note("b", "1"), moment=10, ttl=100)
        await scratch.renew(TENANT, SESSION, PAD, now=at(20), until=at(120))

        assert (await read(scratch, moment=HOUR - MS)).keys() == {"a", "b"}
        assert await read(scratch, moment=HOUR) == {}

    async def test_reads_that_renew_keep_every_key_as_long_as_the_last_one(self, scratch: Scratch) -> None:
        """B002: a sliding deadline is one for the record; B005: reading alone keeps it."""
        await write(scratch, note("a", "1"), note("b", "1"), ttl=100)

        for moment in (30, 125):
            assert (await read(scratch, moment=moment)).keys() == {"a", "b"}
            await scratch.renew(TENANT, SESSION, PAD, now=at(moment), until=at(moment + 100))

        assert (await read(scratch, moment=225 - MS)).keys() == {"a", "b"}
        assert await read(scratch, moment=225) == {}

    async def test_renewing_holds_until_the_last_moment_before_the_deadline(self, scratch: Scratch) -> None:
        for name in ("before", "at", "after"):
            await write(scratch, note("a", "1", name))
        for name, moment in (("before", HOUR - MS), ("at", HOUR), ("after", HOUR + MS)):
            await scratch.renew(TENANT, SESSION, name, now=at(moment), until=at(moment + HOUR))

        assert await lives(scratch, "before", moment=2 * HOUR - 2 * MS)
        assert not await lives(scratch, "before", moment=2 * HOUR)
        assert not await lives(scratch, "at", moment=HOUR + 2 * MS)
        assert not await lives(scratch, "after", moment=HOUR + 2 * MS)

    async def test_renewing_makes_nothing_where_nothing_lives(self, scratch: Scratch) -> None:
        """B004: a touch revives neither what was cleared, nor what is over, nor what never was."""
        await write(scratch, note("a", "1", "cleared"), note("a", "1", "over"))
        await clear(scratch, "cleared", moment=10)

        await scratch.renew(TENANT, SESSION, "cleared", now=at(11), until=at(11 + HOUR))
        assert [record.namespace for record in await scratch.records(TENANT, now=at(11))] == ["over"]
        for name in ("cleared", "over", "never"):
            await scratch.renew(TENANT, SESSION, name, now=at(HOUR + 100), until=at(2 * HOUR))
        assert list(await scratch.records(TENANT, now=at(HOUR + 100))) == []

    async def test_renewing_gives_the_time_that_was_said(self, scratch: Scratch) -> None:
        """B004: a short life does not become the default one."""
        await write(scratch, note("a", "1"))
        await scratch.renew(TENANT, SESSION, PAD, now=at(1800), until=at(1800 + HOUR))

        found = await scratch.record(TENANT, SESSION, PAD, now=at(1800))
        assert found is not None
        assert found.expires_at == at(1800 + HOUR)

    async def test_renewing_changes_no_value_and_no_version(self, scratch: Scratch) -> None:
        await write(scratch, note("a", "1"))
        before = await values(scratch)
        await scratch.renew(TENANT, SESSION, PAD, now=at(1), until=at(2 * HOUR))

        assert await values(scratch, moment=HOUR) == before

    @pytest.mark.parametrize("moment", [HOUR, HOUR + MS, 5 * HOUR])
    async def test_a_write_after_the_deadline_begins_anew(self, scratch: Scratch, moment: float) -> None:
        await write(scratch, item("codes", "1"), note("old", "1"))
        await write(scratch, item("codes", "2"), moment=moment)

        assert await read(scratch, moment=moment) == {"codes": [2]}

    async def test_a_write_just_before_the_deadline_goes_on(self, scratch: Scratch) -> None:
        await write(scratch, item("codes", "1"))
        await write(scratch, item("codes", "2"), moment=HOUR - MS)

        assert await read(scratch, moment=HOUR) == {"codes": [1, 2]}

    async def test_a_write_that_is_applied_late_counts_from_when_it_was_made(self, scratch: Scratch) -> None:
        await scratch.write(TENANT, SESSION, renewing(note("a", "1"), moment=0), now=at(60), limits=LIMITS)

        assert await lives(scratch, moment=HOUR - MS)
        assert not await lives(scratch, moment=HOUR)

    async def test_a_write_that_is_applied_after_its_own_deadline_leaves_nothing_that_lives(self, scratch: Scratch) -> None:
        """B006: a time that is over is no time, and not for ever."""
        await write(scratch, note("a", "1"))
        await scratch.write(TENANT, SESSION, renewing(note("b", "1"), moment=1), now=at(2 * HOUR), limits=LIMITS)
        await scratch.write(TENANT, SESSION, renewing(note("b", "1", "late"), moment=1), now=at(2 * HOUR), limits=LIMITS)

        assert list(await scratch.records(TENANT, now=at(2 * HOUR))) == []
        assert not await lives(scratch, moment=2 * HOUR)
        assert not await lives(scratch, "late", moment=2 * HOUR)

    async def test_a_record_may_be_written_without_a_value(self, scratch: Scratch) -> None:
        await scratch.write(TENANT, SESSION, (Renew(PAD, START, at(HOUR)),), now=START, limits=LIMITS)

        assert await lives(scratch, moment=HOUR - MS)
        assert await read(scratch) == {}
        assert not await lives(scratch, moment=HOUR)

    async def test_nothing_is_kept_without_a_deadline(self, scratch: Scratch) -> None:
        with pytest.raises(ValueError, match="without a Renew"):
            await scratch.write(TENANT, SESSION, (note("a", "1"),), now=START, limits=LIMITS)

        assert not await lives(scratch)

    async def test_a_deadline_may_be_far_away(self, scratch: Scratch) -> None:
        years = 3650 * 24 * HOUR
        await write(scratch, note("a", "1"), ttl=years)

        assert await lives(scratch, moment=years - MS)
        assert not await lives(scratch, moment=years)
