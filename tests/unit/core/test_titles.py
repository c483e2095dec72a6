import pytest

from handgriff.core.titles import title_in

TITLES = {"en": "Orders", "de": "Bestellungen", "fr-CA": "Commandes"}


@pytest.mark.parametrize(
    ("locale", "title"),
    [
        ("de", "Bestellungen"),
        ("de-AT", "Bestellungen"),
        ("DE_at", "Bestellungen"),
        ("fr-CA", "Commandes"),
        ("fr", "Orders"),
        ("", "Orders"),
    ],
)
def test_a_title_is_in_the_language_or_in_english(locale: str, title: str) -> None:
    assert title_in(TITLES, locale) == title


def test_without_english_any_title_is_better_than_none() -> None:
    assert title_in({"de": "Bestellungen"}, "fr") == "Bestellungen"
    assert title_in({}, "fr") is None
