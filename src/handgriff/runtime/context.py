"""A session's own context: the author's template, filled in from state when the session begins, and what has changed of it since.

What was sent is never rewritten. A changed value goes with the newest message, so the last text told of each key is kept: in `Pinned` for
the beginning, in each `UserMessage` for what came after.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handgriff.core import jsontext
from handgriff.core.envelope import enclose
from handgriff.core.events import Event, UserMessage
from handgriff.core.prompt import filled_context, session_context
from handgriff.core.rows import Pinned, Session
from handgriff.core.scope import Key, Scope, parse_key, scope_id
from handgriff.core.template import shown
from handgriff.errors import Refusal
from handgriff.runtime.engine import Engine

Told = tuple[tuple[str, str], ...]
"""Texts by key."""
_SCOPES: tuple[Scope, ...] = ("app", "user", "session")


@dataclass(frozen=True, slots=True)
class Changes:
    """What the model is told with the newest message, and what is remembered of it."""

    told: Told = ()
    text: str | None = None


async def freeze(engine: Engine, session: Session, nonce: str) -> tuple[str, Told]:
    """The context of a session that begins, and the texts it was made of; an optional key that is absent has an empty one.

    Raises:
        Refusal: `permanent`; a key that must have a value has none.
    """
    template = engine.assistant.template
    if not template.keys:
        return session_context(template.expand({}), nonce), ()
    texts = await _texts(engine, session, template.keys)
    if missing := template.missing(texts):
        incident = engine.ids.new("incident")
        engine.log.error("%s: session %s can't begin, for its context needs %s", incident, session.id, ", ".join(missing))
        raise _incomplete(missing, incident)
    return filled_context(template.expand(texts), nonce), tuple((str(key), texts.get(str(key), "")) for key in template.keys)


async def changes(engine: Engine, session: Session, pinned: Pinned, events: Sequence[Event]) -> Changes:
    """What differs from what was last told in *events*; nothing where the context was made of no values."""
    last = _last_told(pinned, events)
    if not last:
        return Changes()
    texts = await _texts(engine, session, [parse_key(key) for key in last])
    told = tuple((key, texts.get(key, "")) for key, text in last.items() if texts.get(key, "") != text)
    if not told:
        return Changes()
    news = {key: texts.get(key) for key, _ in told}
    gone = " (null: there is none any more)" if None in news.values() else ""
    return Changes(told, f"Values given in the session context have changed since{gone}:\n{enclose(jsontext.dumps(news), pinned.nonce)}")


def _last_told(pinned: Pinned, events: Sequence[Event]) -> dict[str, str]:
    last = dict(pinned.told)
    for event in events:
        if isinstance(event.body, UserMessage):
            last.update(event.body.told)
    return last


async def _texts(engine: Engine, session: Session, keys: Sequence[Key]) -> Mapping[str, str]:
    """The values of *keys* as they are filled in; a declared default stands for an absent one. Each scope is read once."""
    stored = {str(key): text for key in keys if (text := _default(engine, str(key))) is not None}
    for scope in _SCOPES:
        names = [key.name for key in keys if key.scope == scope]
        if names:
            found = await engine.store.values(session.tenant, scope, scope_id(scope, session.user, session.id), names)
            stored |= {str(key): found[key.name].text for key in keys if key.scope == scope and key.name in found}
    return {key: shown(text) for key, text in stored.items()}


def _default(engine: Engine, key: str) -> str | None:
    declared = engine.assistant.declared
    if declared is None or key not in declared.keys:
        return None
    value = declared.read(key, None)
    return None if value is None else jsontext.dumps(declared.check(key, value))


def _incomplete(missing: Sequence[str], incident: str) -> Refusal:
    return Refusal(
        "permanent",
        f"This conversation can't begin: its context needs {' and '.join(map(repr, missing))}, which nobody has set.",
        next=f"Whoever runs this assistant must set it, or its author write it as optional, such as {{{missing[0]}?}}.",
        missing=list(missing),
        incident=incident,
    )
