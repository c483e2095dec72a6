"""What is stored of a conversation: events, each with a body of one kind. History, screens and audits are made from these alone.

A body is a value; its seq is assigned by the store. Texts named `wire` are in the form of the pinned lane's provider and are sent back
byte for byte, so building a request is concatenation.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias, assert_never

from handgriff.core import jsontext
from handgriff.core.codec import pack, unpack
from handgriff.core.delta import Delta
from handgriff.errors import RefusalCode

TurnStatus: TypeAlias = Literal["done", "waiting", "limit", "budget", "failed", "aborted", "interrupted"]
ProposalState: TypeAlias = Literal["pending", "running", "done", "declined", "expired", "stale", "superseded", "failed", "indeterminate"]
ConfirmKind: TypeAlias = Literal["person", "code", "second_person"]
"""Who confirms: the owner, the owner with a code sent out of band, or another user of the tenant who may use the tool."""
Stop: TypeAlias = Literal["end", "tools", "length", "pause", "refused", "context_full", "other"]
"""Why a model's message ended: answered, wants tools, output limit, provider pause, model declined, context window full."""


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A change as people see it."""

    label: str
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """The public part of an outcome; never the data."""

    summary: str
    link: str | None = None
    link_label: str | None = None
    diff: tuple[ShownChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Moved:
    """A workflow instance that a call has moved, or begun: then it was nowhere before."""

    machine: str
    handle: str
    before: str | None
    """The state as people read it."""
    after: str
    snapshot: str | None = None
    """JSON text of the snapshot, where the instance is the session's own: a copy of the session begins there."""
    hash: str | None = None
    """Of the machine that the snapshot belongs to."""


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """One call as a model asked for it. `id` is ours, `wire_id` the provider's; `arguments` is the text as it came."""

    id: str
    wire_id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ParkedCall:
    """A proposal that waits for a person, as a client must show it."""

    proposal: str
    call: str
    tool: str
    summary: str
    expires_at: datetime
    diff: tuple[ShownChange, ...] = ()
    confirm: ConfirmKind = "person"
    count: int | None = None
    sample: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text of a user's message. Images and files by reference join this union later."""

    text: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class SessionCreated:
    """A session begins."""

    user: str


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the user said. `wire` also holds what went with it: notes of ours and untrusted hints."""

    parts: tuple[TextPart, ...]
    wire: tuple[str, ...]
    told: tuple[tuple[str, str], ...] = ()
    """State the context was made of that had changed since it was last told, by key; an empty text for a key that is gone."""
    steered: tuple[tuple[str, str], ...] = ()
    """States of workflows that the model was not told yet, by machine."""

    @property
    def text(self) -> str:
        """What was typed."""
        return "\n".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """A model's message whose stream ended properly. `request` is the ledger row; its id names the message in every face."""

    request: str
    text: str
    stop: Stop
    wire: tuple[str, ...] = ()
    calls: tuple[RequestedCall, ...] = ()


@dataclass(frozen=True, slots=True)
class PartialMessage:
    """What a failed or stopped stream had sent: shown to people, sent to the model as text with a closing note."""

    request: str
    text: str
    wire: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How one call ended. Every attempt has one: who decided (`step`), what people see, what the model reads (`wire`).

    `code` is None for success. `parent` is the call that made this one; such an outcome has no wire. `late` marks an outcome that came
    after another had already been told to the model.
    """

    call: str
    tool: str
    step: str
    shown: Shown
    digest: str
    code: RefusalCode | None = None
    wire: str = ""
    next: str | None = None
    incident: str | None = None
    proposal: str | None = None
    parent: str | None = None
    replayed: bool = False
    late: bool = False
    delta_dropped: str | None = None
    duration_us: int = 0
    user: str | None = None
    """Who called, where it was not the session's owner."""
    moved: Moved | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """A proposal was decided. `by` is the deciding user, None for the system."""

    proposal: str
    call: str
    state: ProposalState
    by: str | None = None


@dataclass(frozen=True, slots=True)
class OperatorChange:
    """An operator changed something from outside: an effect resolved, a state value set."""

    what: str
    by: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The terminal event: exactly one a turn, nothing of that turn after it. Costs are pico-dollars; None is unpriced."""

    status: TurnStatus
    code: str | None = None
    message: str | None = None
    parked: tuple[ParkedCall, ...] = ()
    model_requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_pico: int | None = None
    unpriced: int = 0
    """Requests of this turn that have no price; the cost does not hold them."""


Body: TypeAlias = SessionCreated | UserMessage | AssistantMessage | PartialMessage | CallOutcome | Decision | OperatorChange | TurnEnded

KINDS: dict[str, type[Body]] = {
    "session_created": SessionCreated,
    "user_message": UserMessage,
    "assistant_message": AssistantMessage,
    "partial_message": PartialMessage,
    "call_outcome": CallOutcome,
    "decision": Decision,
    "operator_change": OperatorChange,
    "turn_ended": TurnEnded,
}
_NAMES = {kind: name for name, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Event:
    """A stored event. `seq` counts from 1 in its session and orders it; `at` is information only."""

    seq: int
    id: str
    turn: str | None
    at: datetime
    body: Body
    delta: Delta = ()
    """How state changed with it."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A frame: more text of the message `request`."""

    request: str
    text: str


@dataclass(frozen=True, slots=True)
class Progress:
    """A frame: how far a running call is."""

    call: str
    done: int
    total: int | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Retrying:
    """A frame: the provider refused for now, and the same request is sent again."""

    request: str
    attempt: int
    seconds: float


FrameBody: TypeAlias = TextDelta | Progress | Retrying


@dataclass(frozen=True, slots=True)
class Frame:
    """Sent and not stored: numbered behind the last seq by `offset`, from 1."""

    seq: int
    offset: int
    turn: str
    body: FrameBody


Item: TypeAlias = Event | Frame
"""What a turn yields: events are stored before they are sent, frames are only sent."""


@dataclass(frozen=True, slots=True)
class Written:
    """An event on its way to the store: everything but its seq."""

    id: str
    turn: str | None
    at: datetime
    body: Body = field(compare=True)


def encode(body: Body) -> tuple[str, str]:
    """The kind and the JSON text a store keeps."""
    return _NAMES[type(body)], jsontext.dumps(pack(body))


def decode(kind: str, text: str) -> Body:
    """The body a store kept.

    Raises:
        ValueError: it was not written by `encode`, or by a newer version.
    """
    if kind not in KINDS:
        raise ValueError(f"unknown event kind {kind!r}")
    return unpack(KINDS[kind], jsontext.loads(text))


def position(item: Item) -> tuple[int, int]:
    """Where an item stands in its session: (seq, offset)."""
    match item:
        case Event():
            return item.seq, 0
        case Frame():
            return item.seq, item.offset
        case _:
            assert_never(item)
