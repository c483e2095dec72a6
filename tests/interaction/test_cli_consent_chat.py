"""A chat in which a code or another person is needed: piped in, typed at a terminal, and with a host made for development."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.interaction.cli_inside import CLOSE, MOVE, PAY, TILL, chat, code, codes, folder, happened, proposals, run, wrong
from tests.interaction.cli_process import COMMAND, at_keyboard, environment, handgriff, of_type, with_till

__all__ = ["folder"]
SEVERAL = "tests.interaction.cli_till:several"
HOST = ("till:host", "--as", "acme/ada")
DEV = ("till:assistant", "--dev", "--can", "pay")
CODE = "(an empty line sends a new one): "


# Piped in -------------------------------------------------------------------------------------------------------------------


def session_of(out: str) -> str:
    return str(re.findall(r"s_\w+", out)[0])


def test_a_code_is_asked_for_behind_the_yes_and_shown_nowhere(folder: Path) -> None:
    left = chat(PAY, "y")
    right = code(folder)

    done = chat("y", right, session=session_of(left.out))

    assert f"Confirm? [y/N] y\nCode that was sent to you {CODE}\nUndecided: p_" in left.out
    assert "pay: Paid 10." in done.out
    assert right not in done.out
    assert (done.code, happened(folder)) == (0, ["pay 10 to acc-2"])


def test_a_wrong_code_is_asked_for_again_until_it_is_right(folder: Path) -> None:
    left = chat(PAY, "y")
    right = code(folder)

    done = chat("y", wrong(right), "no code", right, session=session_of(left.out))

    assert "✗ denied: The code is wrong. Tries left: 4" in done.out
    assert "✗ invalid: Enter the six digits that were sent to you." in done.out
    assert done.out.count(CODE) == 3
    assert (done.code, happened(folder)) == (0, ["pay 10 to acc-2"])


def test_an_empty_line_sends_a_new_code(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = chat(PAY, "y", "")
    monkeypatch.setenv("TILL_LATER", "31")

    again = chat("y", "", session=session_of(left.out))

    assert "✗ rate_limited: A code was sent a short while ago." in left.out
    assert "\nA new code was sent.\n" in again.out
    assert len(codes(folder)) == 2
    assert "Paid" in chat("y", codes(folder)[-1], session=session_of(left.out)).out


def test_a_code_that_can_not_be_sent_does_not_end_the_chat(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = chat(PAY)
    monkeypatch.setenv("TILL_LATER", "31")
    monkeypatch.setenv("TILL_SILENT", "1")

    again = chat("y", "", session=session_of(left.out))

    assert "✗ transient: The code could not be sent. Please try again in a moment." in again.out
    assert "Undecided: p_" in again.out


def test_of_several_each_is_asked_about_in_turn_and_what_another_must_confirm_is_left(folder: Path) -> None:
    """B100."""
    asked = chat("Do it all.", "n", "n", "y", target=SEVERAL)

    first, second, third = (asked.out.index(part) for part in ("1 of 3\n", "2 of 3\n", "3 of 3\n"))
    assert first < asked.out.index("Close the till for holiday?") < second < asked.out.index("Pay 10 to acc-2?") < third
    assert asked.out.count("Another person must confirm this.") == 1
    assert re.search(r"As somebody else: handgriff proposals confirm \S+ p_\w+ --as acme/USER\nWithdraw it\? \[y/N\] n\n", asked.out)
    assert "Waits for another person: p_" in asked.out
    assert asked.out.count("Model requests:") == 1, "the turn goes on when the last one is decided"
    assert [line.split()[0] for line in happened(folder)] == ["transfer"]
    closing = re.findall(r"p_\w+", asked.out)[-1]
    assert run("proposals", "confirm", SEVERAL, closing, "--as", "acme/cleo").code == 0
    assert happened(folder)[-1] == "close for holiday: ada, cleo"


def test_who_asked_can_withdraw(folder: Path) -> None:
    ended = chat(CLOSE, "y")

    assert "Declined. Nothing was done." in ended.out
    [closing] = set(re.findall(r"p_\w+", ended.out))
    assert proposals("show", closing, "acme/bob", "--json").json["state"] == "declined"
    assert happened(folder) == []


def test_json_says_what_each_line_answers(folder: Path) -> None:
    left = run("chat", TILL, "--as", "acme/ada", "--json", stdin=f"{PAY}\ny\n")
    right = code(folder)
    session = left.lines[0]["id"]

    done = run("chat", TILL, "--as", "acme/ada", "--json", "--session", session, stdin=f"y\n{wrong(right)}\n\n{right}\n")

    assert [question["asks"] for question in of_type(left.lines, "question")] == ["confirm", "code"]
    [parked] = of_type(left.lines, "turn_ended")[0]["parked"]
    assert (parked["confirm"], parked["count"], parked["sample"][0]) == ("code", 1200, "invoice 1")
    assert [question["asks"] for question in of_type(done.lines, "question")] == ["confirm", "code", "code"]
    denied, early = of_type(done.lines, "refusal")
    assert (denied["refused"], denied["tries_left"], denied["proposal"]) == ("denied", 4, parked["proposal"])
    assert early["refused"] == "rate_limited"
    assert of_type(done.lines, "call_outcome")[0]["shown"]["summary"] == "Paid 10."


def test_json_names_what_is_left_to_another(folder: Path) -> None:
    ended = run("chat", TILL, "--as", "acme/ada", "--json", stdin=f"{CLOSE}\nn\n")

    [question] = of_type(ended.lines, "question")
    [left] = of_type(ended.lines, "awaits_another")
    assert (question["asks"], left["proposals"]) == ("withdraw", [question["proposal"]])


@pytest.mark.parametrize(
    ("locale", "code_asked", "withdraw"),
    [
        ("de", "Code, der Ihnen gesendet wurde (eine leere Zeile sendet einen neuen): ", "Zurückziehen? [j/N] n"),
        ("fr", "Code qui vous a été envoyé (une ligne vide en envoie un nouveau) : ", "Retirer la demande ? [o/N] n"),
    ],
    ids=["de", "fr"],
)
def test_questions_follow_the_locale(folder: Path, locale: str, code_asked: str, withdraw: str) -> None:
    words = ("chat", TILL, "--as", "acme/ada", "--locale", locale)

    assert code_asked.strip() in run(*words, stdin=f"{PAY}\n{'j' if locale == 'de' else 'o'}\n").out
    assert withdraw in run(*words, stdin=f"{CLOSE}\nn\n").out


def test_what_another_has_decided_is_seen_with_an_empty_line(tmp_path: Path) -> None:
    folder = with_till(tmp_path)
    command = [*COMMAND, "chat", *HOST]
    with subprocess.Popen(
        command, cwd=folder, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{CLOSE}\nn\n")
            process.stdin.flush()
            told = ""
            while "Waits for another person" not in told:
                line = process.stdout.readline()
                assert line, told
                told += line
            [closing] = set(re.findall(r"p_\w+", told))
            assert handgriff(folder, "proposals", "confirm", "till:host", closing, "--as", "acme/bob").code == 0
            rest, err = process.communicate("\n", timeout=60)
        finally:
            process.kill()

    assert "close_till: Closed." in rest
    assert "\nClosed.\n" in rest, "what the assistant says of it"
    assert "Withdraw" not in rest
    assert err == ""


# At a terminal --------------------------------------------------------------------------------------------------------------


def test_at_a_terminal_a_code_is_not_echoed_and_may_be_typed_again(tmp_path: Path) -> None:
    folder = with_till(tmp_path)
    waiting = handgriff(folder, "call", "till:host", "pay", "--args", '{"amount": 10, "to": "acc-2"}', "--as", "acme/ada", "--json")
    right = code(folder)

    with at_keyboard(folder, "proposals", "confirm", "till:host", waiting.json["proposal"], "--as", "acme/ada") as person:
        assert "Pay 10 to acc-2?" in person.read(until=CODE)
        person.type(f"{wrong(right)}\r")
        assert "Tries left: 4" in person.read(until=CODE)
        person.type("\r")
        assert "rate_limited" in person.read(until=CODE)
        person.type(f"{right}\r")
        assert person.end() == 0

    assert "pay: Paid 10." in person.shown
    assert right not in person.shown
    assert wrong(right) not in person.shown
    assert happened(folder) == ["pay 10 to acc-2"]


@pytest.mark.parametrize("keys", ["\x04", ""], ids=["Ctrl-D", "Ctrl-C"])
def test_at_a_terminal_leaving_decides_nothing_and_the_terminal_echoes_again(tmp_path: Path, keys: str) -> None:
    folder = with_till(tmp_path)
    waiting = handgriff(folder, "call", "till:host", "pay", "--args", '{"amount": 10, "to": "acc-2"}', "--as", "acme/ada", "--json")

    with at_keyboard(folder, "proposals", "confirm", "till:host", waiting.json["proposal"], "--as", "acme/ada") as person:
        person.read(until=CODE)
        if keys:
            person.type(keys)
        else:
            person.interrupt()
        assert person.end() == 1

    assert "nothing was done: no code was typed" in person.shown
    shown = handgriff(folder, "proposals", "show", "till:host", waiting.json["proposal"], "--as", "acme/ada", "--json")
    assert shown.json["state"] == "pending"


def test_a_chat_at_a_terminal_asks_for_the_code_unseen_and_goes_on(tmp_path: Path) -> None:
    folder = with_till(tmp_path)

    with at_keyboard(folder, "chat", *HOST) as person:
        person.read(until="\n> ")
        person.type(f"{PAY}\r")
        person.read(until="Confirm? [y/N] ")
        person.type("y\r")
        person.read(until=CODE)
        right = code(folder)
        person.type(f"{right}\r")
        assert "pay: Paid 10." in person.read(until="\n> ")
        person.type(f"{MOVE}\r")
        assert MOVE in person.read(until="Confirm? [y/N] "), "what is no secret is echoed again"
        person.interrupt()
        assert "Undecided: p_" in person.read(until="\n> ")
        person.type("\x04")
        assert person.end() == 0

    assert right not in person.shown
    assert happened(folder) == ["pay 10 to acc-2"]


# With a host made for development -------------------------------------------------------------------------------------------


def test_in_dev_a_code_is_written_to_stderr(tmp_path: Path) -> None:
    folder = with_till(tmp_path)
    words = (*DEV, "--as", "acme/ada")

    ended = handgriff(folder, "call", *words[:1], "pay", "--args", '{"amount": 10, "to": "acc-2"}', *words[1:], "--json")
    told = re.fullmatch(r"\[development only\] To user 'ada' of tenant 'acme': Your code is (\d{6})\. It confirms: Pay 10 .*\n", ended.err)

    assert told is not None, ended.err
    assert told[1] not in ended.out
    confirmed = handgriff(folder, "proposals", "confirm", words[0], ended.json["proposal"], *words[1:], stdin=f"{told[1]}\n")
    assert (confirmed.code, confirmed.err) == (0, "")
    assert happened(folder) == ["pay 10 to acc-2"]


def test_in_dev_another_user_of_the_tenant_is_a_second_person(tmp_path: Path) -> None:
    folder = with_till(tmp_path)
    ended = handgriff(folder, "call", DEV[0], "close_till", "--args", '{"reason": "x"}', *DEV[1:], "--as", "acme/ada", "--json")
    confirm = ("proposals", "confirm", DEV[0], ended.json["proposal"], "--dev")

    assert "denied" in handgriff(folder, *confirm, "--as", "acme/ada", "--can", "pay").err
    assert "not_found" in handgriff(folder, *confirm, "--as", "acme/bob").err, "without the right"
    assert "not_found" in handgriff(folder, *confirm, "--as", "globex/bob", "--can", "pay").err
    assert handgriff(folder, *confirm, "--as", "acme/bob", "--can", "pay").code == 0
    assert happened(folder) == ["close for x: ada, bob"]
