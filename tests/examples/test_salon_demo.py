"""The played demo: in a process of its own, as `scripts/demo` runs it, and on every kind of day."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from examples.salon.__main__ import main, perform
from examples.salon.assistant import BOOK, PEOPLE, make_host
from examples.salon.data import open_salon
from examples.salon.play import play
from examples.salon.proof import complaints_of_book, complaints_of_events
from examples.salon.script import Line, owners
from handgriff.cli.render import Renderer

ROOT = Path(__file__).resolve().parents[2]
TODAY = date(2026, 3, 4)  # a Wednesday
PROMISED = (
    r"=== Ada, owner ===",
    r"Ada> Greta Lindqvist would like a colour with Mia on Friday\. Is there room\?",
    r"  . find_customer: Found Greta Lindqvist\.",
    r"  . list_services: 4 services\.",
    r"Yes: Mia is free on Friday, the whole day\. .*",
    r"Model requests: 3\. Tokens: [\d,]+ in .*, [\d,]+ out\. Cost: [1-9][\d,]+ µ\$\.",
    r"  . book_appointment: Colour with Mia is booked for Greta Lindqvist: Fri 6 March, 10:00\.",
    r"  Mia, Fri 6 March, 10:00 +- free +\+ Greta Lindqvist: Colour *",
    r".* set_service_price .*",
    r".* Change the price of Colour\? .*",
    r".* Price +- € 89\.00 +\+ € 95\.00 .*",
    r".* Can be confirmed until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d .*",
    r"Ada confirms\.",
    r"  . set_service_price: Colour now costs € 95\.00\.",
    r"  . send_invoice: invalid: .*not seen.*",
    r"    Stopped at the step 'meaning'\. .*create_invoice or list_invoices.*",
    r".* Mail i_302 over € 58\.00 .* to greta@lindqvist\.example\? It can't be called back\. .*",
    r"Ada confirms\.",
    r"  . send_invoice: Invoice 2026-0002 over € 58\.00 went to greta@lindqvist\.example\.",
    r"Ada declines\.",
    r"  . cancel_appointment: declined: .*",
    r"=== Ben, stylist ===",
    r"Offered: (?!.*(price|invoice)).*",
    r"  . move_appointment: denied: It is Ada's appointment\.",
    r"    Stopped at the step 'authority'\. Ask Ada or the owner\.",
    r"  . set_service_price: not_found: .*",
    r"Everything is in the book as it was shown\.",
)
"""Lines of the demo, in their order."""


def run(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    # Wide enough for every line: where tests run, a narrow terminal may be said to be there.
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}", "PYTHONUTF8": "1", "COLUMNS": "140"}
    return subprocess.run(
        [sys.executable, "-m", "examples.salon", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_demo_plays_without_a_key_and_shows_what_it_promises() -> None:
    played = run(["--today", str(TODAY)])

    assert (played.returncode, played.stderr) == (0, "")
    lines = iter(played.stdout.splitlines())
    for promised in PROMISED:
        assert any(re.fullmatch(promised, line) for line in lines), promised


def test_two_plays_of_one_day_differ_in_nothing_but_times_and_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for _ in range(2):
        assert main(["--today", str(TODAY)]) == 0
        # Tokens are estimated from the request's text, in which each session has a secret mark of its own.
        shown.append(re.sub(r"Can be confirmed until .*|Tokens: .*|\bp_[0-9a-f]{32}", "", capsys.readouterr().out))

    assert shown[0] == shown[1]


def test_a_folder_that_holds_a_salon_is_not_played_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--folder", str(tmp_path / "kept"), "--today", str(TODAY)]) == 0
    capsys.readouterr()

    assert main(["--folder", str(tmp_path / "kept"), "--today", str(TODAY)]) == 2
    assert "holds a salon already" in capsys.readouterr().err


@pytest.mark.anyio
@pytest.mark.parametrize(
    "today", [*(TODAY + timedelta(days=days) for days in (1, 2, 3, 4, 5, 6)), date(2027, 1, 1), date(2024, 2, 29)], ids=str
)
async def test_the_demo_ends_well_on_every_day(tmp_path: Path, today: date) -> None:
    assert await perform(tmp_path, today, 0.0) == 0


@pytest.mark.anyio
async def test_a_conversation_that_ends_otherwise_is_complained_of(tmp_path: Path) -> None:
    conversation = owners(TODAY)
    declining = replace(conversation, lines=tuple(Line(line.text, (False,)) for line in conversation.lines))

    async with make_host(tmp_path, today=TODAY, steps=declining.steps) as host:
        events = await play(host, PEOPLE["ada"], declining, Renderer(Console(file=StringIO())))

    assert any("what was refused" in complaint for complaint in complaints_of_events(declining, events))
    salon = open_salon(tmp_path / BOOK)
    found = " ".join(complaints_of_book(salon, TODAY))
    salon.close()
    assert "the price of a colour: 8900, not 9500" in found
    assert "the invoice" in found


@pytest.mark.anyio
async def test_a_book_nobody_wrote_in_is_complained_of(tmp_path: Path) -> None:
    async with make_host(tmp_path, today=TODAY):
        salon = open_salon(tmp_path / BOOK)

    assert complaints_of_book(salon, TODAY) == ("There is no appointment 'a_508'.",)
    salon.close()
