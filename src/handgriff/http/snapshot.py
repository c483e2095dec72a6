"""A conversation as AG-UI messages, for MESSAGES_SNAPSHOT: a pure function of its events.

Below are events and what is shown of outcomes; above, a resumed run and a reconnect begin with it. Clients merge a snapshot by message id
and append what they do not know, so every id here is the one the stream has used.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from handgriff.core import jsontext
from handgriff.core.events import AssistantMessage, CallOutcome, Event, PartialMessage, RequestedCall, TurnEnded, UserMessage
from handgriff.core.jsontext import Json
from handgriff.http.content import arguments, content


class Said(NamedTuple):
    """A user's message as the client holds it."""

    id: str | None
    text: str


def messages(events: Iterable[Event], ids: Mapping[str, str] | None = None) -> list[Json]:
    """The messages of *events*; *ids* are the client's own ids of user messages, by event id."""
    return [message for event in events for message in _messages(event, ids or {})]


def client_ids(events: Sequence[Event], said: Sequence[Said]) -> dict[str, str]:
    """Which of the client's user messages are which of ours: from the last one backwards, passing over what another tab has said.

    They decide nothing; without them a client would show its own messages a second time, at the end.
    """
    ids: dict[str, str] = {}
    theirs = list(said)
    for event in reversed(events):
        if theirs and isinstance(event.body, UserMessage) and jsontext.clean(theirs[-1].text) == event.body.text:
            found = theirs.pop()
            if found.id is not None:
                ids[event.id] = found.id
    return ids


def tool_message(event_id: str, outcome: CallOutcome) -> dict[str, Json]:
    """The message that answers a call."""
    return {"id": event_id, "role": "tool", "toolCallId": outcome.call, "content": jsontext.dumps(content(outcome))}


def is_told(outcome: CallOutcome) -> bool:
    """Whether *outcome* answers a call of the conversation: not one made by another call, nor one that came after an answer."""
    return outcome.parent is None and not outcome.late


def _messages(event: Event, ids: Mapping[str, str]) -> list[dict[str, Json]]:
    match event.body:
        case UserMessage() as said:
            return [{"id": ids.get(event.id, event.id), "role": "user", "content": said.text}]
        case AssistantMessage() as message:
            return _assistant(message)
        case PartialMessage(request, text):
            return [_text(request, text)] if text.strip() else []
        case CallOutcome() as outcome:
            return [tool_message(event.id, outcome)] if is_told(outcome) else []
        case TurnEnded(status="limit", message=str(text)):
            return [_text(event.id, text)]
        case _:
            return []


def _assistant(message: AssistantMessage) -> list[dict[str, Json]]:
    if message.text.strip():
        spoken = _text(message.request, message.text)
        if message.calls:
            spoken["toolCalls"] = [_call(call) for call in message.calls]
        return [spoken]
    # A call without a text before it is a message of its own, as clients make it of TOOL_CALL_START.
    return [{"id": call.id, "role": "assistant", "toolCalls": [_call(call)]} for call in message.calls]


def _text(message_id: str, text: str) -> dict[str, Json]:
    return {"id": message_id, "role": "assistant", "content": text}


def _call(call: RequestedCall) -> dict[str, Json]:
    return {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments(call)}}
