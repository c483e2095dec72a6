"""`handgriff proposals` and `call` where a code or another person is needed: what is shown, asked and answered, in whose language."""

import re
from pathlib import Path

import pytest

from tests.interaction.cli_inside import (
    ADA,
    CLOSE,
    MOVE,
    PAY,
    TILL,
    asked,
    chat,
    code,
    codes,
    folder,
    happened,
    proposals,
    run,
    typed,
    wrong,
)
from tests.interaction.cli_process import of_type

__all__ = ["folder"]


# What is listed and shown ---------------------------------------------------------------------------------------------------


def test_the_list_says_who_asks_and_who_confirms(folder: Path) -> None:
    paid, closing, moved = asked(PAY), asked(CLOSE), asked(MOVE)

    mine = run("proposals", "ls", TILL, *ADA).out
    bobs = run("proposals", "ls", TILL, "--as", "acme/bob").out

    assert re.search(r"^PROPOSAL +TOOL +ASKED BY +HOW +EXPIRES +SUMMARY", mine)
    assert re.search(rf"^{paid} +pay +ada +code ", mine, re.MULTILINE)
    assert re.search(rf"^{moved} +transfer +ada +person ", mine, re.MULTILINE)
    assert re.search(rf"^{closing} +close_till +ada +second person ", mine, re.MULTILINE)
    assert re.search(rf"^{closing} +close_till +ada +zweite Person ", bobs, re.MULTILINE)
    assert re.findall(r"^p_\w+", bobs, re.MULTILINE) == [closing], "what only its owner may confirm is the owner's alone"


def test_what_is_shown_is_all_that_is_decided_upon(folder: Path) -> None:
    shown = proposals("show", asked(PAY))

    assert "Pay 10 to acc-2?" in shown.out
    assert re.search(r"Balance +- 100 € +\+ 90 €", shown.out)
    assert re.search(r"1200 in all, for example: +│\n│   · invoice 1 +│\n│   · invoice 2 ", shown.out), "and inert"
    for line in ("state: pending: Waiting for a decision.", "asked by: ada", "confirmed by: code", 'arguments: {"amount":10,"to":"acc-2"}'):
        assert f"\n{line}\n" in shown.out


def test_a_second_person_is_shown_who_asks(folder: Path) -> None:
    closing = asked(CLOSE)

    mine, bobs = proposals("show", closing).out, proposals("show", closing, "acme/bob").out

    assert "Another person must confirm this." in mine
    assert "Gewünscht von ada" in bobs
    assert "Eine andere Person" not in bobs


def test_json_keeps_the_codes_and_says_who_confirms(folder: Path) -> None:
    paid = asked(PAY)

    shown = proposals("show", paid, "acme/ada", "--json", "--locale", "de").json

    assert (shown["state"], shown["confirm"], shown["code_sent"], shown["user"]) == ("pending", "code", True, "ada")
    assert (shown["count"], shown["sample"][0]) == (1200, "invoice 1")
    assert run("proposals", "ls", TILL, *ADA, "--json").json == [shown]


@pytest.mark.parametrize(
    ("locale", "words"),
    [("en", "Declined. Nothing was done."), ("de-AT", "Abgelehnt. Es ist nichts geschehen."), ("fr", "Refusé. Rien n'a été fait.")],
)
def test_a_state_is_said_in_the_callers_words(folder: Path, locale: str, words: str) -> None:
    paid = asked(PAY)

    declined = proposals("decline", paid, "acme/ada", "--locale", locale)

    assert declined.code == 0
    assert f"{paid}: {words} (ada)" in declined.out
    assert f"state: declined: {words}" in proposals("show", paid, "acme/ada", "--locale", locale).out


# A code ---------------------------------------------------------------------------------------------------------------------


def test_a_code_is_read_from_stdin_and_shown_nowhere(folder: Path) -> None:
    paid = asked(PAY)
    right = code(folder)

    confirmed = proposals("confirm", paid, stdin=f" {right[:3]} {right[3:]} \n")

    assert (confirmed.code, confirmed.err) == (0, "")
    assert "Code that was sent to you\n" in confirmed.out
    assert "pay: Paid 10." in confirmed.out
    assert right not in confirmed.out
    assert happened(folder) == ["pay 10 to acc-2"]


