"""`handgriff workflow`: what is wrong with machines, how they look, and where a caller's instances stand."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import anyio
import pytest

from handgriff import Caller
from tests.interaction.cli_inside import TILL, folder, run
from tests.interaction.cli_invoices import host
from tests.interaction.cli_process import Ended

__all__ = ["folder"]
INVOICES = "tests.interaction.cli_invoices:host"
ASSISTANT = "tests.interaction.cli_invoices:assistant"
ADA = ("--as", "acme/ada")
HEAD = "from handgriff import Assistant, Machine, Result, Toolbox\nfrom handgriff.machine import OnlyAfter, State\nbox = Toolbox('b')\n"
TAIL = (
    "@box.tool(effect='write', description='Use when: a. Not for: b. Needs: c. Effect: d.', at=machine.at('a'), fires='GO')\n"
    "async def go() -> Result[None]:\n    return Result('Gone.')\n"
    "assistant = Assistant('a', instructions='x', toolboxes=[box])\n"
)


def session() -> str:
    async def create() -> str:
        async with host:
            return (await host.sessions.create(Caller("acme", "ada"))).id

    return anyio.run(create)


def call(tool: str, session: str | None = None, **args: Any) -> Ended:
    more = ("--session", session) if session else ()
    return run("call", INVOICES, tool, "--args", json.dumps(args), *ADA, *more, "--json")


def begun() -> str:
    """The handle of a new invoice."""
    answer = call("new_invoice")
    assert answer.code == 0, answer
    [found] = [value for value in json.dumps(answer.json).split('"') if value.startswith("w_")]
    return found


def table(ended: Ended) -> list[list[str]]:
    return [line.split() for line in ended.out.splitlines()]


@pytest.mark.parametrize("target", [INVOICES, ASSISTANT])
def test_sound_machines_are_said_to_be_so(folder: Path, target: str) -> None:
    checked = run("workflow", "check", target)

    assert (checked.code, checked.out, checked.err) == (0, "3 machines, 9 bound tools: no findings\n", "")
    assert run("workflow", "check", target, "--json").json == {"machines": 3, "tools": 9, "findings": []}


def test_what_is_wrong_is_told_with_its_place_and_its_mend(folder: Path) -> None:
    (folder / "stuck.py").write_text(f"{HEAD}machine = Machine('m', State('a', on={{'GO': 'b'}}), State('b'))\n{TAIL}")

    checked = run("workflow", "check", "stuck:assistant")
    as_json = run("workflow", "check", "stuck:assistant", "--json")

    assert (checked.code, checked.err) == (1, "")
    assert checked.out.startswith("m, states.b: nothing ever leaves 'b', and it isn't final. Mend: ")
    assert as_json.code == 1
    [found] = as_json.json["findings"]
    assert (found["subject"], found["where"]) == ("m", "states.b")
    assert found["problem"] == "nothing ever leaves 'b', and it isn't final."


def test_a_broken_promise_is_told_with_the_way_there(folder: Path) -> None:
    states = "State('a', on={'GO': 'b'}), State('b', type='final')"
    (folder / "promising.py").write_text(
        f"{HEAD}machine = Machine('m', {states}, invariants=[OnlyAfter('b', 'a'), OnlyAfter('a', 'GO')])\n{TAIL}"
    )

    checked = run("workflow", "check", "promising:assistant")

    assert checked.code == 1
    assert "it doesn't hold: from the beginning 'a' comes without 'GO' before it." in checked.out


def test_a_target_that_is_none_is_wrong_use_and_no_finding(folder: Path) -> None:
    assert run("workflow", "check", "tests.interaction.cli_invoices:box").code == 2


def test_an_assistant_without_workflows_has_nothing_to_find_or_draw(folder: Path) -> None:
    assert run("workflow", "check", TILL).out == "0 machines, 0 bound tools: no findings\n"
    assert "No tool is bound to a machine." in run("workflow", "draw", TILL).err


def test_a_machine_is_drawn_as_text_for_mermaid(folder: Path) -> None:
    drawn = run("workflow", "draw", ASSISTANT, "--machine", "invoice")

    assert drawn.code == 0
    assert drawn.out.startswith("stateDiagram-v2\n")
    assert "        submit#58; SUBMIT\n" in drawn.out
    assert "present" not in drawn.out


def test_a_machine_is_drawn_as_a_picture_into_a_file(folder: Path) -> None:
    drawn = run("workflow", "draw", ASSISTANT, "--machine", "order", "--format", "svg", "--out", "order.svg")

    assert (drawn.code, drawn.out) == (0, "machine: order\nwritten: order.svg\n")
    root = ET.fromstring((folder / "order.svg").read_text())  # noqa: S314  # it is our own
    assert root.tag.endswith("svg")


def test_a_drawing_comes_as_json(folder: Path) -> None:
    plain = run("workflow", "draw", ASSISTANT, "--machine", "desk", "--json").json
    written = run("workflow", "draw", ASSISTANT, "--machine", "desk", "--json", "--out", "desk.mmd").json

    assert (plain["machine"], plain["format"]) == ("desk", "mermaid")
    assert written == {"machine": "desk", "format": "mermaid", "file": "desk.mmd"}
    assert (folder / "desk.mmd").read_text() == plain["text"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param((), "Say which machine with --machine. There are invoice, desk, order.", id="several"),
        pytest.param(("--machine", "ordr"), "--machine 'ordr': no tool is bound to such a machine.", id="unknown"),
        pytest.param(("--machine", "desk", "--out", "no/such/folder.svg"), "--out 'no/such/folder.svg' can't be written", id="unwritable"),
    ],
)
def test_what_cannot_be_drawn_is_wrong_use(folder: Path, words: tuple[str, ...], told: str) -> None:
    drawn = run("workflow", "draw", ASSISTANT, *words)

    assert drawn.code == 2
    assert told in drawn.err


def test_the_present_state_of_a_session_and_of_a_handle_is_marked(folder: Path) -> None:
    asked, handle = session(), begun()
    call("open_desk", asked)
    call("submit", asked, invoice=handle)

    desk = run("workflow", "draw", INVOICES, "--machine", "desk", "--session", asked, *ADA)
    invoice = run("workflow", "draw", INVOICES, "--machine", "invoice", "--handle", handle, "--format", "svg", *ADA)

    assert '"open (present)" as s2' in desk.out
    assert "review · present" in invoice.out


def test_where_a_sessions_machines_stand_and_what_is_open_is_shown(folder: Path) -> None:
    asked = session()
    call("open_desk", asked)

    shown = run("workflow", "show", INVOICES, "--session", asked, *ADA)

    assert shown.code == 0
    assert ["desk", "open"] in table(shown)
    assert ["shut_desk", "desk", "open", "SHUT"] in table(shown)
    assert ["open_desk", "desk", "closed", "OPEN"] in table(shown)
    assert ["approve", "invoice", "decided", "at", "the", "call", "APPROVE"] in table(shown)
    assert ["track", "order", "decided", "at", "the", "call"] in table(shown)
    assert not any(row[:1] == ["search"] for row in table(shown)), "it belongs to no workflow"


def test_where_an_instance_with_a_handle_stands_and_who_holds_it_is_shown(folder: Path) -> None:
    asked, handle = session(), begun()
    call("open_desk", asked)
    call("submit", asked, invoice=handle)
    call("approve", asked, invoice=handle)
    call("discharge", asked, invoice=handle)

    [shown] = run("workflow", "show", INVOICES, "--handle", handle, *ADA, "--json").json

    assert (shown["machine"], shown["handle"], shown["state"]) == ("invoice", handle, "approved")
    assert shown["claim"]["tool"] == "discharge"
    assert {"name": "discharge", "now": "open", "fires": "DISCHARGE"} in shown["tools"]
    assert {"name": "submit", "now": "closed", "fires": "SUBMIT"} in shown["tools"]
    held = run("workflow", "show", INVOICES, "--handle", handle, *ADA)
    assert ["invoice", handle, "approved", "discharge", shown["claim"]["key"]] in table(held)


@pytest.mark.parametrize("who", [("--as", "acme/bob"), ADA])
def test_foreign_and_unknown_ones_get_one_answer(folder: Path, who: tuple[str, str]) -> None:
    handle = begun() if who != ADA else "w_unknown"

    shown = run("workflow", "show", INVOICES, "--handle", handle, *who)

    assert shown.code == 1
    assert "not_found: There is no such workflow." in shown.err


def test_somebody_must_say_whose_workflows_are_meant(folder: Path) -> None:
    shown = run("workflow", "show", INVOICES, *ADA)

    assert shown.code == 2
    assert "Say whose: --session ID, or --handle HANDLE." in shown.err
