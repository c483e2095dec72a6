"""`handgriff call` and `handgriff menu`: one call through the boundary, typed by a person, and what may be called."""

import json
import re
from pathlib import Path

import pytest

from tests.interaction.cli_process import DEV, handgriff, with_shop


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_shop(tmp_path)


def test_a_call_prints_summary_link_and_data(folder: Path) -> None:
    ended = handgriff(folder, "call", "shop:assistant", "list_orders", *DEV)

    assert (ended.code, ended.err) == (0, "")
    summary, link, data = ended.out.splitlines()
    assert (summary, link) == ("3 orders.", "Orders: /orders")
    assert json.loads(data)[0] == {"id": "o_17", "status": "pending"}


def test_a_call_answers_in_json(folder: Path) -> None:
    ended = handgriff(folder, "call", "shop:assistant", "list_orders", *DEV, "--json")

    assert ended.code == 0
    assert ended.json["summary"] == "3 orders."
    assert ended.json["data"][1] == {"id": "o_18", "status": "shipped"}


def test_arguments_may_come_from_stdin(folder: Path) -> None:
    ended = handgriff(folder, "call", "shop:assistant", "cancel_order", "--args", "-", *DEV, "--json", stdin='{"order": "o_18"}')

    assert (ended.code, ended.json["refused"]) == (1, "conflict")


def test_a_refused_call_says_code_message_and_next(folder: Path) -> None:
    ended = handgriff(folder, "call", "shop:assistant", "cancel_order", "--args", '{"order": "o_18"}', *DEV)

    assert ended.code == 1
    assert ended.out.splitlines() == ["conflict: o_18 is shipped.", "next: Choose a pending one."]


@pytest.mark.parametrize("args", ["{", "[]", '{"order": 17}', '{"colour": "red"}'])
def test_bad_arguments_are_refused_by_the_boundary(folder: Path, args: str) -> None:
    ended = handgriff(folder, "call", "shop:assistant", "cancel_order", "--args", args, *DEV)

    assert ended.code == 1
    assert ended.out.startswith("invalid: ")
    assert "fields: " in ended.out


def test_what_a_person_must_confirm_is_unconfirmed_and_says_how(folder: Path) -> None:
    ended = handgriff(folder, "call", "shop:assistant", "cancel_order", "--args", '{"order": "o_17"}', *DEV)

    assert ended.code == 1
    assert ended.out.startswith("unconfirmed: Cancel o_17? A person must confirm this.")
    command = re.search(r"^confirm: handgriff (.*)$", ended.out, re.MULTILINE)
    assert command is not None
    assert not (folder / "journal.txt").exists()
    confirmed = handgriff(folder, *command[1].split())
    assert (confirmed.code, confirmed.err) == (0, "")
    assert (folder / "journal.txt").read_text() == "cancelled o_17\n"


def test_a_tool_nobody_granted_does_not_exist(folder: Path) -> None:
    ended = handgriff(
        folder, "call", "shop:assistant", "cancel_order", "--args", '{"order": "o_17"}', "--dev", "--as", "acme/ada", "--json"
    )

    assert (ended.code, ended.json["refused"]) == (1, "not_found")


def test_a_tool_that_breaks_names_its_incident(folder: Path) -> None:
    ended = handgriff(folder, "call", "shop:assistant", "break_down", *DEV)

    incident = re.search(r"^incident: (i_\w+)$", ended.out, re.MULTILINE)
    assert ended.code == 1
    assert incident is not None
    assert ended.err.startswith(incident[1])
    assert "Traceback" not in ended.err


def test_a_hostile_summary_is_printed_inert(folder: Path) -> None:
    ended = handgriff(folder, "call", "shop:assistant", "shout", *DEV)

    assert ended.out == "Fine [bold]really[/bold] :smile:\n"


def test_the_menu_follows_permissions_and_modules(folder: Path) -> None:
    bare = handgriff(folder, "menu", "shop:assistant", "--dev", "--json")
    full = handgriff(folder, "menu", "shop:assistant", *DEV, "--module", "gifts", "--json")

    names = {tool["name"] for tool in bare.json}
    assert {tool["name"] for tool in full.json} - names == {"cancel_order", "list_gifts"}


def test_the_menu_is_a_table_for_people(folder: Path) -> None:
    ended = handgriff(folder, "menu", "shop:assistant", *DEV)

    assert re.search(r"^cancel_order\s+irreversible\s+person\s+one pending order must go\.\s*$", ended.out, re.MULTILINE)
