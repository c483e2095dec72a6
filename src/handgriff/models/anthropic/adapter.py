"""Anthropic's SDK as transport: our bytes go out as they are, its server-sent events come back raw.

Below are the pure modules of this package and the SDK, which is imported here alone because it costs seconds; above, the host makes an
`AnthropicModel` when a lane needs one. It retries nothing, so that every attempt is one ledger row.
"""

import json
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import anyio

from handgriff.core.lane import Lane
from handgriff.errors import DefinitionError
from handgriff.models.anthropic import faults
from handgriff.models.anthropic.assemble import Assembler
from handgriff.models.anthropic.sse import EventReader
from handgriff.models.anthropic.wire import AnthropicWire
from handgriff.ports.model import ModelEvent, Wire

try:
    import anthropic
    import httpx2
except ImportError as missing:
    raise DefinitionError(
        "anthropic", "import", "the provider's SDK is not installed.", mend="install the extra: pip install 'handgriff[anthropic]'."
    ) from missing

KEY: Final = "ANTHROPIC_API_KEY"

_PATH: Final = "/v1/messages"
_CONNECT_SECONDS: Final = 5.0
_FAREWELL_SECONDS: Final = 1.0
"""How long a stream's end is waited for when its last event has come."""
_CLOSE_SECONDS: Final = 5.0

# The SDK's own way of saying that the body is to be left unread.
_UNREAD: Final = {"X-Stainless-Raw-Response": "stream"}


class AnthropicModel:
    """Claude models over Anthropic Messages.

    The key comes from `api_key` or ANTHROPIC_API_KEY, the address from `base_url` or ANTHROPIC_BASE_URL. `silence` is how many seconds
    without a byte end a request; pings count as bytes.

    Raises:
        DefinitionError: there is no key.
    """

    provider: str = "anthropic"

    def __init__(self, *, api_key: str | None = None, base_url: str | None = None, silence: float = 60.0) -> None:
        key = api_key or os.environ.get(KEY)
        if not key:
            raise DefinitionError("AnthropicModel", "api_key", "there is no key.", mend=f"set {KEY}, or give api_key.")
        self.wire: Wire = AnthropicWire()
        self._client = anthropic.AsyncAnthropic(
            api_key=key,
            base_url=base_url,
            max_retries=0,
            timeout=anthropic.Timeout(silence, connect=_CONNECT_SECONDS),
            open_telemetry=False,
        )

    @asynccontextmanager
    async def stream(self, lane: Lane, request: bytes) -> AsyncIterator[AsyncIterator[ModelEvent]]:  # noqa: ARG002  # *request* names the model
        """Send *request* as it is, once.

        Raises:
            ModelFault: it was refused, or its stream broke; also while iterating.
        """
        response = await self._send(request)
        chunks = response.aiter_bytes()
        assembler = Assembler()
        events = _events(chunks, assembler)
        try:
            yield events
        finally:
            with anyio.move_on_after(_CLOSE_SECONDS, shield=True):
                await events.aclose()
                if assembler.has_ended:
                    await _read_out(chunks)
                await chunks.aclose()
                await response.aclose()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _send(self, request: bytes) -> httpx2.Response:
        try:
            return await self._client.post(_PATH, cast_to=httpx2.Response, content=request, options={"headers": _UNREAD})
        except anthropic.APIStatusError as error:
            raise faults.refused(error.status_code, error.body, error.response.headers) from error
        except (anthropic.APIConnectionError, httpx2.HTTPError) as error:
            raise faults.unreachable(repr(error.__cause__ or error)) from error


async def _events(chunks: AsyncIterator[bytes], assembler: Assembler) -> AsyncGenerator[ModelEvent, None]:
    reader = EventReader()
    try:
        async for chunk in chunks:
            for data in reader.feed(chunk):
                yield assembler.feed(_parsed(data, assembler))
                if assembler.has_ended:
                    return
    except httpx2.HTTPError as error:
        raise assembler.broken(repr(error)) from error
    raise assembler.broken("the stream ended without message_stop")


def _parsed(data: bytes, assembler: Assembler) -> Any:  # the assembler says what it can't read
    try:
        return json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise assembler.broken(f"an event that is no JSON: {error}") from error


async def _read_out(chunks: AsyncIterator[bytes]) -> None:
    """Read what stands behind the last event, normally nothing, so that the connection can be used again."""
    with anyio.move_on_after(_FAREWELL_SECONDS), suppress(httpx2.HTTPError):
        async for _ in chunks:
            pass
