"""The invoice's story through every door, in a process of its own, and what is proved of its workflow before anything runs."""

import os
import re
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from examples.invoices.assistant import assistant
from examples.invoices.play import STORY
from examples.invoices.workflow import CONFIG, invoice
from handgriff import Assistant, DefinitionError, Machine, Result, Toolbox
from handgriff.machine import OnlyAfter
from tests.interaction.cli_process import environment, handgriff

ROOT = Path(__file__).resolve().parents[2]


def test_the_story_ends_well_through_every_door_and_each_invoice_is_paid_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.invoices", "--folder", str(tmp_path)]
    told = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=120, check=False)

    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.endswith("Every step came in its order, through every door.\n")
    # Three doors, and each refusal and success of the story in each of them.
    assert len(re.findall(r"^  \w+ calls ", told.stdout, flags=re.MULTILINE)) == 3 * len(STORY)
    with closing(sqlite3.connect(tmp_path / "invoices.db")) as connection:
        assert connection.execute("select paid from invoices").fetchall() == [(1,), (1,), (1,)]


def test_its_page_s_calls_from_the_command_line_run_as_written(tmp_path: Path) -> None:
    page = (ROOT / "examples" / "invoices" / "README.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n# company.py\n(.*?)```", page, flags=re.DOTALL)
    (tmp_path / "company.py").write_text(code, encoding="utf-8")
    commands = [shlex.split(line)[1:] for line in re.findall(r"^handgriff .* company:host .*$", page, flags=re.MULTILINE)]
    path = {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}

    called, shown = (handgriff(tmp_path, *words, env=path) for words in commands)

    assert (called.code, shown.code) == (0, 0), called.err + shown.err
    assert "draft" in called.out
    assert "draft" in shown.out


def test_what_must_never_happen_is_proved_and_a_machine_that_breaks_it_is_refused() -> None:
    assert assistant.machines == {"invoice": invoice}
    shortcut = {**CONFIG["states"], "review": {"on": {"APPROVE": "approved", "REJECT": "draft", "HURRY": "approved"}}}
    machine = Machine.from_config({**CONFIG, "states": shortcut}, invariants=[OnlyAfter("DISCHARGE", "APPROVE")])
    hurried = Toolbox("hurried")

    @hurried.tool(effect="write", at=machine.at("approved"), fires="DISCHARGE")
    async def pay() -> Result[None]:
        """Use when: it is to be paid. Not for: others. Needs: nothing. Effect: pays it."""
        return Result("Paid.")

    with pytest.raises(DefinitionError, match="HURRY"):
        Assistant("broken", instructions="Pay.", toolboxes=[hurried])


def test_the_config_is_read_as_it_is_written() -> None:
    assert invoice.to_config()["states"].keys() == CONFIG["states"].keys()
