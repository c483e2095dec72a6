"""The scripted model as an adapter: it streams what `answer` decided, word by word, and counts what it would have cost.

Below are the pure modules of this package; above, the host uses it where there is no key. It opens nothing and reads no clock; how it waits
between words is handed in.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

import anyio
from anyio.lowlevel import checkpoint

from handgriff.core import jsontext
from handgriff.core.estimate import estimate_tokens
from handgriff.core.lane import Lane
from handgriff.core.message import Answer, AskedCall
from handgriff.core.usage import Usage, latest
from handgriff.models.scripted.answer import Reply, answer
from handgriff.models.scripted.script import Step
from handgriff.models.scripted.wire import Heard, ScriptedWire, hear
from handgriff.ports.model import Ended, ModelEvent, Started, Text, Wire, Working

_WORDS: Final = re.compile(r"\s*\S+\s*")


class ScriptedModel:
    """A model that follows `script`, and then whatever is typed as `/tool key=value …`.

    `pace` is the seconds between two words, waited by `sleep`; 0 only gives way to other tasks.
    """

    provider: str = "scripted"

    def __init__(
        self, script: Sequence[Step] | None = None, *, pace: float = 0.0, sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    ) -> None:
        self._form = ScriptedWire()
        self.wire: Wire = self._form
        self._script = tuple(script or ())
        self._pace = pace
        self._sleep = sleep

    @asynccontextmanager
    async def stream(self, lane: Lane, request: bytes) -> AsyncIterator[AsyncIterator[ModelEvent]]:
        """Answer *request*; it never fails."""
        events = self._events(lane, request)
        try:
            yield events
        finally:
            await events.aclose()

    async def close(self) -> None:
        """Nothing was opened."""

    async def _events(self, lane: Lane, request: bytes) -> AsyncGenerator[ModelEvent, None]:
        heard = hear(request)
        reply = answer(heard, self._script)
        done = self._answered(reply, heard)
        opening = _input(request)
        yield Started(lane.name, opening)
        for word in _WORDS.findall(reply.text):
            await self._wait()
            yield Text(word)
        for _ in done.calls:
            await self._wait()
            yield Working(is_content=True)
        await checkpoint()
        yield Ended(done, latest(opening, Usage.of(output=estimate_tokens("".join(done.blocks)), reasoning=0)))

    async def _wait(self) -> None:
        if self._pace > 0:
            await self._sleep(self._pace)
        else:
            await checkpoint()

    def _answered(self, reply: Reply, heard: Heard) -> Answer:
        calls = tuple(
            AskedCall(f"call_{heard.answered + 1}_{number}", use.tool, jsontext.dumps(dict(use.arguments)))
            for number, use in enumerate(reply.calls, start=1)
        )
        text = reply.text if reply.text.strip() else ""
        spoken = (self._form.text(text),) if text else ()
        asked = tuple(self._form.call(call.wire_id, call.tool, call.arguments) for call in calls)
        return Answer((*spoken, *asked), text, calls, "tools" if calls else "end")


def _input(request: bytes) -> Usage:
    return Usage.of(input=estimate_tokens(request.decode()), cache_read=0, cache_write_5m=0, cache_write_1h=0)
