"""The messages a client of AG-UI holds, made of events as its reducer makes them: snapshots merge by id, starts append, deltas add."""

from collections.abc import Iterable
from typing import Any


def reduce(events: Iterable[dict[str, Any]], held: Iterable[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    """What a client holds after *events*, having held *held*."""
    messages = [dict(message) for message in held]
    for event in events:
        match event["type"]:
            case "MESSAGES_SNAPSHOT":
                messages = _merged(messages, event["messages"])
            case "TEXT_MESSAGE_START":
                if not any(message["id"] == event["messageId"] for message in messages):
                    messages.append({"id": event["messageId"], "role": event["role"], "content": ""})
            case "TEXT_MESSAGE_CONTENT":
                _of(messages, event["messageId"])["content"] += event["delta"]
            case "TOOL_CALL_START":
                _start(messages, event)
            case "TOOL_CALL_ARGS":
                _call(messages, event["toolCallId"])["function"]["arguments"] += event["delta"]
            case "TOOL_CALL_RESULT":
                _answer(messages, event)
            case _:
                pass
    return messages


def _merged(held: list[dict[str, Any]], given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    fresh = {message["id"]: message for message in given}
    kept = [dict(fresh[message["id"]]) for message in held if message["id"] in fresh]
    known = {message["id"] for message in kept}
    return kept + [dict(message) for message in given if message["id"] not in known]


def _of(messages: list[dict[str, Any]], message_id: str) -> dict[str, Any]:
    return next(message for message in messages if message["id"] == message_id)


def _start(messages: list[dict[str, Any]], event: dict[str, Any]) -> None:
    call = {"id": event["toolCallId"], "type": "function", "function": {"name": event["toolCallName"], "arguments": ""}}
    parent = event.get("parentMessageId", event["toolCallId"])
    if not any(message["id"] == parent for message in messages):
        messages.append({"id": parent, "role": "assistant"})
    _of(messages, parent).setdefault("toolCalls", []).append(call)


def _call(messages: list[dict[str, Any]], call: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for message in messages for each in message.get("toolCalls", ()) if each["id"] == call)
    return found


def _answer(messages: list[dict[str, Any]], event: dict[str, Any]) -> None:
    told = {"id": event["messageId"], "role": "tool", "toolCallId": event["toolCallId"], "content": event["content"]}
    owner = next(
        index for index, message in enumerate(messages) if any(c["id"] == event["toolCallId"] for c in message.get("toolCalls", ()))
    )
    place = owner + 1
    while place < len(messages) and messages[place]["role"] == "tool":
        place += 1
    messages.insert(place, told)
