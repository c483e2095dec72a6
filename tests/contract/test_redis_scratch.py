"""Scratch in Valkey, one server and a cluster of three, keeps what the port promises; and what only a server can get wrong."""

import os
import subprocess
import sys
import traceback
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from redis.asyncio import Redis
from redis.crc import key_slot

import handgriff
from handgriff.core.state import LIMITS
from handgriff.errors import BackendError
from handgriff.ports.scratch import Scratch
from handgriff.stores.redis.keys import record_key
from handgriff.stores.redis.scratch import RedisScratch
from handgriff.testing.scratch import ScratchSuite
from handgriff.testing.scratch.notes import HOUR, PAD, SESSION, START, TENANT, at, item, note, read, renewing, write
from tests.servers.valkey import SLOTS, Server, valkey, valkey_cluster

SOURCE = Path(handgriff.__file__).parents[1]
KEY = record_key(TENANT, SESSION, PAD)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with valkey() as server:
        yield server


@pytest.fixture(scope="session")
def cluster() -> Iterator[tuple[Server, ...]]:
    with valkey_cluster() as servers:
        yield servers


def _emptied(*servers: Server) -> None:
    for server in servers:
        with server.client() as client:
            client.flushall()


async def _opened(url: str, *servers: Server) -> AsyncIterator[RedisScratch]:
    _emptied(*servers)
    scratch = RedisScratch.open(url)
    yield scratch
    await scratch.close()


@pytest.fixture
async def scratch(server: Server) -> AsyncIterator[RedisScratch]:
    async for scratch in _opened(server.url, server):
        yield scratch


def _cluster_url(servers: tuple[Server, ...]) -> str:
    return f"redis://{','.join(f'127.0.0.1:{server.port}' for server in servers[:2])}?cluster=true"


class TestValkeyScratch(ScratchSuite):
    @pytest.fixture
    async def scratch(self, server: Server) -> AsyncIterator[Scratch]:
        async for scratch in _opened(server.url, server):
            yield scratch


class TestValkeyClusterScratch(ScratchSuite):
    @pytest.fixture
    async def scratch(self, cluster: tuple[Server, ...]) -> AsyncIterator[Scratch]:
        async for scratch in _opened(_cluster_url(cluster), *cluster):
            yield scratch


def _times_to_live(server: Server) -> dict[str, int]:
    """Milliseconds, by key; -1 for a key that lives for ever."""
    with server.client() as client:
        return {key.decode(): client.pttl(key) for key in client.keys("*")}


@pytest.mark.anyio
async def test_every_key_has_the_record_s_deadline_from_its_first_moment(scratch: RedisScratch, server: Server) -> None:
    """B001: value and deadline are one command, so that neither a cancelled nor a failed write leaves a key that stays."""
    await write(scratch, note("cart", '{"items":[1]}'), note("b", "1", "other"), ttl=60)
    for _ in range(20):
        with anyio.CancelScope() as cancelled:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: write(scratch, item("codes", "1"), note("c", "1", "third"), ttl=60))
                await anyio.lowlevel.checkpoint()
                cancelled.cancel()

    left = _times_to_live(server)
    assert left.keys() - {record_key(TENANT, SESSION, "third")} == {KEY, record_key(TENANT, SESSION, "other")}
    assert all(0 < milliseconds <= 60_000 for milliseconds in left.values())


@pytest.mark.anyio
@pytest.mark.parametrize("now", [datetime(1970, 1, 2, tzinfo=UTC), datetime(2999, 1, 1, tzinfo=UTC)], ids=["long ago", "far away"])
async def test_a_time_to_live_counts_from_the_given_now(scratch: RedisScratch, server: Server, now: datetime) -> None:
    moment = (now - START).total_seconds()
    await write(scratch, note("a", "1"), moment=moment, ttl=60)
    (first,) = _times_to_live(server).values()
    await scratch.renew(TENANT, SESSION, PAD, now=now, until=now + timedelta(seconds=100))
    (second,) = _times_to_live(server).values()

    assert 0 < first <= 60_000 < second <= 100_000


@pytest.mark.anyio
@pytest.mark.parametrize("ttl", [0.4, 0.000001, 3650 * 24 * HOUR], ids=["part of a second", "a microsecond", "ten years"])
async def test_no_time_is_for_ever(scratch: RedisScratch, server: Server, ttl: float) -> None:
    """B006: neither is a part of a second cut to nothing, nor a long time to none."""
    await write(scratch, note("a", "1"), ttl=ttl)

    assert all(0 < milliseconds <= max(ttl * 1000, 1) for milliseconds in _times_to_live(server).values())


@pytest.mark.anyio
async def test_what_is_over_is_not_even_written(scratch: RedisScratch, server: Server) -> None:
    await write(scratch, note("a", "1"))
    await scratch.write(TENANT, SESSION, renewing(note("a", "1"), note("b", "1", "late"), moment=1), now=at(2 * HOUR), limits=LIMITS)

    assert _times_to_live(server) == {}


@pytest.mark.anyio
async def test_what_is_over_is_removed_when_it_is_read(scratch: RedisScratch, server: Server) -> None:
    await write(scratch, note("a", "1"))
    await scratch.record(TENANT, SESSION, PAD, now=at(HOUR))

    assert _times_to_live(server) == {}