def test_a_wrong_code_that_was_piped_in_is_denied_and_can_be_tried_again(folder: Path) -> None:
    paid = asked(PAY)
    right = code(folder)

    denied = proposals("confirm", paid, "acme/ada", "--json", stdin=f"{wrong(right)}\n{right}\n")
    in_words = proposals("confirm", paid, "acme/ada", "--locale", "fr", stdin=f"{wrong(right)}\n")

    assert (denied.code, denied.json["refused"], denied.json["tries_left"]) == (1, "denied", 4), "only the first line is the code"
    assert (in_words.code, in_words.err) == (1, "✗ denied: Le code est incorrect. Essais restants : 3\n")
    assert proposals("confirm", paid, stdin=f"{right}\n").code == 0
    assert happened(folder) == ["pay 10 to acc-2"]


@pytest.mark.parametrize("given", ["", "\n", "yes\n", "12345\n", "1234567\n"], ids=["nothing", "empty", "a word", "five", "seven"])
def test_what_is_no_code_costs_no_try(folder: Path, given: str) -> None:
    paid = asked(PAY)

    refused = proposals("confirm", paid, stdin=given)

    assert (refused.code, refused.err) == (1, "✗ invalid: Enter the six digits that were sent to you.\n")
    assert proposals("confirm", paid, "acme/ada", "--json", stdin=f"{wrong(code(folder))}\n").json["tries_left"] == 4


def test_a_new_code_is_sent_on_request_and_the_old_one_is_worth_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paid = asked(PAY)

    early = proposals("code", paid, "acme/ada", "--locale", "de")
    monkeypatch.setenv("TILL_LATER", "31")
    sent = proposals("code", paid)
    old, new = codes(folder)

    assert early.code == 1
    assert re.fullmatch(r"✗ rate_limited: Vor Kurzem wurde ein Code gesendet\. .*: \d+\n", early.err)
    assert (sent.code, sent.out) == (0, f"proposal: {paid}\ncode: A new code was sent.\n")
    assert proposals("confirm", paid, stdin=f"{old if old != new else wrong(new)}\n").code == 1
    assert proposals("confirm", paid, stdin=f"{new}\n").code == 0


def test_json_keeps_why_no_code_was_sent(folder: Path) -> None:
    early = proposals("code", asked(PAY), "acme/ada", "--json")
    none = proposals("code", asked(MOVE), "acme/ada", "--json")

    assert (early.code, early.json["refused"]) == (1, "rate_limited")
    assert 0 < early.json["retry_after"] <= 30
    assert (none.code, none.json["refused"], none.json["message"]) == (1, "invalid", "This proposal needs no code.")


def test_no_code_is_needed_to_decline(folder: Path) -> None:
    assert proposals("decline", asked(PAY)).code == 0
    assert happened(folder) == []


# A second person ------------------------------------------------------------------------------------------------------------


def test_another_person_confirms_and_the_conversation_goes_on_for_its_owner(folder: Path) -> None:
    left = chat(CLOSE, "n")
    closing, session = re.findall(r"p_\w+", left.out)[0], re.findall(r"s_\w+", left.out)[0]

    confirmed = proposals("confirm", closing, "acme/bob")

    assert (confirmed.code, confirmed.err) == (0, "")
    assert confirmed.out == "  ✓ close_till: Closed.\nErledigt.\n", "what the assistant says is not for bob"
    assert happened(folder) == ["close for holiday: ada, bob"]
    [waiting, done] = [event for event in run("sessions", "show", TILL, session, *ADA, "--json").json["events"] if "status" in event]
    assert (waiting["status"], done["status"]) == ("waiting", "done")
    assert run("sessions", "show", TILL, session, "--as", "acme/bob").code == 1


def test_a_second_person_is_answered_in_json(folder: Path) -> None:
    [decided] = proposals("confirm", asked(CLOSE), "acme/bob", "--json").lines

    assert (decided["type"], decided["state"], decided["decided_by"]) == ("decided", "done", "bob")
    assert decided["outcome"]["shown"] == {"summary": "Closed."}


