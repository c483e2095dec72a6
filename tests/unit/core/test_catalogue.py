"""Sentences people read."""

from string import Formatter
from typing import get_args

import pytest

from handgriff.core.catalogue import SENTENCES, say
from handgriff.core.events import ProposalState, TurnStatus


@pytest.mark.parametrize("key", list(SENTENCES))
def test_every_sentence_exists_in_all_three_languages(key: str) -> None:
    said = SENTENCES[key]
    is_label = key.startswith(("card_", "code"))

    assert set(said) == {"en", "de", "fr"}
    assert all(sentence.strip() and (is_label or sentence.endswith(".")) for sentence in said.values())
    assert len({frozenset(name for _, name, _, _ in Formatter().parse(sentence) if name) for sentence in said.values()}) == 1


@pytest.mark.parametrize("state", get_args(ProposalState))
def test_every_state_of_a_proposal_is_said_to_people(state: str) -> None:
    assert f"state_{state}" in SENTENCES


@pytest.mark.parametrize(
    ("locale", "sentence"),
    [
        *(("en", "Stopped."), ("de", "Angehalten."), ("fr", "Arrêté.")),
        *(("de-AT", "Angehalten."), ("de_CH", "Angehalten."), ("DE", "Angehalten."), ("fr-CA-x-a", "Arrêté.")),
        *(("it", "Stopped."), ("", "Stopped."), ("deu", "Stopped."), ("-de", "Stopped."), ("日本", "Stopped.")),
    ],
)
def test_a_locale_chooses_the_language_and_english_stands_in(locale: str, sentence: str) -> None:
    assert say("aborted", locale) == sentence


@pytest.mark.parametrize("status", [status for status in get_args(TurnStatus) if status != "done"])
def test_every_end_but_a_good_one_is_said_to_people(status: str) -> None:
    assert say(status, "en")


def test_a_code_without_a_sentence_of_its_own_is_a_failure() -> None:
    assert say("broken_stream", "de") == "Die Antwort ist fehlgeschlagen. Bitte versuchen Sie es noch einmal."
