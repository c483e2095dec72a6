"""What the app itself answers in HTTP's words, before MCP begins: nobody is calling, nothing is here.

Below are refusals; above, the app. Clients of MCP look at the status and the headers alone.
"""

from collections.abc import Mapping
from typing import Final

from starlette.responses import Response

from handgriff.core import jsontext
from handgriff.core.refusal_codes import REFUSAL_WORDS
from handgriff.errors import Refusal
from handgriff.mcp.results import failure, incident_of

_HEADERS: Final[Mapping[str, str]] = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def nobody() -> Response:
    """401."""
    return _problem(401, "unauthenticated", "Unauthenticated", "Say who you are.", {"WWW-Authenticate": "Bearer"})


def nothing_here() -> Response:
    """404."""
    return _problem(404, "not_found", "Not found", "There is nothing here.")


def broken(error: Exception) -> Response:
    """A refusal of the application's, in its own words; of anything else only its incident."""
    if isinstance(error, Refusal):
        words = REFUSAL_WORDS[error.code]
        return _problem(words.status, error.code, words.title, error.message)
    told = failure(error)
    words = REFUSAL_WORDS[told.code]
    return _problem(words.status, told.code, words.title, f"{told.message} Incident: {incident_of(error)}")


def _problem(status: int, code: str, title: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    text = jsontext.dumps({"type": f"urn:handgriff:{code}", "title": title, "status": status, "detail": detail, "code": code})
    return Response(text, status, headers={**_HEADERS, **(headers or {})}, media_type="application/problem+json")
