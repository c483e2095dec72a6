"""What every snapshot store must do with one record: begin it, replace the version that was read and no other, remove it, begin anew."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from dataclasses import fields
from datetime import UTC, datetime, timedelta, timezone

import pytest

from handgriff.ports.snapshots import Kept, SnapshotKey, SnapshotStore
from handgriff.testing.snapshots.records import KEY, LATER, record


class StoreSuite:
    """Versions, times and ends."""

    async def test_what_was_never_stored_is_none(self, snapshots: SnapshotStore) -> None:
        assert await snapshots.load(KEY) is None

    async def test_a_record_begins_at_version_nought(self, snapshots: SnapshotStore) -> None:
        assert await snapshots.compare_and_set(KEY, 0, record()) is True

        assert await snapshots.load(KEY) == record()

    async def test_nothing_begins_where_a_record_is(self, snapshots: SnapshotStore) -> None:
        await snapshots.compare_and_set(KEY, 0, record())

        for again in (record(1, "other"), record()):
            assert await snapshots.compare_and_set(KEY, 0, again) is False

        assert await snapshots.load(KEY) == record()

    @pytest.mark.parametrize("version", [0, 1, 2, 4, 10, 30])
    async def test_another_version_than_the_stored_one_is_refused(self, snapshots: SnapshotStore, version: int) -> None:
        for stored in range(3):
            await snapshots.compare_and_set(KEY, stored, record(stored + 1))

        assert await snapshots.compare_and_set(KEY, version, record(version + 1, "other")) is False

        assert await snapshots.load(KEY) == record(3)

    @pytest.mark.parametrize("version", [1, 7])
    async def test_a_version_of_what_is_not_there_is_refused(self, snapshots: SnapshotStore, version: int) -> None:
        assert await snapshots.compare_and_set(KEY, version, record(version + 1)) is False

        assert await snapshots.load(KEY) is None

    async def test_the_stored_version_is_replaced_as_often_as_it_is_named(self, snapshots: SnapshotStore) -> None:
        for version in range(12):  # past 9, where texts no longer sort as numbers do
            assert await snapshots.compare_and_set(KEY, version, record(version + 1, f"step {version}"))
            assert await snapshots.load(KEY) == record(version + 1, f"step {version}")
            assert await snapshots.compare_and_set(KEY, version, record(version + 1, "late")) is False

        assert await snapshots.load(KEY) == record(12, "step 11")

    async def test_a_time_is_kept_to_the_microsecond_whatever_its_zone(self, snapshots: SnapshotStore) -> None:
        times = (
            LATER,
            LATER - timedelta(microseconds=1),
            datetime(2700, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=45))),
            None,
            LATER,
        )
        for version, expires_at in enumerate(times):
            await snapshots.compare_and_set(KEY, version, record(version + 1, expires_at=expires_at))

            found = await snapshots.load(KEY)
            assert found is not None
            assert found.expires_at == expires_at
            assert found.expires_at is None or found.expires_at.tzinfo is not None

    async def test_a_record_outlives_its_time_by_a_day(self, snapshots: SnapshotStore) -> None:
        """What a crash leaves on it is finished after its time as well. The hour is for clocks that differ."""
        # A store that forgets goes by the time that it is, so no still clock will do.
        over = datetime.now(UTC) - timedelta(hours=23)
        assert await snapshots.compare_and_set(KEY, 0, record(expires_at=over))
        assert await snapshots.load(KEY) == record(expires_at=over)

        assert await snapshots.compare_and_set(KEY, 1, record(2, "settled", over))
        assert await snapshots.load(KEY) == record(2, "settled", over)

    async def test_a_removed_record_is_gone_and_begins_anew(self, snapshots: SnapshotStore) -> None:
        for version in range(3):
            await snapshots.compare_and_set(KEY, version, record(version + 1, "old", LATER))

        await snapshots.delete(KEY)

        assert await snapshots.load(KEY) is None
        assert await snapshots.compare_and_set(KEY, 3, record(4)) is False
        assert await snapshots.compare_and_set(KEY, 0, record()) is True
        assert await snapshots.load(KEY) == record()

    async def test_removing_what_is_not_there_is_nothing(self, snapshots: SnapshotStore) -> None:
        await snapshots.delete(KEY)
        await snapshots.compare_and_set(KEY, 0, record())
        await snapshots.delete(KEY)
        await snapshots.delete(KEY)

        assert await snapshots.load(KEY) is None

    async def test_nothing_stored_is_shared_with_whoever_stored_or_loaded_it(self, snapshots: SnapshotStore) -> None:
        key, given = SnapshotKey(KEY.tenant, KEY.machine, KEY.handle), record(expires_at=LATER)
        await snapshots.compare_and_set(key, 0, given)
        _spoil(given)
        _spoil(key)

        found = await snapshots.load(KEY)
        assert found == record(expires_at=LATER)
        _spoil(found)

        assert await snapshots.load(KEY) == record(expires_at=LATER)
        assert await snapshots.load(SnapshotKey("spoilt", "spoilt", "spoilt")) is None
        assert await snapshots.compare_and_set(KEY, 1, record(2)) is True


def _spoil(value: Kept | SnapshotKey | None) -> None:
    # Frozen is a promise of the class, not of memory.
    for field in fields(value or KEY):
        object.__setattr__(value, field.name, "spoilt")
