"""A turn machine played through: a script of model messages and outcomes, in whatever order the outcomes arrive."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TypeVar

from handgriff.core.events import Stop
from handgriff.core.lane import Limits
from handgriff.core.turn import Asked, CallEnded, Command, Happened, MessageEnded, RequestFailed, RunCalls, SendRequest, Turn
from handgriff.errors import RefusalCode

CommandT = TypeVar("CommandT", bound=Command)
Order = Callable[[tuple[str, ...]], Sequence[str]]


@dataclass(frozen=True)
class Wanted:
    """A call a model will ask for, and what will become of it."""

    is_barrier: bool = False
    code: RefusalCode | None = None
    is_parked: bool = False
    tool: str = "find"
    arguments: str = "{}"
    most: int | None = None


@dataclass(frozen=True)
class Said:
    """What the model does at one request: it may fail first; then it says something."""

    calls: tuple[Wanted, ...] = ()
    stop: Stop = "tools"
    faults: tuple[RequestFailed, ...] = ()


ANSWER = Said((), "end")
OVERLOADED = RequestFailed("overloaded", is_retryable=True, had_content=False)


@dataclass
class Played:
    """What the machine commanded, and what it was asked to do."""

    turn: Turn
    commands: list[Command] = field(default_factory=list)
    messages: list[tuple[str, ...]] = field(default_factory=list)
    """The calls of each message the machine has read."""
    wanted: dict[str, Wanted] = field(default_factory=dict)

    def of(self, kind: type[CommandT]) -> list[CommandT]:
        """The commands of one kind."""
        return [command for command in self.commands if isinstance(command, kind)]

    def feed(self, event: Happened) -> None:
        """Tell the machine."""
        if isinstance(event, MessageEnded) and self.turn.phase == "requesting":
            self.messages.append(tuple(call.id for call in event.calls))
        self.commands += self.turn.feed(event)


def as_asked(ids: tuple[str, ...]) -> Sequence[str]:
    """The order the calls were asked in."""
    return ids


def play(
    *script: Said, limits: Limits | None = None, order: Order = as_asked, interruption: Happened | None = None, at: tuple[int, int] = (0, 0)
) -> Played:
    """Play *script*, then plain answers, to the end. *interruption* happens at the wait *at*[0], before what happens there *at*[1]-th."""
    turn = Turn(limits or Limits())
    played = Played(turn, [*turn.start()])
    sayings = iter(script)
    for wait in count():
        if turn.phase == "over":
            break
        happens = _happens(played, sayings, order)
        if interruption is not None and wait == at[0]:
            happens.insert(min(at[1], len(happens) - 1), interruption)
        for event in happens:
            played.feed(event)
    return played


def _happens(played: Played, sayings: Iterator[Said], order: Order) -> list[Happened]:
    """What the last command leads to: a message, with the failures before it, or the outcomes of a run."""
    match played.commands[-1]:
        case SendRequest():
            said = next(sayings, ANSWER)
            return [*said.faults, message(played, said)]
        case RunCalls(ids):
            return [CallEnded(call, played.wanted[call].code, is_parked=played.wanted[call].is_parked) for call in order(ids)]
        case other:
            raise AssertionError(f"the machine waits for nothing after {other}")


def message(played: Played, said: Said) -> MessageEnded:
    """The message *said* makes, with fresh ids for its calls."""
    asked = []
    for call in said.calls:
        number = f"c{len(played.wanted) + 1}"
        played.wanted[number] = call
        asked.append(Asked(number, call.tool, call.arguments, call.is_barrier, call.most))
    return MessageEnded(tuple(asked), said.stop)