def test_either_may_decline_what_a_second_person_would_confirm(folder: Path) -> None:
    by_bob, withdrawn = asked(CLOSE), asked(CLOSE)

    assert proposals("decline", by_bob, "acme/bob").code == 0
    assert proposals("decline", withdrawn).code == 0
    assert proposals("show", by_bob, "acme/ada", "--json").json["decided_by"] == "bob"
    assert happened(folder) == []


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("en", "Another person must confirm this. As somebody else: handgriff proposals confirm "),
        ("de", "Eine andere Person muss das bestätigen. Als jemand anderes: handgriff proposals confirm "),
        ("fr", "Une autre personne doit confirmer cela. En tant que quelqu’un d’autre : handgriff proposals confirm "),
    ],
    ids=["en", "de", "fr"],
)
def test_the_owner_is_told_how_somebody_else_confirms(folder: Path, locale: str, words: str) -> None:
    closing = asked(CLOSE)

    refused = proposals("confirm", closing, "acme/ada", "--locale", locale)

    assert (refused.code, refused.err) == (1, f"✗ denied: {words}{TILL} {closing} --as acme/USER\n")
    assert typed(refused.err[refused.err.index("handgriff") :].replace("USER", "bob")).code == 0


# `call` ---------------------------------------------------------------------------------------------------------------------


def test_a_call_that_needs_a_code_says_that_it_was_sent_and_how_to_use_it(folder: Path) -> None:
    ended = run("call", TILL, "pay", "--args", '{"amount": 1, "to": "x"}', *ADA)

    lines = dict(line.split(": ", 1) for line in ended.out.splitlines())
    assert ended.code == 1
    assert lines["unconfirmed"] == "Pay 1 to x? A person must confirm this."
    assert lines["link"] == f"/confirm/{lines['proposal']}"
    assert (lines["confirmed by"], lines["code"]) == (
        "code",
        "A code was sent to you; confirming asks for it. If none has come, ask for a new one.",
    )
    assert "rate_limited" in typed(lines["new code"]).err
    assert typed(lines["confirm"], stdin=f"{code(folder)}\n").code == 0
    assert happened(folder) == ["pay 1 to x"]


def test_a_call_says_that_too_many_codes_were_sent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("call", TILL, "pay", "--args", '{"amount": 1, "to": "x"}', *ADA, "--locale", "de")
    answers = [run(*words) for _ in range(6)]
    lines = dict(line.split(": ", 1) for line in answers[-1].out.splitlines())

    assert len(codes(folder)) == 5
    assert lines["code"] == "Es wurden Ihnen zu viele Codes gesendet; fordern Sie später einen neuen an."
    assert "rate_limited" in typed(lines["new code"]).err


def test_a_code_that_could_not_be_sent_is_asked_for_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILL_SILENT", "1")
    ended = run("call", TILL, "pay", "--args", '{"amount": 1, "to": "x"}', *ADA)
    lines = dict(line.split(": ", 1) for line in ended.out.splitlines())

    monkeypatch.delenv("TILL_SILENT")
    monkeypatch.setenv("TILL_LATER", "31")
    assert typed(lines["new code"]).code == 0
    assert typed(lines["confirm"], stdin=f"{code(folder)}\n").code == 0


def test_a_call_that_needs_another_person_says_how_they_confirm(folder: Path) -> None:
    ended = run("call", TILL, "close_till", "--args", '{"reason": "x"}', *ADA)
    lines = dict(line.split(": ", 1) for line in ended.out.splitlines())

    assert (ended.code, lines["confirmed by"]) == (1, "second person")
    assert lines["confirm"].endswith("--as acme/USER")
    assert typed(lines["confirm"].replace("USER", "bob")).code == 0
    assert typed(lines["decline"]).code == 1, "it is decided"


def test_a_call_answers_in_json_what_it_needs(folder: Path) -> None:
    ended = run("call", TILL, "close_till", "--args", '{"reason": "x"}', *ADA, "--json")

    assert (ended.code, ended.json["refused"], ended.json["confirm"]) == (1, "unconfirmed", "second_person")
    assert ended.json["link"] == f"/confirm/{ended.json['proposal']}"


# What follows ---------------------------------------------------------------------------------------------------------------


def test_json_shows_how_the_turn_goes_on_and_then_the_decision(folder: Path) -> None:
    moved = asked(MOVE)

    confirmed = proposals("confirm", moved, "acme/ada", "--json")

    assert of_type(confirmed.lines, "turn_ended")[0]["status"] == "done"
    assert confirmed.lines[-1]["type"] == "decided"
    assert confirmed.lines[-1]["outcome"]["shown"]["summary"] == "Moved 5."
    assert "wire" not in confirmed.out
