from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from handgriff.cli.given import Given
from handgriff.cli.words import how_in_words, may_try_again, state_in_words, still_waits, undecided, unsent, ways
from handgriff.core.events import ConfirmKind, ProposalState
from handgriff.core.proposal import already
from handgriff.core.rows import EffectState, Proposal
from handgriff.errors import Refusal

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
LOCALES = ("en", "de", "fr")
DENIED = Refusal("denied", "The code is wrong.", tries_left=3)
NO_CODE = Refusal("invalid", "code: expected the 6 digits that were sent.", fields={"code": "expected 6 digits"})
AWAY = Refusal("transient", "The rights service is away.")
BUSY = Refusal("conflict", "The same is being done.", retry_after=2)
LIMITED = Refusal("rate_limited", "A code was sent already.", retry_after=29)


def waiting(state: ProposalState = "pending") -> Proposal:
    return Proposal(
        *("acme", "ada", "s_1", "t_1", "p_1", "c_1", "cancel", "{}", "d", "c", "Cancel?", (), "{}", "f"),
        created_at=NOON,
        expires_at=NOON + timedelta(minutes=10),
        state=state,
    )


@pytest.mark.parametrize("state", sorted({*get_args(ProposalState), *get_args(EffectState)}))
def test_every_state_has_its_words_in_each_language(state: ProposalState) -> None:
    assert len({state_in_words(state, locale) for locale in LOCALES}) == 3


@pytest.mark.parametrize("confirm", get_args(ConfirmKind))
def test_every_way_to_confirm_has_words(confirm: ConfirmKind) -> None:
    assert all(how_in_words(confirm, locale) for locale in LOCALES)


@pytest.mark.parametrize(("seconds", "state"), [(599, "pending"), (600, "expired"), (10_000, "expired")])
def test_what_is_over_is_expired_before_anybody_decides(seconds: int, state: str) -> None:
    later = NOON + timedelta(seconds=seconds)

    assert waiting().state_at(later) == state
    assert waiting("done").state_at(later) == "done"


@pytest.mark.parametrize(
    ("confirm", "commands"),
    [
        ("person", [("confirm", "confirm a:b p_1 --as acme/ada"), ("decline", "decline a:b p_1 --as acme/ada")]),
        (
            "code",
            [
                ("confirm", "confirm a:b p_1 --as acme/ada"),
                ("decline", "decline a:b p_1 --as acme/ada"),
                ("new code", "code a:b p_1 --as acme/ada"),
            ],
        ),
        ("second_person", [("confirm", "confirm a:b p_1 --as acme/USER"), ("decline", "decline a:b p_1 --as acme/ada")]),
    ],
    ids=get_args(ConfirmKind),
)
def test_each_way_to_confirm_has_its_commands(confirm: str, commands: list[tuple[str, str]]) -> None:
    told = ways(Given(target="a:b", who="acme/ada"), "p_1", confirm)

    assert told == [(name, f"handgriff proposals {line}") for name, line in commands]


@pytest.mark.parametrize(
    ("refusal", "confirm", "told"),
    [
        pytest.param(already("done"), "person", "Darüber ist schon entschieden: Erledigt.", id="decided"),
        pytest.param(DENIED, "code", "Der Code ist falsch. Verbleibende Versuche: 3", id="a wrong code"),
        pytest.param(NO_CODE, "code", "Geben Sie die sechs Ziffern ein, die Ihnen gesendet wurden.", id="no code"),
        pytest.param(
            AWAY, "person", "Das kann gerade nicht geprüft werden. Es wartet weiter; bitte versuchen Sie es noch einmal.", id="away"
        ),
        pytest.param(
            BUSY, "person", "Das kann gerade nicht geprüft werden. Es wartet weiter; bitte versuchen Sie es noch einmal.", id="busy"
        ),
        pytest.param(Refusal("denied", "No."), "second_person", "Eine andere Person muss das bestätigen.", id="the owner"),
        pytest.param(Refusal("not_found", "There is no such proposal."), "person", "There is no such proposal.", id="anything else"),
    ],
)
def test_why_it_was_not_decided_is_said_in_the_persons_words_with_its_facts(refusal: Refusal, confirm: ConfirmKind, told: str) -> None:
    said = undecided(refusal, confirm, "de", another="handgriff …")

    assert (said.code, said.message, said.facts) == (refusal.code, told, refusal.facts)


def test_the_owner_is_told_the_command_of_another() -> None:
    said = undecided(Refusal("denied", "No."), "second_person", "en", another="handgriff proposals confirm")

    assert said.next == "As somebody else: handgriff proposals confirm"


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        pytest.param(LIMITED, "A code was sent a short while ago. Seconds until another one can be sent: 29", id="too early"),
        pytest.param(AWAY, "The code could not be sent. Please try again in a moment.", id="away"),
        pytest.param(already("expired"), "This is decided already: Nobody confirmed in time. Nothing was done.", id="decided"),
        pytest.param(Refusal("invalid", "This proposal needs no code."), "This proposal needs no code.", id="none needed"),
    ],
)
def test_why_no_code_was_sent_is_said(refusal: Refusal, told: str) -> None:
    assert unsent(refusal, "en").message == told


def test_only_what_a_code_can_mend_is_tried_again_and_only_what_passes_still_waits() -> None:
    refusals = (DENIED, NO_CODE, AWAY, BUSY, LIMITED, already("done"), Refusal("not_found", "No."))

    assert [may_try_again(refusal) for refusal in refusals] == [True, True, False, False, False, False, False]
    assert [still_waits(refusal) for refusal in refusals] == [False, False, True, True, True, False, False]
