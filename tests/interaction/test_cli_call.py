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
    summary, link, data, _ = ended.out.splitlines()
    assert (summary, link) == ("3 orders.", "Orders: /orders")
    assert json.loads(data)[0] == {"id": "o_17", "status": "pending"}


def test_a_call_answers_in_json(folder: Path) -> None:
    ended = handgriff(folder, "call", "shop:assistant", "list_orders", *DEV, "--json")

    assert ended.code == 0
    assert ended.json["summary"] == "3 orders."
    assert ended.json["data"][1] == {"id": "o_18", "status": "shipped"}


def test_calls_without_a_session_belong_to_one_of_their_own_which_is_named(folder: Path) -> None:
    first = handgriff(folder, "call", "shop:assistant", "list_orders", *DEV, "--json")
    again = handgriff(folder, "call", "shop:assistant", "list_orders", *DEV)
    refused = handgriff(folder, "call", "shop:assistant", "list_gifts", *DEV, "--json")
    [kept] = handgriff(folder, "sessions", "ls", "shop:assistant", *DEV, "--json").json

    assert kept["alias"] == ":calls"
    assert first.json["session"] == refused.json["session"] == kept["id"]
    assert again.out.splitlines()[-1] == f"session: {kept['id']}"
    told = handgriff(folder, "call", "--help").out
    assert ":calls" in told


def test_what_a_handler_prints_is_no_part_of_the_json(folder: Path) -> None:
    (folder / "noisy.py").write_text(
        "from handgriff import Assistant, Result, Toolbox\nprint('imported')\nbox = Toolbox('b')\n"
        "@box.tool(effect='read')\nasync def shout() -> Result[None]:\n"
        "    'Use when: a. Not for: b. Needs: c. Effect: d.'\n    print('in the handler')\n    return Result('Shouted.')\n"
        "assistant = Assistant('a', instructions='x', toolboxes=[box])\n"
    )

    as_json = handgriff(folder, "call", "noisy:assistant", "shout", *DEV, "--json")
    refused = handgriff(folder, "sessions", "show", "noisy:assistant", "s_unknown", *DEV, "--json")
    plain = handgriff(folder, "call", "noisy:assistant", "shout", *DEV)

    assert (as_json.json["summary"], as_json.err) == ("Shouted.", "imported\nin the handler\n")
    assert (refused.json["refused"], refused.err) == ("not_found", "imported\n")
    assert plain.out.startswith("imported\nin the handler\nShouted.\n")


def test_arguments_may_come_from_stdin(folder: Path) -> None:
    ended = handgriff(folder, "call", "shop:assistant", "cancel_order", "--args", "-", *DEV, "--json", stdin='{"order": "o_18"}')

    assert (ended.code, ended.json["refused"]) == (1, "conflict")


def test_a_refused_call_says_code_message_and_next(folder: Path) -> None:
    ended = handgriff(folder, "call", "shop:assistant", "cancel_order", "--args", '{"order": "o_18"}', *DEV)

    assert ended.code == 1
    assert ended.out.splitlines()[:2] == ["conflict: o_18 is shipped.", "next: Choose a pending one."]


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


def test_a_key_given_twice_in_the_arguments_is_refused(folder: Path) -> None:
    ended = handgriff(folder, "call", "shop:assistant", "cancel_order", "--args", '{"order": "o_18", "order": "o_17"}', *DEV, "--json")

    assert (ended.code, ended.json["refused"]) == (1, "invalid")
    assert "given twice" in ended.out


def test_what_no_state_opens_is_not_on_the_menu(folder: Path) -> None:
    (folder / "strict.py").write_text(
        "from handgriff import Assistant, Machine, Result, Toolbox\nfrom handgriff.machine import State\n"
        "machine = Machine('m', State('a', on={'GO': 'b'}), State('b', type='final'))\nbox = Toolbox('b')\n"
        "for name, bound in {'go': {'at': machine.at('a'), 'fires': 'GO'}, 'stray': {}}.items():\n"
        "    @box.tool(effect='write', name=name, description='Use when: a. Not for: b. Needs: c. Effect: d.', **bound)\n"
        "    async def handler() -> Result[None]:\n        return Result('Done.')\n"
        "strict = Assistant('a', instructions='x', toolboxes=[box], unbound='closed')\n"
        "lenient = Assistant('a', instructions='x', toolboxes=[box])\n"
    )

    def names(target: str) -> list[str]:
        return [tool["name"] for tool in handgriff(folder, "menu", target, *DEV, "--json").json]

    assert (names("strict:strict"), names("strict:lenient")) == (["go"], ["go", "stray"])


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

    assert ended.out.splitlines()[0] == "Fine [bold]really[/bold] :smile:"


def test_the_menu_follows_permissions_and_modules(folder: Path) -> None:
    bare = handgriff(folder, "menu", "shop:assistant", "--dev", "--json")
    full = handgriff(folder, "menu", "shop:assistant", *DEV, "--module", "gifts", "--json")

    names = {tool["name"] for tool in bare.json}
    assert {tool["name"] for tool in full.json} - names == {"cancel_order", "list_gifts"}


def test_the_menu_is_a_table_for_people(folder: Path) -> None:
    ended = handgriff(folder, "menu", "shop:assistant", *DEV)

    assert re.search(r"^cancel_order\s+irreversible\s+person\s+one pending order must go\.\s*$", ended.out, re.MULTILINE)
