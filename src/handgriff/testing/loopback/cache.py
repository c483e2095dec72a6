"""The prompt cache, simulated exactly: what a request reads from it, writes into it and pays in full.

Below is `prompt`; above, the responder reports the counts as usage. It is pure: the time is given, and a cache is a value.

The rules, as the Messages API documents them:

- Every mark writes one entry: the hash of everything up to and with its block. The model is the hash's root; tool choice, thinking and
  effort are hashed in before the first message, so that changing them keeps tools and system.
- A mark reads the nearest live entry at one of 20 positions, its own the first. A block is a position. (The API has lately begun to count
  a run of calls or of results as one; here each counts, so that what hits here hits there.)
- An entry lives 5 minutes or 1 hour and begins anew whenever it is read. One that lives keeps its lifetime, whatever mark finds it.
- Up to the longest entry read, tokens are *read*; from there to the last 1-hour mark *written for 1 hour*, to the last 5-minute mark
  *written for 5 minutes*; the rest is *fresh*. A mark on less than the minimum is ignored.
- A token is four bytes of a block, rounded up. That is no tokeniser's count, but it is exact, and the same everywhere.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from handgriff.testing.loopback.prompt import Prompt, Ttl

LOOK_BACK = 20
"""Positions a mark looks at for an entry, its own included."""

LIFETIME: Mapping[Ttl, float] = {"5m": 300.0, "1h": 3600.0}
"""Seconds an entry lives after it was last used."""

_BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """A prefix the cache holds."""

    ttl: Ttl
    expires: float


Cache: TypeAlias = Mapping[str, Entry]
"""Entries by the hash of their prefix."""


@dataclass(frozen=True, slots=True)
class InputUsage:
    """Where the input tokens of one request came from; the four parts add up to the whole prompt."""

    fresh: int
    read: int
    written_5m: int
    written_1h: int

    @property
    def total(self) -> int:
        """All tokens of the prompt."""
        return self.fresh + self.read + self.written_5m + self.written_1h


@dataclass(frozen=True, slots=True)
class _Mark:
    position: int
    ttl: Ttl


def count_tokens(text: str) -> int:
    """The tokens of *text*: its UTF-8 bytes by four, rounded up."""
    return -(-len(text.encode(errors="surrogatepass")) // _BYTES_PER_TOKEN)


def count_prompt(prompt: Prompt) -> int:
    """The tokens of all blocks of *prompt*."""
    return sum(count_tokens(block.text) for block in prompt.blocks)


def simulate(cache: Cache, prompt: Prompt, *, now: float, minimum: int = 0) -> tuple[InputUsage, Cache]:
    """What *prompt* reads and writes, and the cache after it. *minimum* is the shortest prefix, in tokens, that a mark can keep."""
    live = {key: entry for key, entry in cache.items() if now < entry.expires}
    keys = prefix_keys(prompt)
    totals = tuple(accumulate(count_tokens(block.text) for block in prompt.blocks))
    marks = tuple(
        _Mark(position, block.mark)
        for position, block in enumerate(prompt.blocks)
        if block.mark is not None and totals[position] >= minimum
    )
    hits = tuple(hit for mark in marks if (hit := _nearest(live, keys, mark.position)) is not None)
    read = max((totals[hit] for hit in hits), default=0)
    kept = {keys[hit]: _renewed(live[keys[hit]], now) for hit in hits}
    written = {keys[mark.position]: Entry(mark.ttl, now + LIFETIME[mark.ttl]) for mark in marks}
    return _split(marks, totals, read), {**live, **written, **kept}


def prefix_keys(prompt: Prompt) -> tuple[str, ...]:
    """For each block the hash of everything up to and with it."""
    running = hashlib.sha256(_part(prompt.model))
    keys, in_messages = [], False
    for block in prompt.blocks:
        if not in_messages and block.place not in {"tools", "system"}:
            in_messages = True
            running.update(_part(prompt.settings))
        running.update(_part(block.place) + _part(block.text))
        keys.append(running.hexdigest())
    return tuple(keys)


def _part(text: str) -> bytes:
    # Its length before each part: no two different prompts may run together into the same bytes.
    data = text.encode()
    return len(data).to_bytes(8, "big") + data


def _nearest(live: Cache, keys: tuple[str, ...], position: int) -> int | None:
    window = range(position, max(-1, position - LOOK_BACK), -1)
    return next((candidate for candidate in window if keys[candidate] in live), None)


def _renewed(entry: Entry, now: float) -> Entry:
    return Entry(entry.ttl, now + LIFETIME[entry.ttl])


def _split(marks: Iterable[_Mark], totals: tuple[int, ...], read: int) -> InputUsage:
    last_1h = max((totals[mark.position] for mark in marks if mark.ttl == "1h"), default=0)
    last_5m = max((totals[mark.position] for mark in marks if mark.ttl == "5m"), default=0)
    long_end = max(read, last_1h)
    short_end = max(long_end, last_5m)
    whole = totals[-1] if totals else 0
    return InputUsage(fresh=whole - short_end, read=read, written_5m=short_end - long_end, written_1h=long_end - read)
