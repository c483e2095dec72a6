"""`handgriff workflow`: what is wrong with machines, how they look, and where a caller's instances stand."""

import json
import re
import xml.etree.ElementTree as ET
from datetime import datetime
from importlib import import_module
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
ELSEWHERE = "tests.interaction.cli_invoices:elsewhere"
OTHERS = "tests.interaction.cli_invoices:others"
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


@pytest.mark.parametrize("target", ["../x", "../x:assistant", "..x:assistant"])
def test_a_path_is_no_target_and_that_is_said(folder: Path, target: str) -> None:
    checked = run("workflow", "check", target)

    assert checked.code == 2
    assert "such as shop" in checked.err
    assert "TypeError" not in checked.err


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


def test_the_present_state_is_found_by_its_id_whatever_it_is_called(folder: Path) -> None:
    with_machine(folder, "commas", "State('a', on={'GO': 'x, y'}), State('x, y', on={'BACK': 'x'}), State('x', on={'BACK': 'a'})")
    kept = run("call", "commas:host", "go", *ADA, "--json").json["session"]

    drawn = run("workflow", "draw", "commas:host", "--session", kept, *ADA)

    assert '"x, y (present)" as s2' in drawn.out
    assert drawn.out.count("(present)") == 1


def test_a_state_of_thousands_of_characters_is_visibly_shortened(folder: Path) -> None:
    name = "b" * 3000
    with_machine(folder, "lengthy", f"State('a', on={{'GO': '{name}'}}), State('{name}', on={{'BACK': 'a'}})")

    called = run("call", "lengthy:host", "go", *ADA)
    shown = run("workflow", "show", "lengthy:host", *ADA)

    assert f"m: a → {name[:200]}…\n" in called.out
    assert f"{name[:100]}" in shown.out.replace("\n", "")
    assert shown.out.count("b") < 400


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


def test_what_is_in_the_store_is_listed_for_the_operator_also_what_nobody_knows_any_more(folder: Path) -> None:
    handle = begun()

    known = run("workflow", "ls", INVOICES, *ADA)
    unknown = run("workflow", "ls", OTHERS, *ADA)

    assert (known.code, unknown.code) == (0, 1)
    assert any(row[:3] == ["invoice", handle, "draft"] for row in table(known))
    assert "say formerly=('invoice',)" in unknown.out
    [record] = run("workflow", "ls", OTHERS, *ADA, "--json").json
    assert (record["machine"], record["handle"], record["state"], record["known"]) == ("invoice", handle, "draft", False)


def test_workflows_are_moved_out_of_the_store(folder: Path) -> None:
    begun()

    refused = run("workflow", "move", INVOICES, *ADA)
    moved = run("workflow", "move", ELSEWHERE, *ADA)

    assert "give the snapshots=" in refused.err
    assert (moved.code, moved.out.split()) == (0, ["moved:", "1"])
    assert run("workflow", "move", ELSEWHERE, *ADA, "--json").json == {"moved": 0, "left": []}
    assert run("workflow", "ls", INVOICES, *ADA, "--json").json == []


def test_where_an_instance_with_a_handle_stands_and_who_holds_it_is_shown(folder: Path) -> None:
    asked, handle = session(), begun()
    call("open_desk", asked)
    call("submit", asked, invoice=handle)
    call("approve", asked, invoice=handle)
    call("discharge", asked, invoice=handle)

    [shown] = run("workflow", "show", INVOICES, "--handle", handle, *ADA, "--json").json

    assert (shown["machine"], shown["handle"], shown["state"]) == ("invoice", handle, "approved")
    assert (shown["claim"]["tool"], shown["claim"]["state"], shown["claim"]["is_running"]) == ("discharge", "indeterminate", False)
    assert {"name": "discharge", "now": "uncertain", "fires": "DISCHARGE"} in shown["tools"]
    assert {"name": "submit", "now": "closed", "fires": "SUBMIT"} in shown["tools"]
    held = run("workflow", "show", INVOICES, "--handle", handle, *ADA)
    assert ["invoice", handle, "approved", "discharge", shown["claim"]["key"]] in table(held)
    assert f"handgriff effects resolve {INVOICES} discharge {shown['claim']['key']} --as acme/ada done|failed\n" in held.out


@pytest.mark.parametrize("who", [("--as", "acme/bob"), ADA])
def test_foreign_and_unknown_ones_get_one_answer(folder: Path, who: tuple[str, str]) -> None:
    handle = begun() if who != ADA else "w_unknown"

    shown = run("workflow", "show", INVOICES, "--handle", handle, *who)

    assert shown.code == 1
    assert "not_found: There is no such workflow." in shown.err


