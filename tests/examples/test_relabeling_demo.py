"""The played demo as a process that starts another one, the same with the scratch pad in files, and the assistant in the dev chat."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from examples.relabeling.__main__ import main
from examples.relabeling.application import PEOPLE, STORE, TENANT, load_caller, make_host
from examples.relabeling.depot import Depot
from examples.relabeling.desk import depot_in
from examples.relabeling.play import play
from examples.relabeling.proof import complaints_of_depot, complaints_of_events, complaints_of_store
from examples.relabeling.script import AFTER, BEFORE, ORDERED, STEPS
from handgriff.cli.render import Renderer
from tests.interaction.cli_process import environment

ROOT = Path(__file__).resolve().parents[2]
TARA = PEOPLE["tara"]
HELD = ORDERED[:7]
PROMISED = (
    r"Tara> \]C100340434161094042557",
    r"\]d200340434161094042564␝42012345",
    r"  . collect_codes: 2 codes collected, 2 in all\.",
    r"  . choose_direction: The direction is DHL->DPD\.",
    r"  . collect_codes: 2 codes collected, 4 in all\. Collected before: 00340434161094042557\. Not collected: 201298452278 .*",
    r"  . collect_codes: 1 code collected, 5 in all\.",
    r"  . collect_codes: 1 code collected, 8 in all\.",
    r"  . undo_last: 00340434161094042601 is taken back; 7 codes left\.",
    r"  . collect_codes: No code collected, 7 in all\. Not collected: 1Z999AA10123456784 \(it is a UPS tracking number, .*",
    r"=== This process ends here\. .*",
    r"Process \d+ finds 7 codes in the scratch pad, DHL->DPD, kept until \d{4}-\d\d-\d\d \d\d:\d\d UTC\.",
    r"  . show_collected: 7 codes collected, DHL->DPD\.",
    r"  . choose_direction: conflict: DPD->UPS does not fit 7 codes: 00340434161094042557 \(DHL\), .*",
    r".* Relabel 7 parcels from DHL to DPD: .*",
    r"Tara declines\.",
    r"  . submit_relabeling: declined: .*",
    r".* Relabel 8 parcels from DHL to DPD: .*",
    r".* Labels +- DHL +\+ DPD .*",
    r"Tara confirms\.",
    r"  . submit_relabeling: Order R-00001: 8 parcels from DHL to DPD\. The sheet is R-00001\.csv\.",
    r"  . submit_relabeling: conflict: Nothing is collected since order R-00001 was placed, .*",
    r"  . collect_codes: No code collected, 0 in all\. Not collected: 00340434161094042557 \(it is in order R-00001 already\)\.",
    r"  . clear_codes: Cleared: 1 code dropped\.",
    r"One order, every code in it once, and nothing is left in the scratch pad\.",
)
"""Lines of the demo, in their order."""


def run(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "examples.relabeling", *arguments],
        cwd=ROOT,
        env=environment({"COLUMNS": "140"}),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


def shows_what_it_promises(played: subprocess.CompletedProcess[str]) -> None:
    assert (played.returncode, played.stderr) == (0, "")
    lines = iter(played.stdout.splitlines())
    for promised in PROMISED:
        assert any(re.fullmatch(promised, line) for line in lines), promised


def test_the_demo_plays_in_two_processes_and_shows_what_it_promises() -> None:
    shows_what_it_promises(run([]))


def test_with_files_too_and_a_kept_folder_holds_the_order_and_is_not_played_over(tmp_path: Path) -> None:
    shows_what_it_promises(run(["--folder", str(tmp_path), "--scratch", (tmp_path / "pads").as_uri()]))

    depot = depot_in(tmp_path, TENANT)
    assert [order.codes for order in depot.orders()] == [ORDERED]
    sheet = depot.sheet_of("R-00001").read_text(encoding="utf-8").splitlines()
    assert sheet == ["code,from,to", *(f"{code},DHL,DPD" for code in ORDERED)]
    again = run(["--folder", str(tmp_path)])
    assert (again.returncode, again.stdout) == (2, "")
    assert "holds a conversation already" in again.stderr


def test_a_first_half_that_fails_is_not_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--pace"])
    Depot(tmp_path / f"depot-{TENANT}").folder.mkdir()
    (tmp_path / f"depot-{TENANT}" / "depot.db").write_bytes(b"no database, but long enough that it can't be taken for an empty one" * 20)

    assert main(["--folder", str(tmp_path)]) == 1
    assert "what was refused" in capsys.readouterr().out


async def first_half(folder: Path, scratch: str | None = None) -> str:
    async with make_host(folder, scratch=scratch, steps=STEPS) as host:
        session = (await host.sessions.create(TARA)).id
        events = await play(host, TARA, session, BEFORE.lines, Renderer(Console(file=StringIO())))
    assert complaints_of_events(BEFORE, events) == ()
    return session


@pytest.mark.anyio
async def test_in_files_the_notebook_lies_open_and_is_gone_when_it_is_cleared(tmp_path: Path) -> None:
    pads = tmp_path / "pads"
    session = await first_half(tmp_path, pads.as_uri())

    (file,) = pads.rglob("*.json")
    assert file == pads / TENANT / "tmp" / "state" / f"relabeling_{session}.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    assert record["data"] == {"codes": list(HELD), "direction": "DHL->DPD"}
    expires = datetime.fromisoformat(record["expires_at"])
    assert expires.tzinfo is not None
    assert timedelta(hours=23) < expires - datetime.now(UTC) <= timedelta(hours=24)
    assert '\n    "codes": [\n      "00340434161094042557",\n' in file.read_text(encoding="utf-8")

    async with make_host(tmp_path, scratch=pads.as_uri(), steps=STEPS) as host:
        events = await play(host, TARA, session, AFTER.lines, Renderer(Console(file=StringIO())))
        assert complaints_of_events(AFTER, events) + await complaints_of_store(host, TARA) == ()
    assert complaints_of_depot(depot_in(tmp_path, TENANT)) == ()
    assert list(pads.rglob("*.json")) == []


@pytest.mark.anyio
async def test_a_conversation_that_ends_otherwise_is_complained_of(tmp_path: Path) -> None:
    session = await first_half(tmp_path)

    async with make_host(tmp_path, steps=STEPS) as host:
        left = await complaints_of_store(host, TARA)
        events = await host.sessions.events(TARA, session)

    assert left == (f"scratch records left: [('{session}', 'relabeling')], not []",)
    assert any("how the turns ended" in complaint for complaint in complaints_of_events(AFTER, events))
    assert {complaint.split(":")[0] for complaint in complaints_of_depot(depot_in(tmp_path, TENANT))} == {
        "the orders",
        "the sheet",
        "the folder of sheets",
    }


@pytest.mark.anyio
async def test_only_people_of_the_depot_are_callers() -> None:
    assert await load_caller(TENANT, "tara") == TARA
    assert await load_caller(TENANT, "zoe") is None
    assert await load_caller("southgate", "tara") is None


def chat(folder: Path, *lines: str, session: str | None = None) -> str:
    command = (sys.executable, "-W", "error", "-m", "handgriff.cli", "chat", "examples.relabeling:assistant", "--dev")
    again = ("--session", session) if session else ()
    done = subprocess.run(
        [*command, *again],
        cwd=folder,
        env=environment({"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}),
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_dev_chat_collects_goes_on_another_time_and_submits(tmp_path: Path) -> None:
    scanned = '/collect_codes codes=["]C100340434161094042557", "2012 9845 2277"]'
    begun = chat(tmp_path, "/choose_direction direction=DHL->DPD", f"{scanned}\n", "/collect_codes codes=[1]")
    session = re.search(r"--session (s_\w+)", begun)

    assert session is not None
    assert "collect_codes: 2 codes collected, 2 in all." in begun
    assert "collect_codes: invalid:" in begun
    went_on = chat(tmp_path, "/show_collected", "/submit_relabeling", "y", "/show_collected", session=session[1])
    assert "show_collected: 2 codes collected, DHL->DPD." in went_on
    assert "Confirm? [y/N] y" in went_on
    assert "Order R-00001: 2 parcels from DHL to DPD." in went_on
    assert "show_collected: Nothing is collected." in went_on
    (sheet,) = tmp_path.rglob("*.csv")
    assert sheet == tmp_path / "relabeling-depot" / "depot-dev" / "orders" / "R-00001.csv"
    assert (tmp_path / STORE).exists()
