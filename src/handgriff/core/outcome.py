"""How one call ended, as the boundary knows it: what people see, what the model reads, and what is remembered."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from handgriff.core import jsontext
from handgriff.core.events import Moved, Shown, ShownChange
from handgriff.core.jsontext import Json, JsonLimits
from handgriff.core.result import Link, Plan, Result
from handgriff.errors import Refusal, RefusalCode

MESSAGE_CHARACTERS = 2000
"""Longest text of a summary or refusal; what is cut is said."""
FACTS_BYTES = 8 * 1024
"""Facts of a refusal, as JSON; where they are more, that is said instead."""
_LONGEST_NUMBER = 128
DIFF_LINES = 50
"""Lines of a diff in an outcome; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One call's end. `text` is the JSON text the model reads (not enveloped yet), `data` the result's data alone, for Python callers."""

    shown: Shown
    text: str
    code: RefusalCode | None = None
    data: str | None = None
    introduced: tuple[tuple[str, str], ...] = ()
    next: str | None = None
    incident: str | None = None
    replayed: bool = False
    vetoed: bool = False
    """A success that moves no workflow, because its handler said so."""
    moved: Moved | None = None
    plain: str | None = None
    """`text` without what is true only at its time: where a workflow has gone."""

    @property
    def is_ok(self) -> bool:
        """Whether it succeeded."""
        return self.code is None


def succeeded(
    result: Result[Any],
    data: str | None,
    introduced: tuple[tuple[str, str], ...],
    *,
    limit: int,
    narrow_by: tuple[str, ...],
    must_tell: bool,
) -> Outcome:
    """The outcome of *result*, whose data is *data* (JSON text), within *limit* bytes.

    With *must_tell* the effect has happened, so what does not fit is left out and that is said, however small the limit.

    Raises:
        Refusal: `too_large`, for a read.
    """
    shown = show(result)
    text = _success_text(result, shown, data)
    size = len(text.encode())
    if size <= limit:
        return Outcome(shown, text, data=data, introduced=introduced)
    if not must_tell:
        raise too_large(data, size, limit, narrow_by)
    note = f"It was done. Its result has {size} bytes, more than the {limit} that can be shown, and was left out."
    told = _dump({"summary": shown.summary, "note": note})
    # What the model is not shown has not been seen in this session either.
    return Outcome(shown, told if len(told.encode()) <= limit else _dump({"note": note}), data=data)


def refused(refusal: Refusal, *, incident: str | None = None) -> Outcome:
    """The outcome of *refusal*, as an error for a reader who has only this text."""
    message, step = shorten(refusal.message), _shorten(refusal.next)
    facts: dict[str, Json] = {name: _plain(fact) for name, fact in refusal.facts.items() if fact is not None}
    size = len(_dump(facts).encode())
    if size > FACTS_BYTES:
        facts = {"left_out": f"The details have {size} bytes, more than the {FACTS_BYTES} that can be shown."}
    head: dict[str, Json] = {"refused": refusal.code, "message": message}
    parts = {**head, **facts, **head}
    if step:
        parts["next"] = step
    if incident:
        parts["incident"] = incident
    return Outcome(Shown(message), _dump(parts), code=refusal.code, next=step, incident=incident)


def too_large(data: str | None, size: int, limit: int, narrow_by: tuple[str, ...]) -> Refusal:
    """The refusal of a result that does not fit: how much there is, and what narrows it."""
    # What a tool wrote is measured here, so no bound of reading may come before the answer.
    value = jsontext.loads(data, limits=JsonLimits(size=4 * len(data), members=len(data))) if data is not None else None
    total = f"{len(value)} items" if isinstance(value, list) else f"{size} bytes"
    names = ", ".join(narrow_by)
    advice = f"Ask for less: narrow by {names}." if narrow_by else "Ask for something more specific."
    return Refusal(
        "too_large", f"The result has {size} bytes, more than the {limit} allowed.", next=advice, total=total, narrow_by=narrow_by
    )


def show(result: Result[Any]) -> Shown:
    """What people see of *result*."""
    link = result.link if isinstance(result.link, Link) else None
    return Shown(
        summary=shorten(result.summary),
        link=link.href if link else None,
        link_label=_shorten(link.label) if link else None,
        diff=show_diff(result),
    )


def show_diff(source: Result[Any] | Plan) -> tuple[ShownChange, ...]:
    """The diff as people see it."""
    lines = tuple(ShownChange(shorten(change.label), _shorten(change.before), _shorten(change.after)) for change in source.diff)
    if len(lines) <= DIFF_LINES:
        return lines
    return (*lines[:DIFF_LINES], ShownChange(f"… {len(lines) - DIFF_LINES} more"))


def shorten(text: str) -> str:
    """*text* as it can be sent and read: encodable, and cut where it is too long, which it then says."""
    clean = jsontext.clean(text)
    if len(clean) <= MESSAGE_CHARACTERS:
        return clean
    return f"{clean[:MESSAGE_CHARACTERS]}… (shortened, {len(clean)} characters)"


def noted(outcome: Outcome, note: str) -> Outcome:
    """*outcome* with a note for whoever reads it."""
    text = outcome.text if outcome.text.startswith("{") and outcome.text != "{}" else _dump({"summary": outcome.shown.summary})
    parts = jsontext.loads(text, limits=JsonLimits(len(text), size=4 * len(text), members=len(text)))
    if isinstance(parts, dict) and "note" in parts:
        # Its data was left out, so nothing that a tool wrote is written anew.
        return replace(outcome, text=_dump({**parts, "note": f"{parts['note']} {note}"}))
    return replace(outcome, text=f'{text[:-1]},"note":{jsontext.dumps(note)}}}')


def told(outcome: Outcome, name: str, fact: Json) -> Outcome:
    """*outcome* with one more member for the model, behind what the tool wrote."""
    text = outcome.text if outcome.text.startswith("{") and outcome.text != "{}" else _dump({"summary": outcome.shown.summary})
    return replace(outcome, text=f"{text[:-1]},{jsontext.dumps(name)}:{jsontext.dumps(fact)}}}")


def replayed(outcome: Outcome) -> Outcome:
    """*outcome*, given again to a repeated wish. What it moved has been moved before."""
    return replace(without_moves(outcome), replayed=True)


def without_moves(outcome: Outcome) -> Outcome:
    """*outcome* for a time or a place where what it moved is not so any more. A handle it has begun stays."""
    return replace(outcome, text=outcome.text if outcome.plain is None else outcome.plain, moved=None, plain=None)


def _success_text(result: Result[Any], shown: Shown, data: str | None) -> str:
    parts: dict[str, Json] = {"summary": shown.summary}
    if shown.diff:
        parts["changes"] = [{"label": change.label, "before": change.before, "after": change.after} for change in shown.diff]
    if result.page is not None:
        parts["page"] = {"total": result.page.total, "returned": result.page.returned}
    text = _dump(parts)
    # The data is JSON text already; parsing and writing it again would cost, and could change, what the tool wrote.
    return text if data is None else f'{text[:-1]},"data":{data}}}'


def _shorten(text: str | None) -> str | None:
    return None if text is None else shorten(text)


def _plain(fact: object) -> Json:
    """A fact as JSON. An application may give what the types do not allow, and a refusal must not fail over that."""
    match fact:
        case str() | bool():
            return fact
        case int():
            return fact if fact.bit_length() <= _LONGEST_NUMBER else f"a number of {fact.bit_length()} bits"
        case Mapping():
            return {str(key): str(value) for key, value in fact.items()}
        case list() | tuple() | set() | frozenset():
            return [str(item) for item in fact]
        case _:
            return str(fact)


def _dump(parts: dict[str, Json]) -> str:
    return jsontext.dumps(parts)
