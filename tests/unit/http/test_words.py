"""Why a decision was not taken, in words: each reason its own, in three languages, and none where there is nothing to add."""

from dataclasses import replace
from typing import get_args

import pytest

from handgriff import BackendError, Refusal
from handgriff.core.catalogue import say
from handgriff.core.events import CallOutcome, ConfirmKind, ProposalState, Shown
from handgriff.core.proposal import already
from handgriff.core.rows import Proposal
from handgriff.http.words import too_late, undecided, unsent
from handgriff.runtime.decide import Decided
from tests.unit.http.items import MOMENT

LOCALES = ["en", "de-CH", "fr"]


def proposal(confirm: ConfirmKind = "person") -> Proposal:
    return Proposal(
        "acme", "ada", "s_1", None, "p_1", "c_1", "pay", "{}", "digest", "contract", "Pay?", (), "before", "print", MOMENT, MOMENT,
        confirm=confirm,
    )  # fmt: skip


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("state", [state for state in get_args(ProposalState) if state != "pending"])
def test_what_is_decided_already_says_how(state: ProposalState, locale: str) -> None:
    problem = undecided(already(state), proposal(), locale)

    assert problem.message is not None
    assert problem.message.endswith(say(f"state_{state}", locale))
    assert problem.facts["state"] == state


@pytest.mark.parametrize("state", get_args(ProposalState))
def test_only_what_has_expired_was_decided_too_late(state: ProposalState) -> None:
    outcome = CallOutcome("c_1", "pay", "consent", Shown("Ended."), "digest")

    late = too_late(Decided(replace(proposal(), state=state), outcome, continues=True))

    assert (late and (late.code, late.facts)) == (("expired", {"state": "expired"}) if state == "expired" else None)


@pytest.mark.parametrize(
    ("refusal", "confirm", "message"),
    [
        (Refusal("denied", "The code is wrong.", tries_left=2), "code", "Der Code ist falsch. Verbleibende Versuche: 2"),
        (Refusal("denied", "Another person must."), "second_person", "Eine andere Person muss das bestätigen."),
        (Refusal("invalid", "code: six digits."), "code", "Geben Sie die sechs Ziffern ein, die Ihnen gesendet wurden."),
        (Refusal("unconfirmed", "None was sent."), "code", "Geben Sie die sechs Ziffern ein, die Ihnen gesendet wurden."),
        (
            Refusal("transient", "Away."),
            "person",
            "Das kann gerade nicht geprüft werden. Es wartet weiter; bitte versuchen Sie es noch einmal.",
        ),
        (Refusal("denied", "Not yours."), "person", None),
        (Refusal("not_found", "There is no such proposal."), "code", None),
    ],
    ids=["wrong code", "second person", "no digits", "no code", "transient", "denied", "gone"],
)
def test_each_reason_has_its_words(refusal: Refusal, confirm: ConfirmKind, message: str | None) -> None:
    problem = undecided(refusal, proposal(confirm), "de")

    assert (problem.message, problem.detail, problem.code) == (message, refusal.message, refusal.code)


@pytest.mark.parametrize("locale", LOCALES)
def test_a_store_that_is_away_says_no_more_than_that_it_waits(locale: str) -> None:
    problem = undecided(BackendError("pg", "reading", hint="pw1@10.0.0.5"), proposal(), locale)

    assert problem.message == say("card_again", locale)
    assert "pw1" not in repr(problem.members())


def test_a_code_too_soon_says_how_long_to_wait() -> None:
    assert unsent(Refusal("rate_limited", "Later.", retry_after=17), "en").message == (
        "A code was sent a short while ago. Seconds until another one can be sent: 17"
    )
    assert unsent(BackendError("codes", "sending"), "fr").message == say("card_code_failed", "fr")
    assert unsent(Refusal("not_found", "There is no such proposal."), "en").message is None
