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
    ("locale", "told"),
    [("en", "(cut off)"), ("de-AT", "(abgebrochen)"), ("fr_CH", "(interrompu)"), ("it", "(cut off)"), ("DE", "(abgebrochen)")],
)
def test_a_locale_finds_its_language_or_english(locale: str, told: str) -> None:
    assert word("cut_off", locale) == told


@pytest.mark.parametrize("question", ["confirm", "withdraw"])
@pytest.mark.parametrize("locale", ["en", "de", "fr"])
def test_the_letters_a_question_offers_answer_it(question: str, locale: str) -> None:
    yes, no = word(question, locale).split("[")[1].split("]")[0].casefold().split("/")

    assert yes in YES
    assert no in NO
    assert not YES & NO
