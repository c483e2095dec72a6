"""XState 5.33.3 from npm beside our interpreter: new random machines, step by step, and the configs that we write.

It is installed by the fixture `node` (`conftest.py`).
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from handgriff.core.machine.build import State, Transition, config_of
from handgriff.core.machine.interpret import can, next_step, start
from handgriff.core.machine.node import ActionRef, Definition
from handgriff.core.machine.reading import read, to_config
from handgriff.core.machine.snapshot import Snapshot, SnapshotFault, Step
from handgriff.errors import DefinitionError
from handgriff.testing.xstate.__main__ import AGREED, main
from tests.effort import times
from tests.interaction.browser import CLIENTS
from tests.interaction.random_machines import ACTIONS, EVENTS, GUARDS, random_machine

AT = datetime(2026, 11, 30, tzinfo=UTC)
MACHINES = times(50)


def asked(node: str, program: str, lines: Sequence[str], folder: Path = CLIENTS) -> list[str]:
    """What *program* answers to each of *lines*."""
    done = subprocess.run([node, program], cwd=folder, input="\n".join(lines), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def told(action: ActionRef) -> object:
    match action.name:
        case "xstate.raise":
            return ["raise", action.params["event"]["type"], action.params["delay"]]
        case "xstate.cancel":
            return ["cancel", action.params["sendId"]]
        case _:
            return [action.name, action.params] if action.params else action.name


def answer(definition: Definition, step: Step, probes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    snapshot = step.snapshot
    return {
        "value": snapshot.value,
        "status": snapshot.status,
        "context": snapshot.context,
        "output": snapshot.output,
        "history": {state: list(left) for state, left in snapshot.history.items()},
        # XState performs its own assignments without telling of them.
        "actions": [told(action) for action in step.actions if action.name not in ACTIONS],
        "can": [probe["type"] for probe in probes if can(definition, snapshot, probe)],
    }


def stored(snapshot: Snapshot, definition: Definition) -> Snapshot:
    """*snapshot*, written and read again."""
    try:
        read_again = Snapshot.from_json(snapshot.to_json(), definition)
    except SnapshotFault:
        return Snapshot.from_json(snapshot.to_json(), definition, torn=True)
    assert read_again == snapshot
    return read_again


def ours(definition: Definition, machine: dict[str, Any]) -> dict[str, Any]:
    """What our interpreter answers, as `machines.mjs` writes what XState does."""
    steps = []
    try:
        step = start(definition, AT, torn=True)
        steps.append(answer(definition, step, machine["probes"]))
        for event in machine["events"]:
            if step.snapshot.status == "done":
                break
            step = next_step(definition, stored(step.snapshot, definition), event, AT, torn=True)
            steps.append(answer(definition, step, machine["probes"]))
    except DefinitionError as error:
        return {"steps": steps, "error": str(error)}
    return {"steps": steps}


def check(node: str, machines: Sequence[dict[str, Any]]) -> None:
    """XState does with the configs that we write what our interpreter does with the ones that were read."""
    definitions = [read(machine["config"], GUARDS, ACTIONS) for machine in machines]
    written = [json.dumps({**machine, "config": to_config(definition)}) for machine, definition in zip(machines, definitions, strict=True)]

    for definition, machine, line in zip(definitions, machines, asked(node, "machines.mjs", written), strict=True):
        theirs, mine = json.loads(line), ours(definition, machine)
        assert mine["steps"] == theirs["steps"], json.dumps(machine["config"])
        assert ("endless" in mine.get("error", "")) == ("Infinite loop" in theirs.get("error", "")), (
            mine.get("error"),
            theirs.get("error"),
        )


def readable(seed: int) -> dict[str, Any] | None:
    """A random machine; None where it has a fault, such as targets that can't be active together."""
    machine = random_machine(seed)
    try:
        read(machine["config"], GUARDS, ACTIONS)
    except DefinitionError:
        return None
    return machine


@pytest.mark.parametrize("block", range(4))
def test_random_machines_do_what_they_do_in_xstate(node: str, block: int) -> None:
    seeds = range(block * MACHINES, (block + 1) * MACHINES)
    machines = [machine for seed in seeds if (machine := readable(seed)) is not None]

    assert len(machines) > 0.95 * MACHINES
    check(node, machines)


def test_new_machines_like_the_recorded_ones_agree(
    node: str, shared: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    number = times(50)
    generated = subprocess.run(
        [sys.executable, shared("xstate/generate.py"), str(number), "20261130"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    shutil.copy(shared("xstate/oracle.mjs"), tmp_path / "oracle.mjs")
    (tmp_path / "node_modules").symlink_to(CLIENTS / "node_modules")
    machines, answers = tmp_path / "machines.jsonl", tmp_path / "answers.jsonl"
    machines.write_text("".join(f"{line}\n" for line in generated))
    answers.write_text("".join(f"{line}\n" for line in asked(node, "oracle.mjs", generated, tmp_path)))

    assert main([str(machines), "--answers", str(answers)]) == AGREED
    assert capsys.readouterr().out.splitlines()[-1] == f"{number} of {number} machines agree"


def test_a_machine_written_in_python_opens_in_xstate_and_does_the_same(node: str) -> None:
    least = {"n": 1}
    config = config_of(
        "order",
        State("draft", on={"GO": Transition("paying", guard="least", params=least), "a.*": None, "STOP": Transition(actions=["count"])}),
        State("paying", State("card", after={500: "cash"}), State("cash"), State("h", type="history"), on={"STOP": "draft", "a.x": "over"}),
        State("over", State("l", "one", State("two", type="final")), State("r"), type="parallel", tags="closed", on={"GO": "paying.h"}),
        context={"n": 0},
        on={"unknown": {"target": ".over", "reenter": True}},
    )
    events: list[dict[str, Any]] = [
        {"type": each, "flags": {}} for each in ("GO", "a.x", "STOP", "GO", "xstate.after.500.order.paying.card", "a.x", "GO", "unknown")
    ]

    check(node, [{"config": config, "events": events, "probes": [{"type": event} for event in EVENTS]}])
