"""`handgriff.models.anthropic.faults`."""

from typing import Any

import pytest

from handgriff.core.usage import Usage
from handgriff.models.anthropic import faults

USED = Usage.of(input=25)


def body(kind: str, code: str | None = None) -> dict[str, Any]:
    details = {"details": {"error_code": code}} if code else {}
    return {"type": "error", "error": {"type": kind, "message": "words", **details}}


@pytest.mark.parametrize(
    ("status", "kind", "expected", "is_retryable"),
    [
        (529, "overloaded_error", "overloaded", True),
        (429, "rate_limit_error", "rate_limited", True),
        (500, "api_error", "unavailable", True),
        (503, "", "unavailable", True),
        (504, "timeout_error", "unavailable", True),
        (408, "", "unavailable", True),
        (409, "conflict_error", "unavailable", True),
        (400, "invalid_request_error", "rejected", False),
        (404, "not_found_error", "rejected", False),
        (413, "request_too_large", "rejected", False),
        (422, "", "rejected", False),
        (401, "authentication_error", "unauthorised", False),
        (402, "billing_error", "unauthorised", False),
        (403, "permission_error", "unauthorised", False),
        (529, "", "overloaded", True),
        (429, "", "rate_limited", True),
        (403, "", "unauthorised", False),
    ],
)
def test_a_refused_request_is_classed_by_its_type_or_else_its_status(status: int, kind: str, expected: str, *, is_retryable: bool) -> None:
    fault = faults.refused(status, body(kind), {})

    assert (fault.kind, fault.is_retryable, fault.retry_after) == (expected, is_retryable, None)


@pytest.mark.parametrize("odd", [None, "<html>", {"error": "text"}, []])
def test_a_body_of_another_form_is_classed_by_the_status(odd: object) -> None:
    assert faults.refused(529, odd, {}).kind == "overloaded"


def test_an_error_event_is_classed_by_its_type_for_its_stream_has_status_200() -> None:
    fault = faults.interrupted({**body("overloaded_error"), "request_id": "req_1"}, USED)

    assert (fault.kind, fault.is_retryable, fault.usage) == ("overloaded", True, USED)
    assert fault.detail == "200 overloaded_error: words (request req_1)"


def test_an_error_event_of_an_unknown_type_may_be_sent_again() -> None:
    assert faults.interrupted(body("new_error"), USED).is_retryable


def test_a_spent_account_is_not_asked_again() -> None:
    fault = faults.refused(429, body("rate_limit_error", "contract_spend_limit_reached"), {})

    assert (fault.kind, fault.is_retryable) == ("unauthorised", False)


@pytest.mark.parametrize(("advice", "is_retryable"), [("true", True), ("false", False), ("perhaps", True)])
def test_the_provider_may_say_itself_whether_to_send_again(advice: str, *, is_retryable: bool) -> None:
    assert faults.refused(500, body("api_error"), {"x-should-retry": advice}).is_retryable is is_retryable


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "12", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Sun, 29 Nov 2026 10:00:30 GMT", "date": "Sun, 29 Nov 2026 10:00:00 GMT"}, 30.0),
        ({"retry-after": "Sun, 29 Nov 2026 09:00:00 GMT", "date": "Sun, 29 Nov 2026 10:00:00 GMT"}, 0.0),
        ({"retry-after": "Sun, 29 Nov 2026 10:00:30 GMT"}, None),
        ({"retry-after": "Sun, 29 Nov 2026 10:00:30 -0000", "date": "Sun, 29 Nov 2026 10:00:00 GMT"}, None),
    ],
)
def test_the_wait_is_taken_from_the_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert faults.refused(429, body("rate_limit_error"), headers).retry_after == seconds


def test_a_broken_stream_and_an_unreachable_provider_may_be_tried_again() -> None:
    broken, unreachable = faults.broken("cut", USED), faults.unreachable("nobody")

    assert (broken.kind, broken.is_retryable, broken.usage) == ("broken_stream", True, USED)
    assert (unreachable.kind, unreachable.is_retryable, unreachable.usage) == ("unavailable", True, Usage())
