"""What the provider says: answers made of blocks, where to wait, and how to fail.

Below is `journal`, whose requests a script may read; above, `anthropic` renders answers for the wire. Positions count events from zero, as
they are sent, pings and inserted events included: `after=3` means when three have been sent. Nothing here waits or sends.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeAlias

from handgriff.testing.loopback.journal import Request


@dataclass(frozen=True, slots=True)
class Text:
    """A text block, streamed *chunk* characters at a time."""

    text: str
    _: KW_ONLY
    chunk: int = 8


@dataclass(frozen=True, slots=True)
class Thinking:
    """A thinking block. Its signature is computed from the text, and whoever sends the block back must change neither."""

    text: str
    _: KW_ONLY
    chunk: int = 8


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call: *input*, or *raw* as the text of the arguments, which may be cut off, empty, or no JSON at all."""

    name: str
    input: Mapping[str, Any] | None = None
    _: KW_ONLY
    raw: str | None = None
    id: str | None = None
    """The call's id; None takes the next of the provider's own."""
    extra: Mapping[str, Any] | None = None
    """More members of the block, such as `caller`."""
    chunk: int = 8


@dataclass(frozen=True, slots=True)
class Raw:
    """A block of any kind, sent whole. It must come back with the same members in the same order."""

    block: Mapping[str, Any]


Block: TypeAlias = Text | Thinking | ToolUse | Raw


@dataclass(frozen=True, slots=True)
class ErrorEvent:
    """After so many events an `error` event, then the end of the stream. Unstreamed, a response with that error's status."""

    after: int
    type: str = "overloaded_error"
    message: str = "Overloaded"


@dataclass(frozen=True, slots=True)
class EarlyEnd:
    """After so many events the response ends as if all were well, without `message_stop`. Unstreamed, the connection drops."""

    after: int


@dataclass(frozen=True, slots=True)
class Drop:
    """After so many events the connection is closed in the middle of the response; `after=0` is before its status line.

    With *reset* the peer gets a TCP reset instead of an end, which clients report as another error.
    """

    after: int
    _: KW_ONLY
    reset: bool = False


Fault: TypeAlias = ErrorEvent | EarlyEnd | Drop


@dataclass(frozen=True, slots=True)
class Hold:
    """Wait for *until* before event *before* goes out: an event's `wait`, or any coroutine function."""

    before: int
    until: Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Insert:
    """An event of one's own, before event *before* of the plain answer: a kind no client knows, or a ping."""

    before: int
    event: str
    data: Mapping[str, Any]


def ping(before: int) -> Insert:
    """A ping before event *before* of the plain answer."""
    return Insert(before, "ping", {"type": "ping"})


@dataclass(frozen=True, slots=True)
class Answer:
    """A message: its blocks, and everything about it that is not as usual."""

    blocks: tuple[Block, ...] = ()
    _: KW_ONLY
    stop_reason: str | None = None
    """None: `tool_use` if there is a call, else `end_turn`."""
    start_usage: Mapping[str, Any] | None = None
    """Instead of the counted usage of `message_start`; empty leaves the field out."""
    end_usage: Mapping[str, Any] | None = None
    """Instead of the counted usage of `message_delta`; empty leaves the field out."""
    inserts: tuple[Insert, ...] = (ping(1),)
    """Events beside the answer's own; by default a ping before any content, as the real API may send one anywhere."""
    holds: tuple[Hold, ...] = ()
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class HttpError:
    """No message but an HTTP error."""

    status: int
    type: str | None = None
    """None: the type that goes with the status."""
    message: str = "The script says so."
    headers: Mapping[str, str] | None = None
    """More headers, such as `retry-after`."""


Reply: TypeAlias = Answer | HttpError
Entry: TypeAlias = Reply | Block | str | tuple[Block | str, ...]
"""What a script may hold: a reply, or just its blocks; a string is a text block."""
Script: TypeAlias = Sequence[object] | Callable[[Request], object]
"""Entries in order, or a function from a request to its entry. They are `Entry`s; a list of several kinds of them is a list of objects to a
type checker, so their kinds are checked when they are said."""


def as_reply(entry: object) -> Reply:
    """*entry*, an `Entry`, written out.

    Raises:
        TypeError: it is none.
    """
    if isinstance(entry, (Answer, HttpError)):
        return entry
    return Answer(tuple(_as_block(block) for block in (entry if isinstance(entry, (tuple, list)) else (entry,))))


def _as_block(block: object) -> Block:
    if isinstance(block, str):
        return Text(block)
    if isinstance(block, (Text, Thinking, ToolUse, Raw)):
        return block
    raise TypeError(f"{block!r} is no block of a script; give text, Text, Thinking, ToolUse or Raw")
