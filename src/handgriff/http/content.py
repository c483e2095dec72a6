"""What a browser is shown of an outcome: `{summary, link, diff, error}`, one shape for every tool.

Below are the stored events; above, streams, snapshots and views. The result's data is not here: an event does not hold it, and the text
the model read (`wire`) is never looked at.
"""

from collections.abc import Sequence

from handgriff.core import jsontext
from handgriff.core.events import CallOutcome, RequestedCall, ShownChange
from handgriff.core.jsontext import Json, JsonError


def content(outcome: CallOutcome) -> dict[str, Json]:
    """The public part of *outcome*."""
    shown = outcome.shown
    parts: dict[str, Json] = {"summary": shown.summary}
    if shown.link is not None:
        parts["link"] = {"href": shown.link, "label": shown.link_label or shown.link}
    if shown.diff:
        parts["diff"] = changes(shown.diff)
    if outcome.code is not None:
        parts["error"] = error(outcome.code, outcome.next, outcome.incident)
    return parts


def error(code: str, advice: str | None = None, incident: str | None = None) -> dict[str, Json]:
    """What went wrong with a call."""
    parts: dict[str, Json] = {"code": code}
    if advice is not None:
        parts["next"] = advice
    if incident is not None:
        parts["incident"] = incident
    return parts


def changes(diff: Sequence[ShownChange]) -> list[Json]:
    """A diff, line by line."""
    return [{"label": change.label, "before": change.before, "after": change.after} for change in diff]


def arguments(call: RequestedCall) -> str:
    """The arguments as JSON text, whatever the model wrote: clients parse them, and some end the run over it."""
    if not call.arguments.strip():
        return "{}"
    try:
        jsontext.loads(call.arguments)
    except JsonError:
        return jsontext.dumps({"unreadable": call.arguments})
    return call.arguments
