"""What went wrong at the provider, classed for the loop: is it worth sending again, and when.

Below are the model port's fault and the fields of an error body; above, the adapter hands in what it caught. It knows no SDK, no clock and
no waiting.
"""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Final

from handgriff.core.usage import Usage
from handgriff.ports.model import FaultKind, ModelFault

_BY_TYPE: Final[Mapping[str, FaultKind]] = {
    "overloaded_error": "overloaded",
    "rate_limit_error": "rate_limited",
    "api_error": "unavailable",
    "timeout_error": "unavailable",
    "conflict_error": "unavailable",
    "invalid_request_error": "rejected",
    "request_too_large": "rejected",
    "not_found_error": "rejected",
    "authentication_error": "unauthorised",
    "permission_error": "unauthorised",
    "billing_error": "unauthorised",
}
"""The body's word decides before the status does: an error inside a stream has the status of the stream, 200."""

_BY_STATUS: Final[Mapping[int, FaultKind]] = {
    401: "unauthorised",
    402: "unauthorised",
    403: "unauthorised",
    408: "unavailable",
    409: "unavailable",
    429: "rate_limited",
    529: "overloaded",
}
_RETRYABLE: Final[frozenset[FaultKind]] = frozenset({"overloaded", "rate_limited", "unavailable", "broken_stream"})
_FIRST_REFUSAL: Final = 400
_FIRST_FAILURE: Final = 500

_SPENT: Final = "spend_limit_reached"
"""Ends the codes of a rate limit that waiting does not lift: the account's money is used up."""


def refused(status: int, body: object, headers: Mapping[str, str]) -> ModelFault:
    """The request was answered with *status* and no stream."""
    return _fault(status, _error(body), headers, Usage(), request=headers.get("request-id"))


def interrupted(event: Mapping[str, Any], usage: Usage) -> ModelFault:
    """The stream held the error *event*."""
    return _fault(200, _error(event), {}, usage, request=event.get("request_id"))


def broken(detail: str, usage: Usage) -> ModelFault:
    """The stream ended without its proper end, or is none."""
    return ModelFault("broken_stream", is_retryable=True, detail=detail, usage=usage)


def unreachable(detail: str) -> ModelFault:
    """No answer came at all."""
    return ModelFault("unavailable", is_retryable=True, detail=detail)


def _fault(status: int, error: Mapping[str, Any], headers: Mapping[str, str], usage: Usage, *, request: object) -> ModelFault:
    kind = "unauthorised" if _is_spent(error) else _kind(status, error.get("type"))
    advice = headers.get("x-should-retry")
    return ModelFault(
        kind,
        is_retryable=kind in _RETRYABLE if advice not in {"true", "false"} else advice == "true",
        detail=f"{status} {error.get('type')}: {error.get('message')} (request {request})",
        retry_after=_retry_after(headers),
        usage=usage,
    )


def _kind(status: int, word: object) -> FaultKind:
    if isinstance(word, str) and word in _BY_TYPE:
        return _BY_TYPE[word]
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "rejected" if _FIRST_REFUSAL <= status < _FIRST_FAILURE else "unavailable"


def _error(body: object) -> Mapping[str, Any]:
    error = body.get("error") if isinstance(body, Mapping) else None
    return error if isinstance(error, Mapping) else {}


def _is_spent(error: Mapping[str, Any]) -> bool:
    details = error.get("details")
    code = details.get("error_code") if isinstance(details, Mapping) else None
    return isinstance(code, str) and code.endswith(_SPENT)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, however they were given; a date counts from the answer's own, so no clock is asked."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        return max(0.0, seconds) if isfinite(seconds) else None
    try:
        wait = parsedate_to_datetime(headers.get("retry-after", "")) - parsedate_to_datetime(headers.get("date", ""))
    except (TypeError, ValueError):
        return None
    return max(0.0, wait.total_seconds())
