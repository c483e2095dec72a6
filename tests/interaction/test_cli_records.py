"""`handgriff sessions`, `proposals` and `effects`: what is kept, and what a person decides of it."""

import json
import re
from pathlib import Path

import pytest

from tests.interaction.cli_process import DEV, Ended, at_terminal, handgriff, of_type, with_shop


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_shop(tmp_path)


def chat(folder: Path, *lines: str) -> str:
    """The id of a session in which these lines were piped."""
    ended = handgriff(folder, "chat", "shop:assistant", *DEV, "--json", stdin="".join(f"{line}\n" for line in lines))
    session = ended.lines[0]["id"]
    assert isinstance(session, str)
    return session


def run(folder: Path, group: str, name: str, *words: str) -> Ended:
    return handgriff(folder, group, name, "shop:assistant", *words, *DEV)


def test_sessions_are_listed_shown_and_deleted(folder: Path) -> None:
    session = chat(folder, "/list_orders")

    assert re.search(rf"^{session}\s+.*/list_orders\s*$", run(folder, "sessions", "ls").out, re.MULTILINE)
    shown = run(folder, "sessions", "show", session)
    assert "> /list_orders" in shown.out
    assert "list_orders: 3 orders." in shown.out
    assert run(folder, "sessions", "delete", session, "--yes").code == 0
    gone = run(folder, "sessions", "show", session, "--json")
    assert (gone.code, gone.json["refused"]) == (1, "not_found")


def test_a_session_is_not_deleted_before_somebody_has_agreed(folder: Path) -> None:
    session = chat(folder, "/list_orders")

    unasked = run(folder, "sessions", "delete", session)
    declined = at_terminal(folder, "sessions", "delete", "shop:assistant", session, *DEV, typed="n\n")

    assert unasked.code == 2
    assert "Add --yes; nothing was done." in unasked.err
    assert declined.code == 1
    assert f"Delete session {session} with everything of it? [y/N]" in declined.out
    assert "nothing was done: it was not agreed to" in declined.out
    assert run(folder, "sessions", "show", session).code == 0


def test_a_session_that_is_nobodys_is_not_asked_about(folder: Path) -> None:
    deleted = run(folder, "sessions", "delete", "s_unknown", "--yes", "--json")

    assert (deleted.code, deleted.json["refused"]) == (1, "not_found")


def test_a_shown_event_has_its_seq_above_it(folder: Path) -> None:
    session = chat(folder, "/list_orders")

    shown = run(folder, "sessions", "show", session)
    events = run(folder, "sessions", "show", session, "--json").json["events"]

    [asked] = [event["seq"] for event in events if event["type"] == "user_message"]
    assert f"#{asked}\n> /list_orders\n" in shown.out
    assert "#1\n" not in shown.out, "nothing is shown of a session's beginning"


def test_a_session_is_shown_as_json_without_what_only_the_model_reads(folder: Path) -> None:
    session = chat(folder, "/list_orders")

    shown = run(folder, "sessions", "show", session, "--json")

    assert [event["type"] for event in shown.json["events"]][:2] == ["session_created", "user_message"]
    assert "wire" not in shown.out
    assert "nonce" not in shown.out
    assert run(folder, "sessions", "ls", "--json").json[0]["id"] == session


def test_sessions_of_others_are_not_listed(folder: Path) -> None:
    chat(folder, "/list_orders")

    assert handgriff(folder, "sessions", "ls", "shop:assistant", "--dev", "--as", "acme/eve", "--json").json == []