def test_without_options_a_callers_own_workflows_are_shown(folder: Path) -> None:
    handle, other = begun(), begun()
    call("open_desk")
    call("submit", invoice=other)

    shown = run("workflow", "show", INVOICES, *ADA)

    assert shown.code == 0
    assert ["desk", "open"] in table(shown)
    assert {("invoice", handle, "draft"), ("invoice", other, "review")} <= {tuple(row) for row in table(shown)}
    assert "Say whose: --session ID, or --handle HANDLE. Without either," in run("workflow", "show", INVOICES, "--as", "acme/bob").err


def test_somebody_without_any_must_say_whose_workflows_are_meant(folder: Path) -> None:
    shown = run("workflow", "show", INVOICES, *ADA)

    assert shown.code == 2
    assert "Say whose: --session ID, or --handle HANDLE." in shown.err


def test_where_a_machine_has_changed_both_hashes_and_the_way_on_are_shown(folder: Path) -> None:
    with_machine(folder, "earlier", "State('a', on={'GO': 'b'}), State('b', on={'BACK': 'a'})")
    with_machine(folder, "later", "State('a', on={'GO': 'c'}), State('c', on={'BACK': 'a'})")
    kept = run("call", "earlier:host", "go", *ADA, "--json").json["session"]

    shown = run("workflow", "show", "later:host", "--session", kept, *ADA)
    [as_json] = run("workflow", "show", "later:host", *ADA, "--json").json
    drawn = run("workflow", "draw", "later:host", "--session", kept, *ADA)

    before, after = hashes("earlier"), hashes("later")
    assert shown.code == 1
    assert ["m", "b"] in table(shown)
    assert ["go", "m", "closed", "GO"] in table(shown)
    assert f"stored state: b\n  stored hash: {before}\n  hash now: {after}\n" in shown.out
    assert f"  to go on: migrations={{\"{before}\": lambda snapshot: …}} where the machine 'm' is made\n" in shown.out
    assert (as_json["hash"], as_json["stored"]["hash"], as_json["state"]) == (after, before, "b")
    assert "present" not in drawn.out


def test_a_tool_that_a_running_call_holds_is_said_to_be_held_and_until_when(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(folder)
    with_machine(folder, "running", "State('a', on={'GO': 'b'}), State('b', on={'BACK': 'a'})")
    running: Any = import_module("running")

    async def ask_meanwhile() -> tuple[Ended, Any]:
        async with running.host as opened, anyio.create_task_group() as tasks:
            running.started, running.released = anyio.Event(), anyio.Event()
            kept = await opened.sessions.create(Caller("acme", "ada"))
            tasks.start_soon(lambda: opened.call(Caller("acme", "ada"), "go", {}, session=kept.id))
            with anyio.fail_after(20):
                await running.started.wait()
            words = ("workflow", "show", "running:other", "--session", kept.id, *ADA)
            shown = await anyio.to_thread.run_sync(run, *words)
            as_json = await anyio.to_thread.run_sync(run, *words, "--json")
            running.released.set()
        return shown, as_json.json

    shown, [as_json] = anyio.run(ask_meanwhile)

    assert ["go", "m", "held", "GO"] in table(shown)
    until = datetime.fromisoformat(as_json["claim"]["until"]).astimezone()
    assert re.search(rf"m is held: by go, key \w+, call c_\w+, until {until:%Y-%m-%d %H:%M:%S} at most", shown.out)
    assert as_json["claim"]["is_running"]


def with_machine(folder: Path, name: str, states: str) -> None:
    """A module of *folder* with two hosts over one store: a machine of these states, and a tool that waits where the test says so."""
    (folder / f"{name}.py").write_text(
        f"{HEAD}"
        "from handgriff import Caller, Host\nfrom handgriff.models.scripted import ScriptedModel\n"
        f"machine = Machine('m', {states})\nstarted = released = None\n"
        "@box.tool(effect='write', description='Use when: a. Not for: b. Needs: c. Effect: d.', at=machine.at('a'), fires='GO')\n"
        "async def go() -> Result[None]:\n"
        "    if started:\n        started.set()\n        await released.wait()\n    return Result('Gone.')\n"
        "assistant = Assistant('a', instructions='x', toolboxes=[box])\n"
        "async def callers(tenant, user):\n    return Caller(tenant, user)\n"
        "def made():\n"
        "    return Host(assistant, store='sqlite:///m.db', callers=callers, models=[ScriptedModel()], model='scripted:dev')\n"
        "host, other = made(), made()\n"
    )


def hashes(name: str) -> str:
    found: str = import_module(name).machine.hash
    return found
