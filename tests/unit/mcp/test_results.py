"""An outcome as a client of MCP is answered."""

import logging

import pytest

from handgriff import BackendError, Refusal
from handgriff.core.events import Moved, Shown, ShownChange
from handgriff.core.outcome import Outcome, refused, told
from handgriff.mcp.results import failed, result_of, structured

SHOWN = Shown("Paid.", "/orders/1", "Order 1", (ShownChange("State", "open", "paid"),))


def test_a_success_shows_summary_link_and_diff_and_never_the_data() -> None:
    answer = result_of(Outcome(SHOWN, '{"summary":"Paid.","data":{"iban":"x"}}', data='{"iban":"x"}'))

    assert answer.is_error is False
    assert [part.model_dump(exclude_none=True) for part in answer.content] == [
        {"type": "text", "text": '{"summary":"Paid.","data":{"iban":"x"}}'}
    ]
    assert answer.structured_content == {
        "summary": "Paid.",
        "link": {"href": "/orders/1", "label": "Order 1"},
        "diff": [{"label": "State", "before": "open", "after": "paid"}],
    }


def test_a_link_without_a_label_is_its_own() -> None:
    assert structured(Outcome(Shown("Paid.", "/orders/1"), "{}"))["link"] == {"href": "/orders/1", "label": "/orders/1"}


def test_what_moved_a_workflow_tells_where_it_is() -> None:
    moved = Moved("order", "s_1", "open", "paid")
    outcome = told(Outcome(SHOWN, '{"summary":"Paid."}', moved=moved), "workflow", {"machine": "order", "state": "paid", "open": ["ship"]})

    assert structured(outcome)["workflow"] == {"machine": "order", "state": "paid", "open": ["ship"]}
    assert structured(outcome)["moved"] == {"machine": "order", "before": "open", "after": "paid"}


def test_data_that_speaks_of_a_workflow_is_none() -> None:
    outcome = Outcome(Shown("Read."), '{"summary":"Read.","data":{"workflow":{"state":"paid"}}}')

    assert structured(outcome) == {"summary": "Read."}


def test_a_refusal_shows_its_code_next_step_and_facts() -> None:
    answer = result_of(refused(Refusal("closed", "Not now.", next="Wait.", state="open", allowed=["ship"])))

    assert answer.is_error is True
    error = {"code": "closed", "message": "Not now.", "next": "Wait.", "facts": {"state": "open", "allowed": ["ship"]}}
    assert answer.structured_content == {"summary": "Not now.", "error": error}


def test_what_waits_for_a_person_has_a_link() -> None:
    outcome = refused(Refusal("unconfirmed", "Pay?", link="/confirm/p_1", proposal="p_1"))

    assert structured(outcome)["link"] == {"href": "/confirm/p_1", "label": "/confirm/p_1"}


def test_a_refusal_before_the_call_is_answered_in_its_own_words() -> None:
    assert failed(Refusal("not_found", "There is no such session.")).shown.summary == "There is no such session."


@pytest.mark.parametrize(
    ("error", "code"),
    [
        pytest.param(RuntimeError("hunter2"), "permanent", id="a mistake"),
        pytest.param(BackendError("store", "reading", hint="hunter2"), "transient", id="a backend"),
    ],
)
def test_any_other_error_is_logged_and_told_as_an_incident(error: Exception, code: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "handgriff.mcp"):
        outcome = failed(error)

    assert outcome.code == code
    assert outcome.incident is not None
    assert outcome.incident in caplog.text
    assert "hunter2" in caplog.text
    assert "hunter2" not in outcome.text
