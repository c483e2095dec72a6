"""The model port: a provider's wire form (pure) and its stream. What comes back is lossless; errors are classed here, retried above."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from handgriff.core.lane import Lane
from handgriff.core.message import Answer, HostedFace, Message, ToolFace
from handgriff.core.schema.dialects import Shown
from handgriff.core.schema.form import Schema
from handgriff.core.usage import Usage


@dataclass(frozen=True, slots=True)
class Started:
    """The provider took the request: its model, and what it already reports of the input."""

    model: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Text:
    """More text of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Working:
    """A sign of life or of content that is not shown: thinking, arguments. `is_content` is False for a mere ping."""

    is_content: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """The stream ended properly. `usage` holds the last totals."""

    answer: Answer
    usage: Usage
    miss_reason: str | None = None


ModelEvent: TypeAlias = Started | Text | Working | Ended
FaultKind: TypeAlias = Literal["overloaded", "rate_limited", "unavailable", "broken_stream", "rejected", "unauthorised", "unpriced"]


class ModelFault(Exception):  # a provider's fault, classed; the driver decides what becomes of the turn
    """A request failed. `is_retryable` says that sending it again may help, while no content had come.

    `usage` is what was reported before; `detail` is for the log only, never for people or the model.
    """

    kind: FaultKind
    is_retryable: bool
    retry_after: float | None
    usage: Usage
    detail: str

    def __init__(
        self, kind: FaultKind, *, is_retryable: bool, detail: str, retry_after: float | None = None, usage: Usage | None = None
    ) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.is_retryable = is_retryable
        self.retry_after = retry_after
        self.usage = Usage() if usage is None else usage
        self.detail = detail


class Wire(Protocol):
    """A provider's JSON, made by pure functions. Blocks and prefix are kept as texts and never made anew."""

    def dialect(self, schema: Schema) -> Shown:
        """A tool's schema in this provider's words.

        Raises:
            DefinitionError: it can't be shown there.
        """
        ...

    def prefix(self, *, tools: Sequence[ToolFace], hosted: Sequence[HostedFace], instructions: str) -> str:
        """What is stable and shared, as the text that opens every request, up to and with the mark "shared, long".

        Raises:
            DefinitionError: a hosted tool this provider does not have, or a tool it can't express.
        """
        ...

    def text(self, text: str) -> str:
        """A text block. Blank text is refused by providers, so it must not be given."""
        ...

    def result(self, wire_id: str, text: str, *, is_error: bool) -> str:
        """The block that answers a call."""
        ...

    def request(self, *, lane: Lane, prefix: str, context: str, messages: Sequence[Message], parallel: bool, final: bool) -> bytes:
        """A whole request: the kept prefix, the session's context behind the mark, the history, and the marks "conversation, short".

        `final` asks for an answer without calls (`tool_choice: none`).
        """
        ...


class Model(Protocol):
    """One provider's model family behind a lane."""

    provider: str
    wire: Wire

    def stream(self, lane: Lane, request: bytes) -> AbstractAsyncContextManager[AsyncIterator[ModelEvent]]:
        """Send *request* once and iterate over what comes. The last event is `Ended`; leaving early closes the upstream stream.

        Raises (while entering or iterating):
            ModelFault: the request or its stream failed, also a stream that ends without its proper end.
        """
        ...

    async def close(self) -> None:
        """Close what the adapter opened itself."""
        ...
