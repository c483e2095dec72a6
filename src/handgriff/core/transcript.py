"""History is rendered, never repaired in place: from events to a valid provider history, by concatenation of what was kept."""

from collections.abc import Sequence
from dataclasses import dataclass

from handgriff.core.events import AssistantMessage, CallOutcome, Event, PartialMessage, RequestedCall, TurnEnded, UserMessage
from handgriff.core.message import Message


@dataclass(slots=True)
class _Round:
    """The calls of the last assistant message, and their results so far."""

    calls: tuple[RequestedCall, ...] = ()
    results: dict[str, str] | None = None

    def open(self, calls: tuple[RequestedCall, ...]) -> None:
        self.calls, self.results = calls, {}

    def missing(self) -> tuple[RequestedCall, ...]:
        return tuple(call for call in self.calls if call.id not in (self.results or {}))

    def close(self) -> tuple[Message, ...]:
        if not self.calls:
            return ()
        if missing := self.missing():
            raise ValueError(f"calls without an outcome: {', '.join(call.id for call in missing)}")
        results, calls = self.results or {}, self.calls
        self.calls = ()
        return (Message("user", tuple(results[call.id] for call in calls)),)


def transcript(events: Sequence[Event]) -> tuple[Message, ...]:
    """The history of *events* as it is sent: each result with its call, in call order, whatever order the outcomes came in.

    A call's first outcome is its result for good; a later one was told with a later message.

    Raises:
        ValueError: a call has no outcome yet; `open_calls` names it.
    """
    messages: list[Message] = []
    current = _Round()
    for event in events:
        match event.body:
            case UserMessage(wire=wire):
                messages += (*current.close(), Message("user", wire))
            case PartialMessage(wire=wire) if wire:
                messages += (*current.close(), Message("assistant", wire))
            case AssistantMessage(wire=wire, calls=calls) if wire:
                messages += (*current.close(), Message("assistant", wire))
                current.open(calls)
            case CallOutcome(call=call, wire=wire) if wire and current.results is not None:
                current.results.setdefault(call, wire)
            case _:
                pass
    return (*messages, *current.close())


def open_calls(events: Sequence[Event]) -> tuple[RequestedCall, ...]:
    """The calls of the last assistant message that have no outcome yet, in call order."""
    current = _Round()
    for event in events:
        match event.body:
            case AssistantMessage(wire=wire, calls=calls) if wire:
                current.open(calls)
            case CallOutcome(call=call, wire=wire) if wire and current.results is not None:
                current.results.setdefault(call, wire)
            case _:
                pass
    return current.missing()


def news(events: Sequence[Event]) -> tuple[CallOutcome, ...]:
    """Late outcomes nobody told the model yet: those behind the last user message."""
    fresh: list[CallOutcome] = []
    for event in events:
        match event.body:
            case UserMessage():
                fresh.clear()
            case CallOutcome(late=True) as outcome:
                fresh.append(outcome)
            case _:
                pass
    return tuple(fresh)


def awaits_answer(events: Sequence[Event]) -> bool:
    """Whether the last round's calls all have outcomes that no model has read yet, and its turn ended only to wait for them."""
    waiting = False
    for event in events:
        match event.body:
            case AssistantMessage(calls=calls):
                waiting = bool(calls)
            case UserMessage() | PartialMessage():
                waiting = False
            case TurnEnded(parked=parked):
                waiting = waiting and bool(parked)
            case _:
                pass
    return waiting and not open_calls(events)
