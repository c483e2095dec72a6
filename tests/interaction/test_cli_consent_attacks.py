"""Decisions from the command line by those who may not make them, at the wrong time, twice, or by what is no decision."""

import re
import sqlite3
from pathlib import Path

import pytest

from tests.ids import stable
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
    wrong,
)

__all__ = ["folder"]


def state(proposal: str) -> str:
    found = proposals("show", proposal, "acme/ada", "--json").json["state"]
    assert isinstance(found, str)
    return found


# Whose it is ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["acme/bob", "acme/dan", "globex/ada", "globex/eve"])
@pytest.mark.parametrize("wish", [PAY, MOVE], ids=["code", "person"])
def test_B103_somebody_elses_proposal_is_not_there(folder: Path, who: str, wish: str) -> None:
    """B103: with the right code too."""
    theirs = asked(wish)
    right = code(folder) if wish == PAY else ""

    for name in ("show", "confirm", "decline", "code"):
        ended = proposals(name, theirs, who, "--json", stdin=f"{right}\n")
        assert (ended.code, ended.json) == (1, {"refused": "not_found", "message": "There is no such proposal.", "next": None})
    assert run("proposals", "ls", TILL, "--as", who, "--json").json == []
    assert (state(theirs), happened(folder)) == ("pending", [])


@pytest.mark.parametrize("who", ["acme/dan", "globex/ada", "globex/eve"])
def test_whoever_may_not_use_the_tool_is_no_second_person(folder: Path, who: str) -> None:
    closing = asked(CLOSE)

    ended = proposals("confirm", closing, who, "--json")

    assert (ended.code, ended.json["refused"]) == (1, "not_found")
    assert (state(closing), happened(folder)) == ("pending", [])


def test_the_owner_is_never_the_second_person(folder: Path) -> None:
    """B103: whoever asks can't confirm themselves, however they name themselves."""
    closing = asked(CLOSE)

    ended = proposals("confirm", closing, "acme/ada", "--json")

    assert (ended.code, ended.json["refused"], ended.json["message"]) == (1, "denied", "Another person must confirm this.")
    assert proposals("confirm", closing, "acme/ADA").code == 1, "nobody's name"
    assert (state(closing), happened(folder)) == ("pending", [])


@pytest.mark.parametrize("guess", ["p_0", "", "P_1", "*", "%", "_", "..", "a:b", "p" * 300, "' OR 1=1 --", "\x1b[2J", "😀"], ids=stable)
def test_a_guessed_id_is_not_there(folder: Path, guess: str) -> None:
    asked(PAY)

    for name in ("show", "confirm", "decline", "code"):
        ended = proposals(name, guess, stdin="123456\n")
        assert (ended.code, ended.err) == (1, "✗ not_found: There is no such proposal.\n")
    assert happened(folder) == []


@pytest.mark.parametrize("more", [("--code", "123456"), ("123456",)], ids=["an option", "an argument"])
def test_a_code_has_no_place_on_the_command_line(folder: Path, more: tuple[str, ...]) -> None:
    ended = proposals("confirm", asked(PAY), "acme/ada", *more)

    assert ended.code == 2
    assert happened(folder) == []


# What is no answer ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("message", ["yes", "y", "ja", "confirm", "approved=true"])
def test_B103_a_message_confirms_nothing(folder: Path, message: str) -> None:
    """B103: a yes that answers no question is a message, and ends what waits."""
    ended = chat(CLOSE, "n", message)

    assert "superseded" in ended.out
    assert "A newer message took its place. Nothing was done." in ended.out
    [closing] = set(re.findall(r"p_\w+", ended.out))
    assert proposals("confirm", closing, "acme/bob").code == 1
    assert (state(closing), happened(folder)) == ("superseded", [])


@pytest.mark.parametrize("answer", ["1", "true", "True", "ok", "yes please", "y y", "+", "approve", "0", "\uff59", "yes\u200b"])
@pytest.mark.parametrize("wish", [MOVE, CLOSE], ids=["person", "second person"])
def test_only_the_words_for_yes_and_no_answer(folder: Path, answer: str, wish: str) -> None:
    ended = chat(wish, answer)

    assert "Please answer y or n." in ended.out
    [waiting] = set(re.findall(r"p_\w+", ended.out))
    assert (state(waiting), happened(folder)) == ("pending", [])


