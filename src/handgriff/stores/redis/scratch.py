"""Scratch in Redis or Valkey, one server or a cluster: one key a record, replaced as a whole where it is still what was read.

Below are the pure modules of this package and the library, which is imported only with this module because it costs half a second.
A server that fails over may forget what it has acknowledged last; what must not be lost belongs into the store.
"""

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

import anyio

from handgriff.core.cells import BoundReached, Part, parts
from handgriff.core.delta import ChangeRefused, Delta, in_scopes
from handgriff.core.rows import Record
from handgriff.core.scratch import Kept, renewed, written
from handgriff.core.state import StateLimits
from handgriff.errors import BackendError, DefinitionError
from handgriff.ports.store import CommitRefused
from handgriff.stores.redis.address import read_address
from handgriff.stores.redis.keys import parts_of, pattern, record_key
from handgriff.stores.redis.text import Damaged, decode_record, encode_record

try:
    from handgriff.stores.redis.client import Client, client_of
    from handgriff.stores.redis.faults import damaged, translated
except ImportError as missing:
    raise DefinitionError(
        "redis", "import", "the library is not installed.", mend="install the extra: pip install 'handgriff[redis]'."
    ) from missing

_REPLACE: Final = Path(__file__).with_name("replace.lua").read_text("utf-8")
_STEP: Final = 200
"""Keys looked at in one request, so that none keeps the server for long."""
_AT_ONCE: Final = 64
"""Requests; the library refuses those past its hundred connections."""
_MILLISECOND: Final = timedelta(milliseconds=1)
_NOTHING: Final = b""


