"""What arrives at the boundary, and what leaves it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from handgriff.core.batch import Batch
from handgriff.core.caller import Caller
from handgriff.core.events import CallOutcome, FrameBody, Written
from handgriff.core.outcome import Outcome
from handgriff.core.rows import Proposal
from handgriff.core.skips import NOT_RUN
from handgriff.errors import Refusal

Step: TypeAlias = Literal["resolve", "form", "authority", "gate", "meaning", "consent", "effect"]
STEPS: tuple[Step, ...] = ("resolve", "form", "authority", "gate", "meaning", "consent", "effect")


def say_nothing(_: FrameBody) -> None:
    """Where nobody listens."""


def no_wire(_: Outcome) -> str:
    """Where no model reads."""
    return ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call happens: whose session, which turn, how its outcome is written for the model, who is told of its progress.

    `can_park` is False on a face that cannot ask a person now, `is_typed_in` where no user writes messages. `temp` is the turn's own
    memory. `guard` must hold where something begins that changes the world: a turn whose session was taken over may still settle what it
    has begun, and begins nothing more.
    """

    tenant: str
    user: str
    session: str
    turn: str | None = None
    wire: Callable[[Outcome], str] = no_wire
    say: Callable[[FrameBody], None] = say_nothing
    temp: dict[str, str] = field(default_factory=dict)
    can_park: bool = True
    is_typed_in: bool = True
    guard: Batch = ()


def overtaken() -> Refusal:
    """The answer where a place's guard does not hold any more."""
    return Refusal(NOT_RUN.code, NOT_RUN.message)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One use of a tool, as it came: nothing of it is trusted but `grant` and `place`, which the server made."""

    id: str
    tool: str
    arguments: str | Mapping[str, Any]
    grant: Caller
    place: Place
    wire_id: str = ""
    is_typed: bool = False
    """Its arguments count as typed by the user."""
    parent: str | None = None
    parent_writes: bool = False
    confirmed: Proposal | None = None
    decided_by: str | None = None
    """Who confirmed it: the owner, or a second person."""
    second: Caller | None = None
    """The second person, with what their own request grants."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The call has its outcome. `ops` is what still has to be committed, the event among it; it is empty where that has been done.

    `event` is the outcome's event; its seq is `seq` once stored.
    """

    outcome: Outcome
    event: Written
    body: CallOutcome
    ops: Batch = ()
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class Parked:
    """The call waits for a person."""

    proposal: Proposal


Passed: TypeAlias = Ended | Parked