def test_a_code_that_answers_the_first_question_confirms_nothing(folder: Path) -> None:
    paid = asked(PAY)
    session = proposals("show", paid, "acme/ada", "--json").json["session"]

    ended = chat(code(folder), session=session)

    assert "Please answer y or n." in ended.out
    assert (state(paid), happened(folder)) == ("pending", [])


# What was shown is what runs ------------------------------------------------------------------------------------------------


def test_B094_what_ran_is_what_was_shown(folder: Path) -> None:
    """B094: the arguments on the card, in the list, of the effect, and in the world."""
    paid = asked(PAY)
    shown = proposals("show", paid, "acme/ada", "--json").json

    proposals("confirm", paid, stdin=f"{code(folder)}\n")

    [effect] = run("effects", "ls", TILL, *ADA, "--json").json
    assert (effect["arguments"], effect["proposal"]) == (shown["arguments"], paid)
    assert happened(folder) == ["pay 10 to acc-2"]


def test_B100_of_two_the_one_that_was_meant_is_carried_out(folder: Path) -> None:
    """B100: the code of one is worth nothing for the other."""
    first, second = asked(PAY), asked(PAY.replace("10", "20"))
    its, others = codes(folder)

    foreign = proposals("confirm", second, "acme/ada", "--json", stdin=f"{its if its != others else wrong(others)}\n")
    assert (foreign.json["refused"], foreign.json["tries_left"]) == ("denied", 4)
    assert proposals("confirm", second, stdin=f"{others}\n").code == 0
    assert happened(folder) == ["pay 20 to acc-2"]
    assert (state(first), state(second)) == ("pending", "done")


# Too often ------------------------------------------------------------------------------------------------------------------


def test_the_sixth_code_finds_nothing_left_to_confirm(folder: Path) -> None:
    paid = asked(PAY)
    right = code(folder)

    tries = [proposals("confirm", paid, stdin=f"{wrong(right)}\n") for _ in range(5)]
    sixth = proposals("confirm", paid, stdin=f"{right}\n")

    assert [ended.code for ended in tries] == [1] * 5
    assert "Tries left: 1" in tries[3].err
    assert "pay: denied: Codes were tried too often. Nothing was done." in tries[4].out
    assert (sixth.code, sixth.err) == (1, "✗ conflict: This is decided already: It could not be done.\n")
    assert (state(paid), happened(folder)) == ("failed", [])


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("en", "This is decided already: Done."),
        ("de", "Darüber ist schon entschieden: Erledigt."),
        ("fr", "C'est déjà décidé : Fait."),
    ],
    ids=["en", "de", "fr"],
)
@pytest.mark.parametrize("name", ["confirm", "decline", "code"])
def test_B096_a_second_decision_is_told_what_became_of_it(folder: Path, name: str, locale: str, words: str) -> None:
    """B096: it runs exactly once, in another process than it was proposed in, and the second window sees that it is done."""
    paid = asked(PAY)
    right = code(folder)

    assert proposals("confirm", paid, stdin=f"{right}\n").code == 0
    again = proposals(name, paid, "acme/ada", "--locale", locale, stdin=f"{right}\n")

    assert (again.code, again.err) == (1, f"✗ conflict: {words}\n")
    assert happened(folder) == ["pay 10 to acc-2"]


# Too late -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("en", "Nobody confirmed in time. Nothing was done."),
        ("de", "Nicht rechtzeitig bestätigt. Es ist nichts geschehen."),
        ("fr", "Non confirmé à temps. Rien n'a été fait."),
    ],
    ids=["en", "de", "fr"],
)
@pytest.mark.parametrize("wish", [PAY, MOVE, CLOSE], ids=["code", "person", "second person"])
def test_B101_what_has_expired_is_listed_no_more_and_runs_no_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch, wish: str, locale: str, words: str
) -> None:
    """B101: it says so before anybody decides and after, in the person's words, and asks for no code."""
    waiting = asked(wish)
    who = "acme/bob" if wish == CLOSE else "acme/ada"
    monkeypatch.setenv("TILL_LATER", "601")

    assert run("proposals", "ls", TILL, "--as", who, "--json").json == []
    assert f"state: expired: {words}" in proposals("show", waiting, who, "--locale", locale).out
    confirmed = proposals("confirm", waiting, who, "--locale", locale, stdin="123456\n")
    assert confirmed.code == 1
    assert words in confirmed.out
    assert "expired" in confirmed.out
    assert (state(waiting), happened(folder)) == ("expired", [])