class RedisScratch:
    """Keeps records in *client*, which stays open. What its methods promise is said by the scratch port.

    `open` makes a client of its own from an address and closes it.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._is_own = False
        self._is_closed = False
        self._requests = anyio.CapacityLimiter(_AT_ONCE)

    @classmethod
    def open(cls, address: str) -> "RedisScratch":
        """Scratch at *address*: `redis://`, `rediss://`, or `redis://host1:port,host2:port?cluster=true`. It connects at the first use.

        Raises:
            DefinitionError: it is no address.
        """
        scratch = cls(client_of(read_address(address)))
        scratch._is_own = True
        return scratch

    async def record(self, tenant: str, session: str, namespace: str, *, now: datetime) -> Record | None:
        """The record of this namespace; one that is over is removed."""
        async with self._asking("read"):
            key = record_key(tenant, session, namespace)
            text = _bytes(await self._client.get(key))
            kept = _decoded("read", key, text)
            if kept is not None and kept.is_over(now):
                await self._replace(key, text, _NOTHING, 0)
                return None
            return Record(tenant, session, namespace, kept.expires_at, kept.values) if kept else None

    async def records(self, tenant: str, *, session: str | None = None, now: datetime) -> Sequence[Record]:
        """The records of a tenant, or of one session, by session and namespace."""
        found: dict[str, Record] = {}
        async with self._asking("read"):
            async for keys in self._steps(tenant, session):
                for key, text in zip(keys, await self._get(keys), strict=True):
                    kept = _decoded("read", key, text)
                    if kept is not None and not kept.is_over(now):
                        found[key] = Record(*parts_of(key), kept.expires_at, kept.values)
        return tuple(sorted(found.values(), key=lambda record: (record.session, record.namespace)))

    async def write(self, tenant: str, session: str, delta: Delta, *, now: datetime, limits: StateLimits) -> None:
        """Apply the scratch operations of *delta*, one record after another."""
        for part in parts(in_scopes(delta, scratch=True)):
            async with self._asking("write"):
                await self._update(record_key(tenant, session, part.namespace), now, partial(_written, part=part, limits=limits))

    async def renew(self, tenant: str, session: str, namespace: str, *, now: datetime, until: datetime) -> None:
        """Prolong a record that lives."""
        async with self._asking("renew"):
            await self._update(record_key(tenant, session, namespace), now, lambda kept: kept and renewed(kept, now=now, until=until))

    async def sweep(self, tenant: str, *, now: datetime, limit: int) -> int:
        """Remove records that are over and that the server has not removed by its own clock, and say how many."""
        removed = 0
        async with self._asking("sweep"), aclosing(self._steps(tenant, None)) as steps:
            async for keys in steps:
                for key, text in zip(keys, await self._get(keys), strict=True):
                    if removed == limit:
                        return removed
                    kept = _decoded("sweep", key, text)
                    if kept is not None and kept.is_over(now):
                        removed += (await self._replace(key, text, _NOTHING, 0))[0]
        return removed

    async def forget(self, tenant: str, session: str | None = None) -> None:
        """Remove the records of a session or a tenant."""
        async with self._asking("forget"):
            async for keys in self._steps(tenant, session):
                pipeline = self._client.pipeline(transaction=False)
                for key in keys:
                    pipeline.execute_command("UNLINK", key)
                await pipeline.execute()

    async def close(self) -> None:
        """Close a client of its own."""
        self._is_closed = True
        if self._is_own:
            await self._client.aclose()

    @asynccontextmanager
    async def _asking(self, operation: str) -> AsyncIterator[None]:
        if self._is_closed:
            cause = RuntimeError("the scratch is closed")
            raise BackendError("redis", operation, hint="The scratch is closed.") from cause
        with translated(operation):
            async with self._requests:
                # Before it knows the cluster, the library would ask any node.
                await self._client.initialize()
                yield

    async def _update(self, key: str, now: datetime, change: Callable[[Kept | None], Kept | None]) -> None:
        text = _bytes(await self._client.get(key))
        while True:
            before = _decoded("write", key, text)
            after = change(before)
            if after is before:
                return
            # No key without a time to live: what is over by now is not written at all.
            new = _NOTHING if after is None or after.is_over(now) else encode_record(after, secrets.token_hex(8))
            is_done, found = await self._replace(key, text, new, _milliseconds(after, now))
            # An answer can be lost, and the request sent again by the library: then it is found to have been done.
            if is_done or found == new != _NOTHING:
                return
            text = found

    async def _get(self, keys: Sequence[str]) -> list[bytes]:
        pipeline = self._client.pipeline(transaction=False)
        for key in keys:
            pipeline.get(key)
        return [_bytes(text) for text in await pipeline.execute()]

    async def _replace(self, key: str, text: bytes, new: bytes, milliseconds: int) -> tuple[bool, bytes]:
        is_done, found = await self._client.eval(_REPLACE, 1, key, text, new, milliseconds)
        return bool(is_done), _bytes(found)

    async def _steps(self, tenant: str, session: str | None) -> AsyncGenerator[list[str], None]:
        """The keys in steps; some may come twice, as a scan has it."""
        keys: list[str] = []
        async for key in self._client.scan_iter(match=pattern(tenant, session), count=_STEP):
            keys.append(_bytes(key).decode())
            if len(keys) == _STEP:
                yield keys
                keys = []
        if keys:
            yield keys


def _written(kept: Kept | None, part: Part, limits: StateLimits) -> Kept | None:
    try:
        return written(kept, part, limits)
    except ChangeRefused as refused:
        raise CommitRefused("state", refused.key) from refused
    except BoundReached as reached:
        raise CommitRefused("limit", reached.subject) from reached


def _decoded(operation: str, key: str, text: bytes) -> Kept | None:
    if not text:
        return None
    try:
        return decode_record(text)
    except Damaged as cause:
        raise damaged(operation, key, cause) from cause


def _bytes(answer: bytes | str | None) -> bytes:
    # A client that was handed in may be one that decodes.
    return answer.encode() if isinstance(answer, str) else answer or _NOTHING


def _milliseconds(kept: Kept | None, now: datetime) -> int:
    # Rounded up: never none.
    return -((now - kept.expires_at) // _MILLISECOND) if kept else 0
