from string import Formatter

import pytest

from handgriff.cli.catalogue import NO, WORDS, YES, word


@pytest.mark.parametrize("key", WORDS)
def test_every_word_is_there_in_three_languages_with_the_same_facts(key: str) -> None:
    words = WORDS[key]
    facts = {frozenset(name for _, name, _, _ in Formatter().parse(text) if name) for text in words.values()}

    assert words.keys() == {"en", "de", "fr"}
    assert len(facts) == 1


@pytest.mark.parametrize(
    ("locale", "told"), [("en", "before"), ("de-AT", "vorher"), ("fr_CH", "avant"), ("it", "before"), ("DE", "vorher")]
)
def test_a_locale_finds_its_language_or_english(locale: str, told: str) -> None:
    assert word("before", locale) == told


@pytest.mark.parametrize("locale", ["en", "de", "fr"])
def test_the_letters_a_question_offers_answer_it(locale: str) -> None:
    yes, no = word("confirm", locale).split("[")[1].split("]")[0].casefold().split("/")

    assert yes in YES
    assert no in NO
    assert not YES & NO
