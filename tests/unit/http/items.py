"""Events and frames, as short as a test may write them."""

from datetime import UTC, datetime, timedelta

from handgriff.core.events import (
    AssistantMessage,
    Body,
    CallOutcome,
    Event,
    Frame,
    FrameBody,
    ParkedCall,
    RequestedCall,
    Shown,
    ShownChange,
    TextPart,
    UserMessage,
)
from handgriff.errors import RefusalCode

MOMENT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def event(seq: int, body: Body) -> Event:
    return Event(seq, f"e{seq}", "t1", MOMENT + timedelta(seconds=seq), body)


def frame(seq: int, offset: int, body: FrameBody) -> Frame:
    return Frame(seq, offset, "t1", body)


def said(text: str) -> UserMessage:
    return UserMessage((TextPart(text),), ("wire",))


def asked(request: str, text: str, *calls: str, arguments: str = "{}") -> AssistantMessage:
    requested = tuple(RequestedCall(call, f"w_{call}", "list_orders", arguments) for call in calls)
    return AssistantMessage(request, text, "tools" if calls else "end", ("wire",), requested)


def told(
    call: str, summary: str = "Done.", *, code: RefusalCode | None = None, late: bool = False, parent: str | None = None
) -> CallOutcome:
    return CallOutcome(call, "list_orders", "effect", Shown(summary), "digest", code=code, wire="secret", late=late, parent=parent)


def parked(proposal: str, call: str) -> ParkedCall:
    return ParkedCall(proposal, call, "cancel_order", f"Do {call}?", MOMENT + timedelta(minutes=10), (ShownChange("Status", "a", "b"),))
