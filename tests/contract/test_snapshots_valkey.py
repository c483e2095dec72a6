"""The example of `docs/snapshots.md`, on a real Valkey, keeps what the port promises; and forgets by itself, but never early."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from redis.exceptions import ConnectionError as LostError

from examples.snapshots.valkey import FORGOTTEN, ValkeySnapshots
from handgriff.testing.snapshots import SnapshotSuite
from handgriff.testing.snapshots.records import KEY, LATER, record
from tests.servers.valkey import Server, valkey

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with valkey() as server:
        yield server


@pytest.fixture
async def snapshots(server: Server) -> AsyncIterator[ValkeySnapshots]:
    opened = ValkeySnapshots(server.url)
    await opened.client.flushall()
    yield opened
    await opened.client.aclose()


class TestValkeySnapshots(SnapshotSuite):
    @pytest.fixture
    def snapshots(self, snapshots: ValkeySnapshots) -> ValkeySnapshots:
        return snapshots


async def test_a_record_is_forgotten_two_days_after_its_time(snapshots: ValkeySnapshots, server: Server) -> None:
    await snapshots.compare_and_set(KEY, 0, record(expires_at=LATER))
    await snapshots.compare_and_set(replace(KEY, handle="h2"), 0, record())

    with server.client() as client:
        ends = {name: client.pexpiretime(name) for name in client.keys("*")}

    assert sorted(ends.values()) == [-1, round((LATER + FORGOTTEN).timestamp() * 1000)]
    assert timedelta(days=1) < FORGOTTEN


async def test_what_is_long_over_is_gone_and_begins_anew(snapshots: ValkeySnapshots) -> None:
    long_over = datetime(2020, 1, 1, tzinfo=UTC)
    assert await snapshots.compare_and_set(KEY, 0, record(expires_at=long_over))

    assert await snapshots.load(KEY) is None
    assert await snapshots.compare_and_set(KEY, 0, record())


async def test_a_record_that_expires_no_more_stays(snapshots: ValkeySnapshots, server: Server) -> None:
    await snapshots.compare_and_set(KEY, 0, record(expires_at=LATER))
    await snapshots.compare_and_set(KEY, 1, record(2))

    with server.client() as client:
        assert [client.pexpiretime(name) for name in client.keys("*")] == [-1]


async def test_what_cannot_be_reached_is_raised() -> None:
    with valkey() as gone:
        snapshots = ValkeySnapshots(gone.url)

    for attempt in (snapshots.load(KEY), snapshots.compare_and_set(KEY, 0, record()), snapshots.delete(KEY)):
        with pytest.raises(LostError):
            await attempt
    await snapshots.client.aclose()
