"""What is taken from an AG-UI request: the thread, the last user text, resume entries, hints. Nothing else of it counts.

Below is parsed JSON; above, the route performs it. The client's history, state, tools, context and tool results are not looked at: what
happened is in the store. Ids of its user messages are kept to be given back to it, and decide nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from handgriff.core import jsontext
from handgriff.core.caller import is_id
from handgriff.core.jsontext import Json
from handgriff.errors import Refusal
from handgriff.http.body import name
from handgriff.http.problems import invalid
from handgriff.http.snapshot import Said

HINT_BYTES: Final = 4096
RESUME_ENTRIES: Final = 100
_ONE: Final = re.compile(r"[1-9][0-9]{0,3}(\.[0-9]{1,4})?")
_EDITED: Final = ("editedArgs", "arguments")
_DECIDES: Final = frozenset({"approved", "code"})
_SHOWN: Final = 100
"""How much of a name that we don't know is said back."""
_BEHIND: Final = frozenset({"system", "developer", "activity", "reasoning"})
"""What may stand behind the new user message. An answer or a tool's result there means that nothing new was said."""


@dataclass(frozen=True, slots=True)
class Resume:
    """A person's decision about one proposal."""

    proposal: str
    approved: bool
    code: str | None = field(default=None, repr=False)
    """The digits that were typed, where any were."""


@dataclass(frozen=True, slots=True)
class RunInput:
    """One wish: a text, or decisions."""

    thread: str
    run: str | None
    text: str
    resume: tuple[Resume, ...]
    said: tuple[Said, ...]
    hints: str | None
    is_one: bool


def run_input(body: dict[str, Json]) -> RunInput:
    """What *body* asks for.

    Raises:
        Refusal: `invalid`; the member is named.
    """
    thread, run = name(body, "threadId"), body.get("runId")
    resume = _resume(body.get("resume"))
    messages = _messages(body.get("messages", []))
    return RunInput(
        thread=thread,
        run=run if isinstance(run, str) and is_id(run) else None,
        text="" if resume else _new_text(messages),
        resume=resume,
        said=tuple(_said(message) for message in messages if message.get("role") == "user"),
        hints=_hints(body),
        is_one=speaks_one(body.get("protocolVersion")),
    )


def speaks_one(version: object) -> bool:
    """Whether a client that says *version* knows protocol 1.0. Older ones say nothing."""
    return isinstance(version, str) and _ONE.fullmatch(version) is not None


def _messages(value: Json) -> list[dict[str, Json]]:
    if not isinstance(value, list):
        raise invalid("messages", "expected a list")
    return [message for message in value if isinstance(message, dict)]


def _new_text(messages: Sequence[dict[str, Json]]) -> str:
    for message in reversed(messages):
        if message.get("role") == "user":
            return _text(message.get("content"), strict=True)
        if message.get("role") not in _BEHIND:
            break
    fields = {"messages": "expected a user's message last"}
    raise Refusal("invalid", "There is no new user message.", next="Put it last in messages.", fields=fields)


def _said(message: Mapping[str, Json]) -> Said:
    given = message.get("id")
    return Said(given if isinstance(given, str) and is_id(given) else None, _text(message.get("content"), strict=False))


def _text(value: Json, *, strict: bool) -> str:
    """A message's text; parts that are no text are refused where they would otherwise be lost without a word."""
    if isinstance(value, str):
        return value
    texts = [_part(part, strict=strict) for part in value] if isinstance(value, list) else []
    return "\n".join(text for text in texts if text is not None)


def _part(part: Json, *, strict: bool) -> str | None:
    if isinstance(part, dict) and part.get("type") == "text" and isinstance(text := part.get("text"), str):
        return text
    if strict:
        raise invalid("messages", "only text can be sent")
    return None


def _resume(value: Json) -> tuple[Resume, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > RESUME_ENTRIES:
        raise invalid("resume", f"expected a list of at most {RESUME_ENTRIES} entries")
    entries = tuple(_entry(entry, f"resume/{index}") for index, entry in enumerate(value))
    if len({entry.proposal for entry in entries}) != len(entries):
        raise invalid("resume", "expected each interrupt once")
    return entries


def _entry(entry: Json, where: str) -> Resume:
    if not isinstance(entry, dict) or not isinstance(proposal := entry.get("interruptId"), str):
        raise invalid(where, "expected an object with interruptId")
    match entry.get("status"):
        case "cancelled":
            return Resume(proposal, approved=False)
        case "resolved":
            payload = entry.get("payload")
            return Resume(proposal, _approved(payload, where), code(payload, f"{where}/payload"))
        case _:
            raise invalid(f"{where}/status", "expected 'resolved' or 'cancelled'")


def _approved(payload: Json, where: str) -> bool:
    approved = payload.get("approved") if isinstance(payload, dict) else None
    if not isinstance(approved, bool) or not isinstance(payload, dict):
        raise invalid(f"{where}/payload/approved", "expected true or false")
    check_unedited(payload, f"{where}/payload")
    return approved


def check_unedited(decision: Mapping[str, Json], where: str = "") -> None:
    """Let pass a decision about what was shown; an edit that is passed over would be consent to something else.

    Raises:
        Refusal: `invalid`.
    """
    for edited in _EDITED:
        if decision.get(edited) is not None:
            fields = {f"{where}/{edited}".lstrip("/"): "cannot be edited here"}
            raise Refusal("invalid", "Arguments cannot be edited here.", next="Decline, and ask for what you want instead.", fields=fields)


def check_nothing_else(decision: Mapping[str, Json]) -> None:
    """Let pass a decision that says nothing beside what decides. AG-UI's clients put a reason beside it, so theirs are not held to this.

    Raises:
        Refusal: `invalid`; the first other member is named.
    """
    if others := sorted(member for member in decision if member not in _DECIDES):
        raise invalid(others[0][:_SHOWN], "expected nothing beside approved and code")


def code(decision: Json, where: str = "") -> str | None:
    """The code that was typed with a decision, if one was.

    Raises:
        Refusal: `invalid`; it is no text.
    """
    if not isinstance(decision, dict) or "code" not in decision:
        return None
    if isinstance(given := decision["code"], str):
        return given
    raise invalid(f"{where}/code".lstrip("/"), "expected text")


def _hints(body: Mapping[str, Json]) -> str | None:
    props = body.get("forwardedProps")
    value = body.get("hints") or (props.get("hints") if isinstance(props, dict) else None)
    if not value:
        return None
    hints = value if isinstance(value, str) else jsontext.dumps(value)
    return hints.encode()[:HINT_BYTES].decode(errors="ignore")
