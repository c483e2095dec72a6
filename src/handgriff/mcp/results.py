"""An outcome as a tool result: the text for the model, and what people see of it as structured content.

Below are outcomes; above, the call's handler. What went wrong is a result as well, because a model can mend only what it reads. Nothing of
an exception leaves but a refusal's own words.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

from mcp_types import CallToolResult, TextContent

from handgriff.core import jsontext
from handgriff.core.jsontext import Json, JsonLimits
from handgriff.core.outcome import Outcome, refused
from handgriff.errors import BackendError, Refusal
from handgriff.host.system import RandomIds

LOG = logging.getLogger("handgriff.mcp")
_SAID: Final = frozenset({"refused", "message", "next", "incident"})
"""Members of a refusal's text that are no facts of its own."""


def result_of(outcome: Outcome) -> CallToolResult:
    """What a client is answered."""
    content = TextContent(text=outcome.text)
    return CallToolResult(content=[content], structured_content=structured(outcome), is_error=not outcome.is_ok)


def structured(outcome: Outcome) -> dict[str, Any]:
    """The public part, by `RESULT_SCHEMA`."""
    shown = outcome.shown
    parts: dict[str, Any] = {"summary": shown.summary}
    if outcome.code is not None:
        facts = {name: fact for name, fact in _members(outcome.text).items() if name not in _SAID}
        if isinstance(link := facts.get("link"), str):
            parts["link"] = {"href": link, "label": link}
        parts["error"] = _error(outcome, facts)
        return parts
    if shown.link is not None:
        parts["link"] = {"href": shown.link, "label": shown.link_label or shown.link}
    if shown.diff:
        parts["diff"] = [{"label": each.label, "before": each.before, "after": each.after} for each in shown.diff]
    # The text is read only where it may tell of a workflow: what a tool wrote can be long.
    if '"workflow":' in outcome.text and isinstance(workflow := _members(outcome.text).get("workflow"), dict):
        parts["workflow"] = workflow
    if outcome.moved is not None:
        parts["moved"] = {"machine": outcome.moved.machine, "before": outcome.moved.before, "after": outcome.moved.after}
    return parts


def failed(error: Exception) -> Outcome:
    """The outcome of a call that could not even be made. What is no refusal is logged under an incident's id, and the id is told."""
    if isinstance(error, Refusal):
        return refused(error)
    return refused(failure(error), incident=incident_of(error))


def failure(error: Exception) -> Refusal:
    """What is told of an error that is nobody's business but the operator's."""
    if isinstance(error, BackendError):
        return Refusal("transient", "Something failed on the server.", next="Try again in a moment.")
    return Refusal("permanent", "Something failed on the server.", next="Tell the operator, with the incident's id.")


def incident_of(error: Exception) -> str:
    """The id under which *error* is logged now."""
    incident = RandomIds().new("incident")
    LOG.error("%s: a request failed", incident, exc_info=error)
    return incident


def _error(outcome: Outcome, facts: Mapping[str, Json]) -> dict[str, Any]:
    members = {"code": outcome.code, "message": outcome.shown.summary, "next": outcome.next, "incident": outcome.incident, "facts": facts}
    return {name: value for name, value in members.items() if value}


def _members(text: str) -> dict[str, Json]:
    # We have written it, so no bound of reading may come before the answer.
    value = jsontext.loads(text, limits=JsonLimits(len(text), size=4 * len(text), members=len(text)))
    return value if isinstance(value, dict) else {}