def test_a_proposal_is_listed_shown_and_confirmed_in_another_process_and_the_turn_goes_on(folder: Path) -> None:
    session = chat(folder, "/cancel_order order=o_17")
    [waiting] = run(folder, "proposals", "ls", "--session", session, "--json").json

    shown = run(folder, "proposals", "show", waiting["id"])
    assert "Cancel o_17?" in shown.out
    assert re.search(r"Status\s+- pending\s+\+ cancelled", shown.out)
    assert 'arguments: {"order":"o_17"}' in shown.out
    confirmed = run(folder, "proposals", "confirm", waiting["id"])
    assert (confirmed.code, confirmed.err) == (0, "")
    assert "cancel_order: Order cancelled." in confirmed.out
    assert "\nOrder cancelled.\n" in confirmed.out, "the assistant reports what happened"
    assert (folder / "journal.txt").read_text() == "cancelled o_17\n"


def test_a_decided_proposal_is_not_decided_again(folder: Path) -> None:
    chat(folder, "/cancel_order order=o_17")
    [waiting] = run(folder, "proposals", "ls", "--json").json

    declined = run(folder, "proposals", "decline", waiting["id"], "--json")
    again = run(folder, "proposals", "confirm", waiting["id"])

    assert declined.code == 0
    assert of_type(declined.lines, "decided")[0]["state"] == "declined"
    assert of_type(declined.lines, "turn_ended")[0]["status"] == "done"
    assert again.code == 1
    assert "declined" in again.err
    assert run(folder, "proposals", "ls", "--json").json == []
    assert not (folder / "journal.txt").exists()


def test_a_proposal_whose_world_has_moved_is_refused(folder: Path) -> None:
    chat(folder, "/cancel_order order=o_17")
    [waiting] = run(folder, "proposals", "ls", "--json").json
    shop = folder / "shop.py"
    # Python takes a file of the same second and the same size for the one it has compiled.
    shop.write_text(shop.read_text().replace('"o_17": "pending"', '"o_17": "shipped"') + "\n")

    confirmed = run(folder, "proposals", "confirm", waiting["id"])

    assert confirmed.code == 1
    assert "cancel_order: stale:" in confirmed.out
    assert not (folder / "journal.txt").exists()


def test_confirming_without_the_right_runs_nothing(folder: Path) -> None:
    chat(folder, "/cancel_order order=o_17")
    [waiting] = run(folder, "proposals", "ls", "--json").json

    confirmed = handgriff(folder, "proposals", "confirm", "shop:assistant", waiting["id"], "--dev", "--as", "acme/ada")

    assert confirmed.code == 1
    assert not (folder / "journal.txt").exists()


def test_somebody_elses_proposal_is_not_found(folder: Path) -> None:
    chat(folder, "/cancel_order order=o_17")
    [waiting] = run(folder, "proposals", "ls", "--json").json

    eve = handgriff(folder, "proposals", "confirm", "shop:assistant", waiting["id"], "--dev", "--as", "acme/eve", "--can", "orders.cancel")

    assert eve.code == 1
    assert "not_found" in eve.err


def test_an_uncertain_effect_is_listed_and_resolved_once(folder: Path) -> None:
    chat(folder, "/lose_track")

    [lost] = run(folder, "effects", "ls", "--state", "indeterminate", "--json").json
    assert re.search(rf"^{lost['key']}\s+lose_track\s+indeterminate", run(folder, "effects", "ls").out, re.MULTILINE)
    resolved = run(folder, "effects", "resolve", "lose_track", lost["key"], "done")
    assert (resolved.code, resolved.err) == (0, "")
    assert "state: done: Done." in resolved.out
    assert "Nothing was run, repeated or taken back" in resolved.out
    assert "resolved by: ada" in resolved.out
    again = run(folder, "effects", "resolve", "lose_track", lost["key"], "failed", "--json")
    assert (again.code, again.json["refused"]) == (1, "conflict")
    assert run(folder, "effects", "show", "lose_track", lost["key"], "--json").json["state"] == "done"


def test_an_unknown_effect_is_not_found(folder: Path) -> None:
    ended = run(folder, "effects", "show", "lose_track", "c_0", "--json")

    assert (ended.code, json.loads(ended.out)["refused"]) == (1, "not_found")