@pytest.mark.anyio
async def test_a_record_that_was_renewed_after_it_was_looked_at_is_not_removed(scratch: RedisScratch, server: Server) -> None:
    """B007: the condition is looked at where the key is removed."""
    await write(scratch, note("a", "1"))
    with server.client() as client:
        old = client.get(KEY)
    assert isinstance(old, bytes)
    await scratch.renew(TENANT, SESSION, PAD, now=at(1), until=at(2 * HOUR))

    is_done, found = await scratch._replace(KEY, old, b"", 0)

    assert not is_done
    assert found.startswith(b'{"expires_at"')
    assert await read(scratch, moment=HOUR) == {"a": 1}


@pytest.mark.anyio
async def test_a_request_that_is_sent_again_is_not_applied_again(server: Server) -> None:
    """As the library does when an answer was lost."""

    class Insistent(Redis):
        async def eval(self, *args: Any, **kwargs: Any) -> Any:
            await super().eval(*args, **kwargs)
            return await super().eval(*args, **kwargs)

    _emptied(server)
    async with Insistent(port=server.port, decode_responses=True) as client:
        scratch = RedisScratch(client)
        for _ in range(3):
            await write(scratch, item("codes", "1"))

        assert await read(scratch) == {"codes": [1, 1, 1]}


@pytest.mark.anyio
async def test_a_client_that_was_handed_in_stays_open(server: Server) -> None:
    async with Redis(port=server.port) as client:
        scratch = RedisScratch(client)
        await scratch.close()

        assert await client.get("anything") is None
        with pytest.raises(BackendError, match="closed"):
            await write(scratch, note("a", "1"))


@pytest.mark.anyio
async def test_what_is_not_ours_is_said_and_left_alone(scratch: RedisScratch, server: Server) -> None:
    texts = ["", "no JSON", "[]", "{}", '{"expires_at":"2026-03-04T05:06:07","first_version":1,"values":{}}', '{"expires_at":1}']
    with server.client() as client:
        for text in texts[1:]:
            client.set(KEY, text)
            for reading in (
                lambda: scratch.record(TENANT, SESSION, PAD, now=START),
                lambda: scratch.records(TENANT, now=START),
                lambda: write(scratch, note("a", "1")),
                lambda: scratch.sweep(TENANT, now=at(HOUR), limit=1),
            ):
                with pytest.raises(BackendError, match=r"handgriff:scratch:\{acme:s1\}:pad"):
                    await reading()
            assert client.get(KEY) == text.encode()
        client.delete(KEY)
        client.lpush(KEY, "a list")
    with pytest.raises(BackendError, match="WRONGTYPE"):
        await read(scratch)


@pytest.mark.anyio
@pytest.mark.parametrize("options", ["", "?cluster=true"], ids=["one", "cluster"])
async def test_a_server_that_is_not_there_is_said_without_the_password(options: str) -> None:
    with valkey() as gone:
        port = gone.port
    scratch = RedisScratch.open(f"redis://ada:s3cr3t%40x@127.0.0.1:{port}{options}")

    with pytest.raises(BackendError, match="can't be reached") as raised:
        await write(scratch, note("a", "1"))

    await scratch.close()
    assert "s3cr3t" not in "".join(traceback.format_exception(raised.value)) + repr(scratch._client)
    assert raised.value.__cause__ is not None


@pytest.mark.anyio
async def test_a_password_is_used_and_a_wrong_one_is_said() -> None:
    with valkey("--requirepass", "s3cr@t/") as closed:
        right = RedisScratch.open(f"redis://:s3cr%40t%2F@127.0.0.1:{closed.port}")
        await write(right, note("a", "1"))
        assert await read(right) == {"a": 1}
        await right.close()

        for login in (":wr0ng@", "ada:wr0ng@", ""):
            wrong = RedisScratch.open(f"redis://{login}127.0.0.1:{closed.port}")
            with pytest.raises(BackendError, match="name or password") as raised:
                await read(wrong)
            assert "wr0ng" not in "".join(traceback.format_exception(raised.value))
            await wrong.close()


@pytest.mark.anyio
async def test_a_cluster_that_is_taken_for_a_server_is_said_and_the_reverse(server: Server, cluster: tuple[Server, ...]) -> None:
    elsewhere = next(f"s{number}" for number in range(100) if key_slot(record_key(TENANT, f"s{number}", PAD).encode()) > SLOTS // 2)
    lone = RedisScratch.open(cluster[0].url)
    with pytest.raises(BackendError, match="cluster=true"):
        await write(lone, note("a", "1"), session=elsewhere)
    await lone.close()

    many = RedisScratch.open(f"{server.url}?cluster=true")
    with pytest.raises(BackendError, match="cluster"):
        await write(many, note("a", "1"))
    await many.close()


@pytest.mark.anyio
async def test_the_records_of_a_session_live_on_one_node_and_sessions_on_all(cluster: tuple[Server, ...]) -> None:
    async for scratch in _opened(_cluster_url(cluster), *cluster):
        for number in range(30):
            await write(scratch, *(note("a", "1", f"pad{pad}") for pad in range(4)), session=f"s{number}")

    held = [{key.partition("}")[0] for key in _times_to_live(server)} for server in cluster]
    assert sum(map(len, held)) == len(set().union(*held)) == 30
    assert all(held)


@pytest.mark.anyio
async def test_a_hundred_and_more_calls_at_once_wait_for_each_other(scratch: RedisScratch) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(300):
            tasks.start_soon(lambda name: write(scratch, note("a", "1", name)), f"pad{number}")

    assert len(await scratch.records(TENANT, now=START)) == 300


def test_without_the_library_the_extra_is_named() -> None:
    program = "import sys; sys.modules['redis'] = None; import handgriff.stores.redis.scratch"
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=False
    )

    assert done.returncode
    assert "DefinitionError" in done.stderr
    assert "pip install 'handgriff[redis]'" in done.stderr
