"""A parked call as an AG-UI interrupt: what clients show a person, and what may answer it.

Below are events and words; above, the encoder ends a run with these. No more keywords than these stand in a schema, or assistant-ui does
not show its buttons.
"""

from collections.abc import Mapping
from typing import Final

from handgriff.core.catalogue import say
from handgriff.core.events import ParkedCall
from handgriff.core.jsontext import Json
from handgriff.http.content import changes

VENDOR: Final = "handgriff"
_APPROVED: Final[Mapping[str, Json]] = {"approved": {"type": "boolean"}}


def interrupt(parked: ParkedCall, locale: str, why: str | None = None) -> dict[str, Json]:
    """The interrupt of *parked*; *why* says why it is still open, where it was answered already."""
    return {
        "id": parked.proposal,
        "reason": "tool_call",
        "message": f"{parked.summary} {why}" if why else parked.summary,
        "toolCallId": parked.call,
        "responseSchema": _schema(parked, locale),
        "expiresAt": parked.expires_at.isoformat(),
        "metadata": {VENDOR: {"tool": parked.tool, **shown(parked)}},
    }


def shown(parked: ParkedCall) -> dict[str, Json]:
    """What people see of a parked call beside its summary."""
    return {"diff": changes(parked.diff), "confirm": parked.confirm, "count": parked.count, "sample": list(parked.sample)}


def _schema(parked: ParkedCall, locale: str) -> dict[str, Json]:
    properties: dict[str, Json] = dict(_APPROVED)
    if parked.confirm == "code":
        properties["code"] = {"type": "string", "title": say("card_code", locale)}
    return {"type": "object", "properties": properties, "required": ["approved"]}
