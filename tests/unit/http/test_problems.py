import json
import logging

import pytest

from handgriff import BackendError, Refusal
from handgriff.core.refusal_codes import REFUSAL_WORDS
from handgriff.errors import REFUSAL_CODES, RefusalCode
from handgriff.http.problems import Problem, answer, invalid, problem_of


@pytest.mark.parametrize("code", REFUSAL_CODES)
def test_every_refusal_has_a_problem_document(code: RefusalCode) -> None:
    problem = problem_of(Refusal(code, "No.", next="Do this.", fields={"a": "b"}, names=("x", "y"), none=None))

    response = answer(problem)
    document = json.loads(bytes(response.body))
    assert response.status_code == document["status"] == REFUSAL_WORDS[code].status
    assert response.headers["content-type"] == "application/problem+json"
    assert document == {
        "type": f"urn:handgriff:{code}",
        "title": REFUSAL_WORDS[code].title,
        "status": REFUSAL_WORDS[code].status,
        "detail": "No.",
        "code": code,
        "next": "Do this.",
        "facts": {"fields": {"a": "b"}, "names": ["x", "y"]},
    }


def test_when_to_come_back_is_a_header_too() -> None:
    assert answer(problem_of(Refusal("rate_limited", "Later.", retry_after=7))).headers["retry-after"] == "7"


def test_a_backends_words_stay_in_the_log_B139(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        problem = problem_of(BackendError("pg", "reading", hint="pw1@10.0.0.5"))

    assert (problem.status, problem.code) == (503, "transient")
    incident = problem.facts["incident"]
    assert str(incident) in caplog.text
    assert "10.0.0.5" in caplog.text
    assert "10.0.0.5" not in repr(problem.members())


def test_anything_else_is_permanent() -> None:
    assert problem_of(KeyError("secret")).code == "permanent"
    assert "secret" not in repr(problem_of(KeyError("secret")).members())


def test_a_problem_stays_what_it_is() -> None:
    problem = Problem(415, "unsupported_media_type", "Unsupported media type", "JSON only.")

    assert problem_of(problem) is problem
    assert "next" not in problem.members()
    assert "facts" not in problem.members()


def test_a_wrong_member_is_named() -> None:
    assert invalid("a/b", "expected a list").facts["fields"] == {"a/b": "expected a list"}
