"""Workflow instances in Valkey or Redis: a hash for each, replaced by a script where its version is still the one that was read."""

import json
from datetime import datetime, timedelta

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from handgriff.ports.snapshots import Kept, SnapshotKey

SET = """
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'text', ARGV[3], 'expires_at', ARGV[4])
if ARGV[5] ~= '' then redis.call('PEXPIREAT', KEYS[1], ARGV[5]) end
return 1
"""
FORGOTTEN = timedelta(days=2)  # a day after its time or more, and another one for clocks that differ


class ValkeySnapshots:
    """Records on the server at *url*. A request is not repeated: a set whose answer was lost would be told that it came too late."""

    def __init__(self, url: str) -> None:
        self.client: Redis = Redis.from_url(url, decode_responses=True, socket_timeout=5, retry=Retry(NoBackoff(), 0))

    async def load(self, key: SnapshotKey) -> Kept | None:
        """The record as it was set last."""
        found = await self.client.hgetall(_name(key))
        if not found:
            return None
        text, version, time = (str(found[name]) for name in ("text", "version", "expires_at"))
        return Kept(text, int(version), datetime.fromisoformat(time) if time else None)

    async def compare_and_set(self, key: SnapshotKey, version: int, record: Kept) -> bool:
        """Set *record* where the stored version is *version*."""
        time = record.expires_at
        until = ("", "") if time is None else (time.isoformat(), round((time + FORGOTTEN).timestamp() * 1000))
        return bool(await self.client.eval(SET, 1, _name(key), version, record.version, record.text, *until))

    async def delete(self, key: SnapshotKey) -> None:
        """Remove the record."""
        await self.client.delete(_name(key))


def _name(key: SnapshotKey) -> str:
    return "snapshot:" + json.dumps([key.tenant, key.machine, key.handle])
