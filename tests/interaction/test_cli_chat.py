"""`handgriff chat`, driven through pipes: each line is a message, or answers the question that was asked."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.interaction.cli_process import COMMAND, DEV, at_keyboard, environment, handgriff, of_type, with_shop

CHAT = ("chat", "shop:assistant", *DEV)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_shop(tmp_path)


def test_a_chat_streams_the_answer_and_shows_the_tool_with_its_link(folder: Path) -> None:
    ended = handgriff(folder, *CHAT, stdin="/list_orders\n")

    assert (ended.code, ended.err) == (0, "")
    assert "list_orders: 3 orders." in ended.out
    assert "Orders: /orders" in ended.out
    assert "\n3 orders.\n" in ended.out
    assert "Model requests: 2." in ended.out
    assert "\x1b" not in ended.out


def test_a_proposal_is_a_card_and_runs_once_it_is_confirmed(folder: Path) -> None:
    ended = handgriff(folder, *CHAT, stdin="/cancel_order order=o_17\ny\n")

    assert ended.code == 0
    card, after = ended.out.split("Confirm? [y/N] y\n")
    assert "Cancel o_17?" in card
    assert re.search(r"Status\s+- pending\s+\+ cancelled", card)
    assert re.search(r"Can be confirmed until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", card)
    assert "cancel_order: Order cancelled." in after
    assert "\nOrder cancelled.\n" in after, "the continuation is followed to its end"
    assert (folder / "journal.txt").read_text() == "cancelled o_17\n"


@pytest.mark.parametrize("answer", ["n", "", "no"])
def test_whatever_is_no_yes_declines(folder: Path, answer: str) -> None:
    ended = handgriff(folder, *CHAT, stdin=f"/cancel_order order=o_17\n{answer}\n/list_orders\n")

    assert "cancel_order: declined:" in ended.out
    assert "list_orders: 3 orders." in ended.out
    assert not (folder / "journal.txt").exists()


def test_an_answer_that_is_neither_decides_nothing(folder: Path) -> None:
    ended = handgriff(folder, *CHAT, stdin="/cancel_order order=o_17\nperhaps\ny\n")

    assert "Please answer y or n." in ended.out
    assert (folder / "journal.txt").read_text() == "cancelled o_17\n"


def test_several_proposals_are_asked_one_by_one(folder: Path) -> None:
    ended = handgriff(folder, "chat", "shop:pair", "--as", "acme/ada", "--locale", "en", stdin="Cancel o_17 and o_19.\n\ny\n")

    first, second = ended.out.index("Cancel o_17?"), ended.out.index("Cancel o_19?")
    assert first < ended.out.index("Confirm? [y/N] \n") < second < ended.out.index("Confirm? [y/N] y\n")
    assert "cancel_order: declined:" in ended.out
    assert ended.out.count("Model requests:") == 2, "the turn went on once, after the last decision"
    assert (folder / "journal.txt").read_text() == "cancelled o_19\n"


def test_an_undecided_proposal_is_asked_again_when_the_session_goes_on(folder: Path) -> None:
    left = handgriff(folder, *CHAT, stdin="/cancel_order order=o_17\n")
    session = re.search(r"--session (s_\w+)", left.out)

    assert session is not None
    assert "Undecided: p_" in left.out
    again = handgriff(folder, *CHAT, "--session", session[1], stdin="y\n")
    assert "Cancel o_17?" in again.out
    assert "Order cancelled." in again.out
    assert (folder / "journal.txt").read_text() == "cancelled o_17\n"


def test_nothing_a_tool_says_reaches_the_terminal_as_a_command(folder: Path) -> None:
    ended = handgriff(folder, *CHAT, stdin="/shout\n", env={"FORCE_COLOR": "1", "TERM": "xterm"})

    assert "Fine [bold]really[/bold] :smile:" in ended.out
    assert "owned" not in ended.out
    assert not re.search(r"\x1b(?!\[[0-9;]*m)|[\x07\x9b\u202e]", ended.out), "colours of our own only"


def test_json_prints_each_item_as_one_line(folder: Path) -> None:
    ended = handgriff(folder, *CHAT, "--json", stdin="/cancel_order order=o_17\ny\n")

    lines = ended.lines
    assert lines[0]["type"] == "session"
    [waiting, done] = of_type(lines, "turn_ended")
    assert (waiting["status"], done["status"]) == ("waiting", "done")
    assert waiting["parked"][0]["diff"] == [{"label": "Status", "before": "pending", "after": "cancelled"}]
    [question] = of_type(lines, "question")
    assert question["proposal"] == waiting["parked"][0]["proposal"]
    [outcome] = of_type(lines, "call_outcome")
    assert outcome["shown"]["summary"] == "Order cancelled."
    assert of_type(lines, "text_delta") or of_type(lines, "assistant_message")
    assert '"wire' not in ended.out


def test_a_tool_that_breaks_shows_its_incident_and_no_traceback(folder: Path) -> None:
    ended = handgriff(folder, *CHAT, stdin="/break_down\n")

    incident = re.search(r"Incident (i_\w+)", ended.out)
    assert incident is not None
    assert incident[1] in ended.err
    assert "Traceback" not in ended.out + ended.err
    assert "a secret" not in ended.out + ended.err


def test_debug_shows_the_traceback(folder: Path) -> None:
    ended = handgriff(folder, *CHAT, "--debug", stdin="/break_down\n")

    assert "Traceback" in ended.err
    assert "a secret of the application" in ended.err


def test_words_follow_the_locale(folder: Path) -> None:
    ended = handgriff(folder, *CHAT, "--locale", "de-AT", stdin="/cancel_order order=o_17\nj\n")

    assert "Wartet auf Ihre Bestätigung." in ended.out
    assert "Bestätigen? [j/N] j" in ended.out
    assert (folder / "journal.txt").exists()


def test_a_host_says_who_its_callers_are(folder: Path) -> None:
    ended = handgriff(folder, "chat", "shop:host", "--as", "acme/ada", stdin="/cancel_order order=o_17\nj\n")

    assert ended.code == 0
    assert "Bestätigen?" in ended.out, "the caller's own locale"
    assert (folder / "host.db").exists()
    assert (folder / "journal.txt").exists()


def test_a_session_of_somebody_else_is_not_found(folder: Path) -> None:
    mine = handgriff(folder, *CHAT, "--json", stdin="")
    session = mine.lines[0]["id"]

    ended = handgriff(folder, "chat", "shop:assistant", "--dev", "--as", "acme/eve", "--session", session)

    assert (ended.code, ended.out) == (1, "")
    assert "not_found" in ended.err


def test_a_message_that_is_too_long_is_refused_and_the_chat_goes_on(folder: Path) -> None:
    ended = handgriff(folder, *CHAT, stdin=f"{'x' * 70_000}\n/list_orders\n")

    assert ended.code == 1, "whoever piped it in must know"
    assert "too_large" in ended.out
    assert "3 orders." in ended.out


def test_ctrl_c_stops_the_turn_and_not_the_chat(folder: Path) -> None:
    command = [*COMMAND, *CHAT]
    with subprocess.Popen(
        command, cwd=folder, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("/wait_long\n")
        process.stdin.flush()
        told = ""
        while "1/3 waiting" not in told:
            line = process.stdout.readline()
            assert line, told
            told += line
        os.kill(process.pid, signal.SIGINT)
        rest, err = process.communicate("/list_orders\n", timeout=60)

    assert "Stopped." in rest
    assert "3 orders." in rest, "the next line was still answered"
    assert "Traceback" not in rest + err
    assert process.returncode == 1, "one message was not answered"


def test_at_a_terminal_lines_are_edited_and_nothing_typed_by_mistake_decides(folder: Path) -> None:
    with at_keyboard(folder, *CHAT) as person:
        person.read(until="\n> ")
        person.interrupt()
        assert "Ctrl-D leaves." in person.read(until="\n> ")
        person.type("/cancel_order order=o_1\b\b_17\r")
        person.read(until="[y/N] ")
        person.interrupt()
        assert "Undecided: p_" in person.read(until="\n> ")
        person.type("/cancel_order order=o_17\r")
        assert "superseded" in person.read(until="[y/N] ")
        person.type("y\r")
        assert "Order cancelled." in person.read(until="\n> ")
        person.type("\x04")
        assert person.end() == 0

    assert (folder / "journal.txt").read_text() == "cancelled o_17\n"
