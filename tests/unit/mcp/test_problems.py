"""What is answered before MCP begins."""

import json
import logging

import pytest

from handgriff import BackendError, Refusal
from handgriff.mcp.problems import broken, nobody, nothing_here


def test_nobody_is_asked_for_a_token() -> None:
    assert (nobody().status_code, nobody().headers["www-authenticate"]) == (401, "Bearer")
    assert nobody().headers["content-type"].startswith("application/problem+json")


def test_what_is_not_here_is_not_kept() -> None:
    assert (nothing_here().status_code, nothing_here().headers["cache-control"]) == (404, "no-store")


def test_a_refusal_is_answered_in_its_own_words() -> None:
    answer = broken(Refusal("rate_limited", "Slow down."))

    assert answer.status_code == 429
    assert json.loads(bytes(answer.body))["detail"] == "Slow down."


@pytest.mark.parametrize(
    ("error", "status"), [(BackendError("x", "y", hint="hunter2"), 503), (KeyError("hunter2"), 500)], ids=["backend", "bug"]
)
def test_anything_else_is_an_incident(error: Exception, status: int, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "handgriff.mcp"):
        answer = broken(error)

    assert answer.status_code == status
    assert b"hunter2" not in bytes(answer.body)
    assert "hunter2" in caplog.text
