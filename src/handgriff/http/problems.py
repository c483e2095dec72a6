"""Errors in HTTP's words: problem details (RFC 9457), from the one table of refusal codes.

Below are the error tree and the table; above, the app answers with what is made here. Nothing of an exception leaves but a refusal's own
words: the rest is logged under an incident id, and the id is told.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from starlette.responses import Response

from handgriff.core import jsontext
from handgriff.core.jsontext import Json
from handgriff.core.refusal_codes import REFUSAL_WORDS
from handgriff.errors import BackendError, Fact, Refusal, RefusalCode
from handgriff.host.system import RandomIds

LOG = logging.getLogger("handgriff.http")
MEDIA_TYPE: Final = "application/problem+json"
HEADERS: Final[Mapping[str, str]] = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


@dataclass(slots=True)
class Problem(Exception):  # RFC 9457's word
    """What is wrong with a request, as it is answered."""

    status: int
    code: str
    title: str
    detail: str
    next: str | None = None
    facts: Mapping[str, Fact] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str | None = None
    """What to tell a person, in their language, where that is more than the detail."""

    def members(self) -> dict[str, Json]:
        """The members of the problem document."""
        members: dict[str, Json] = {
            "type": f"urn:handgriff:{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        if self.next is not None:
            members["next"] = self.next
        if self.message is not None:
            members["message"] = self.message
        if facts := {name: _plain(fact) for name, fact in self.facts.items() if fact is not None}:
            members["facts"] = facts
        return members


def refused(refusal: Refusal) -> Problem:
    """A refusal as a problem."""
    words = REFUSAL_WORDS[refusal.code]
    retry = refusal.facts.get("retry_after")
    headers = {"Retry-After": str(retry)} if isinstance(retry, int) else {}
    return Problem(words.status, refusal.code, words.title, refusal.message, refusal.next, refusal.facts, headers)


def failed(error: Exception) -> Problem:
    """Any other error as a problem. It is logged; what it says stays here."""
    incident = RandomIds().new("incident")
    LOG.error("%s: a request failed", incident, exc_info=error)
    code: RefusalCode = "transient" if isinstance(error, BackendError) else "permanent"
    words = REFUSAL_WORDS[code]
    advice = "Try again in a moment." if code == "transient" else "Tell the operator, with the incident's id."
    return Problem(words.status, code, words.title, "Something failed on the server.", advice, {"incident": incident})


def problem_of(error: Exception) -> Problem:
    """What *error* is to a client."""
    match error:
        case Problem():
            return error
        case Refusal():
            return refused(error)
        case _:
            return failed(error)


def invalid(where: str, expected: str) -> Refusal:
    """The refusal of one member of a request."""
    return Refusal("invalid", f"{where}: {expected}.", fields={where: expected})


def answer(problem: Problem) -> Response:
    """The response of *problem*."""
    text = jsontext.dumps(problem.members())
    return Response(text, problem.status, headers={**HEADERS, **problem.headers}, media_type=MEDIA_TYPE)


def _plain(fact: Fact) -> Json:
    match fact:
        case str() | int() | None:
            return fact
        case Mapping():
            return dict(fact)
        case Sequence():
            return list(fact)
