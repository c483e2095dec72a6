"""A proposal as HTML: who may do what, and text that stays text."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff import Caller
from handgriff.core import jsontext
from handgriff.core.events import ConfirmKind, ShownChange
from handgriff.core.rows import Proposal
from handgriff.http.card import card
from handgriff.http.page import page
from tests.unit.http.items import MOMENT

ADA, BOB, DORA = Caller("acme", "ada"), Caller("acme", "bob"), Caller("acme", "dora", locale="de-AT")
PLAIN = Proposal(
    "acme", "ada", "s_1", "t_1", "p_1", "c_1", "pay", '{"amount":10,"to":"acc-2","lines":[1,2]}', "digest", "contract", "Pay 10?",
    (ShownChange("Balance", "100 €", "90 €"), ShownChange("Note", None, "new")), "before", "print", MOMENT, MOMENT,
)  # fmt: skip
VOID = {"meta", "link", "input"}


class Read(HTMLParser):
    """What a browser makes of a page: its elements, their attributes, its text."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(proposal: Proposal, caller: Caller = ADA, state: str = "pending", title: str = "Pay out") -> str:
    return card(proposal, caller, state=state, title=title, name="card-1")


def acts(markup: str) -> list[str]:
    return re.findall(r'data-act="(\w+)"', markup)


def test_it_shows_what_will_happen_both_sides_of_it_and_what_is_carried_out() -> None:
    markup = shown(replace(PLAIN, count=7, sample=("one", "two")))
    text = Read(markup).text

    for words in (
        "Pay 10?",
        "Pay out",
        "Asked for by ada",
        "Before",
        "After",
        "7 in all, for example:",
        "one",
        "two",
        "2026-03-02 09:00 UTC",
    ):
        assert words in text
    assert "<del>100 €</del>" in markup
    assert "<ins>90 €</ins>" in markup
    assert '<th scope="row" dir="auto">lines</th><td dir="auto">[1,2]</td>' in markup
    assert '<th scope="row" dir="auto">to</th><td dir="auto">acc-2</td>' in markup


@pytest.mark.parametrize(
    ("confirm", "caller", "expected"),
    [
        ("person", ADA, ["decline", "confirm"]),
        ("code", ADA, ["code", "decline", "confirm"]),
        ("second_person", ADA, ["decline"]),
        ("second_person", BOB, ["decline", "confirm"]),
    ],
)
def test_who_decides_gets_the_buttons_and_declining_comes_first(confirm: ConfirmKind, caller: Caller, expected: list[str]) -> None:
    markup = shown(replace(PLAIN, confirm=confirm), caller)

    assert acts(markup) == expected
    assert "autofocus" not in markup
    assert ("Another person must confirm this." in markup) == (confirm == "second_person" and caller is ADA)


@pytest.mark.parametrize("state", ["running", "done", "declined", "expired", "stale", "superseded", "failed", "indeterminate"])
def test_what_does_not_wait_says_what_it_is_and_has_no_buttons(state: str) -> None:
    markup = shown(replace(PLAIN, confirm="code", decided_by="bob"), DORA, state)

    assert acts(markup) == []
    assert "input" not in Read(markup).elements
    assert "Entschieden von bob" in Read(markup).text
    assert re.search(r'<p role="status" tabindex="-1">[^<]+\.</p>', markup)


def test_how_many_without_an_example_is_only_a_number() -> None:
    assert "7 in all<" in shown(replace(PLAIN, count=7))
    assert "<ul>" not in shown(replace(PLAIN, count=7))


def test_what_turns_the_direction_of_writing_is_made_visible() -> None:
    text = Read(shown(replace(PLAIN, summary="Pay \u202e01\u2069?"))).text

    assert "Pay \\u202e01\\u2069?" in text


ANY = st.text(st.characters(exclude_categories=[]), max_size=30) | st.sampled_from(
    [
        "<script>alert(1)</script>",
        "</section>",
        '"><img src=x onerror=alert(1)>',
        "' onclick='x",
        "&lt;b&gt;",
        "{state}",
        "]]>",
        "<!--",
        "\0",
    ]
)


@given(ANY, ANY, ANY, st.sampled_from(["person", "code", "second_person"]))
def test_text_of_others_makes_no_element_and_no_attribute(one: str, two: str, three: str, confirm: ConfirmKind) -> None:
    hostile = replace(
        PLAIN,
        summary=one,
        user=two,
        decided_by=three,
        confirm=confirm,
        diff=(ShownChange(one, two, three),),
        arguments=jsontext.dumps({"amount": jsontext.clean(two)}),
        count=3,
        sample=(one, three),
    )
    plain = replace(
        PLAIN,
        confirm=confirm,
        user="u",
        decided_by="d",
        diff=(ShownChange("a", "b", "c"),),
        arguments='{"amount":"x"}',
        count=3,
        sample=("x", "y"),
    )
    for state in ("pending", "done"):
        read, expected = (Read(bytes(page(shown(each, BOB, state, title=three), "en").body).decode()) for each in (hostile, plain))

        assert read.elements == expected.elements
        assert [name for name, _ in read.attributes] == [name for name, _ in expected.attributes]
        assert read.open == []


@pytest.mark.parametrize(("locale", "language"), [("de-AT", "de"), ("fr", "fr"), ("en-GB", "en"), ("ar", "en"), ("he", "en"), ("", "en")])
def test_a_page_says_in_which_language_its_own_words_are(locale: str, language: str) -> None:
    markup = bytes(page("", locale).body).decode()

    assert f'<html lang="{language}" dir="ltr">' in markup