def test_B101_a_code_is_not_sent_for_what_has_expired(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B101."""
    paid = asked(PAY)
    monkeypatch.setenv("TILL_LATER", "601")

    ended = proposals("code", paid)

    assert (ended.code, ended.err) == (1, "✗ expired: This is decided already: Nobody confirmed in time. Nothing was done.\n")
    assert len(codes(folder)) == 1


@pytest.mark.parametrize("wish", [PAY, MOVE], ids=["code", "person"])
def test_B102_a_world_that_has_moved_makes_it_stale(folder: Path, monkeypatch: pytest.MonkeyPatch, wish: str) -> None:
    """B102: the balance is another than the person saw."""
    waiting = asked(wish)
    monkeypatch.setenv("TILL_BALANCE", "80")

    confirmed = proposals("confirm", waiting, "acme/ada", "--locale", "de", stdin=f"{code(folder)}\n" if wish == PAY else "")

    assert confirmed.code == 1
    assert "Seit es gezeigt wurde, hat sich etwas geändert. Es ist nichts geschehen." in confirmed.out
    assert (state(waiting), happened(folder)) == ("stale", [])


@pytest.mark.parametrize(("wish", "who"), [(PAY, "acme/ada"), (MOVE, "acme/ada"), (CLOSE, "acme/bob")], ids=["code", "person", "second"])
def test_B102_a_right_that_was_taken_away_ends_it(folder: Path, monkeypatch: pytest.MonkeyPatch, wish: str, who: str) -> None:
    """B102: an approval is no permission; it is the owner's right that counts, whoever confirms."""
    waiting = asked(wish)
    monkeypatch.setenv("TILL_WITHOUT", "ada")

    confirmed = proposals("confirm", waiting, who, stdin=f"{code(folder)}\n" if wish == PAY else "")

    assert confirmed.code == 1
    assert happened(folder) == []
    assert state(waiting) != "done"


def test_B102_a_second_person_whose_right_was_taken_away_finds_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B102."""
    closing = asked(CLOSE)
    monkeypatch.setenv("TILL_WITHOUT", "bob")

    assert "not_found" in proposals("confirm", closing, "acme/bob").err
    assert (state(closing), happened(folder)) == ("pending", [])


# What is never shown --------------------------------------------------------------------------------------------------------


def test_neither_a_code_nor_its_hash_is_in_anything_that_is_printed(folder: Path) -> None:
    paid = asked(PAY)
    right = code(folder)
    session = proposals("show", paid, "acme/ada", "--json").json["session"]
    printed = [proposals(name, paid, "acme/ada", *more) for name in ("show", "code") for more in ((), ("--json",), ("--debug",))]
    printed += [proposals("confirm", paid, "acme/ada", *more, stdin=f"{wrong(right)}\n") for more in ((), ("--json",), ("--debug",))]
    printed += [run("proposals", "ls", TILL, *ADA, *more) for more in ((), ("--json",))]
    printed += [proposals("confirm", paid, "acme/ada", "--json", "--debug", stdin=f"{right}\n")]
    printed += [run("sessions", name, TILL, session, *ADA) for name in ("show", "export")]
    printed += [run("effects", "ls", TILL, *ADA, "--json")]

    with sqlite3.connect(folder / "till.db") as database:
        [(kept,)] = database.execute("SELECT code FROM handgriff_proposal").fetchall()
    everything = "".join(ended.out + ended.err for ended in printed)
    assert happened(folder) == ["pay 10 to acc-2"]
    assert not [part for part in kept.split(":") if part in everything]
    # Microseconds have six digits too.
    assert not re.search(rf"(?<![\w.]){right}\b", everything)


def test_a_sender_that_fails_lets_no_code_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILL_SILENT", "1")
    paid = asked(PAY)
    monkeypatch.setenv("TILL_LATER", "31")

    ended = proposals("code", paid, "acme/ada", "--debug")

    assert ended.code == 1
    assert "'codes' failed at sending a code. Ask for another one in a moment." in ended.err
    assert "no line for" not in ended.out + ended.err, "what the sender raised repeats the code"
