"""What an effect record says to whoever comes second. Cases B105, B106."""

from dataclasses import replace

import pytest
from hypothesis import given

from handgriff.core.claim import answer_from, read_outcome, unknown, write_outcome
from handgriff.core.events import Shown
from handgriff.core.outcome import Outcome
from handgriff.errors import Refusal
from handgriff.testing.samples import EFFECT, USER, at
from tests.unit.core.anything import anything

OUTCOME = Outcome(Shown("Paid."), '{"summary":"Paid."}', data="[1]", introduced=(("payment", "p_1"),))
DONE = replace(EFFECT, state="done", result=write_outcome(OUTCOME))
RUNNING = replace(EFFECT, state="running", lease_until=at(60))


def test_a_repeated_wish_gets_the_stored_result_and_it_says_so() -> None:
    assert answer_from(DONE, "d1", USER, at(0)) == replace(OUTCOME, replayed=True)


@pytest.mark.parametrize("state", ["running", "done", "failed", "indeterminate"])
def test_the_same_key_with_other_arguments_is_a_conflict_in_every_state(state: str) -> None:
    """B105."""
    with pytest.raises(Refusal, match="conflict: The same idempotency key was used with other arguments"):
        answer_from(replace(DONE, state=state), "d2", USER, at(0))  # type: ignore[arg-type]  # one of them


@pytest.mark.parametrize(("seconds", "wait"), [(0, 60), (30.5, 29), (59.5, 1)])
def test_a_call_in_flight_is_a_conflict_that_says_when_to_come_back(seconds: float, wait: int) -> None:
    """B105: one runs, the other is told so."""
    with pytest.raises(Refusal, match="conflict") as raised:
        answer_from(RUNNING, "d1", USER, at(seconds))
    assert raised.value.facts["retry_after"] == wait


@pytest.mark.parametrize("seconds", [60, 3600])
def test_a_claim_without_an_outcome_is_unknown_once_its_lease_is_over(seconds: float) -> None:
    """B106: nobody is told to try again."""
    with pytest.raises(Refusal, match="indeterminate") as raised:
        answer_from(RUNNING, "d1", USER, at(seconds))
    assert raised.value.next is not None
    assert raised.value.next.startswith("Do not repeat it.")


def test_what_nobody_knows_stays_unknown() -> None:
    with pytest.raises(Refusal, match="indeterminate"):
        answer_from(replace(EFFECT, state="indeterminate"), "d1", USER, at(9999))


def test_a_failed_record_met_here_was_claimed_by_somebody_else() -> None:
    """B105: a failure is not given again as if it were final."""
    with pytest.raises(Refusal, match="conflict") as raised:
        answer_from(replace(EFFECT, state="failed"), "d1", USER, at(0))
    assert raised.value.facts["retry_after"] == 1


def test_an_unknown_outcome_may_carry_its_incident() -> None:
    assert unknown("i7").facts["incident"] == "i7"
    assert unknown().facts["incident"] is None


@given(anything(Outcome))
def test_an_outcome_is_kept_as_it_was(outcome: Outcome) -> None:
    assert read_outcome(write_outcome(outcome)) == outcome


def test_what_one_user_was_answered_is_not_told_to_another() -> None:
    with pytest.raises(Refusal, match="conflict") as refusal:
        answer_from(DONE, "d1", "bob", at(0))

    assert OUTCOME.shown.summary not in refusal.value.message
