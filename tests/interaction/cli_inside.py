"""The command line within the test's own process: the same words and streams as `cli_process` has, without a process for each.

The till's files are those of the working folder, which the fixture of each test makes its own.
"""

import re
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from handgriff.cli.app import app
from tests.interaction.cli_process import Ended

TILL = "tests.interaction.cli_till:host"
ADA = ("--as", "acme/ada")
PAY, CLOSE, MOVE = "/pay amount=10 to=acc-2", "/close_till reason=holiday", "/transfer amount=5"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder of the test's own, in which nothing has happened yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def run(*words: str, stdin: str = "") -> Ended:
    """Run `handgriff` with *words*; *stdin* is what is piped in."""
    # Whoever runs the tests may have said how wide their own terminal is.
    ended = CliRunner(env={"COLUMNS": None}).invoke(app, words, input=stdin, catch_exceptions=False)
    return Ended(ended.exit_code, ended.stdout, ended.stderr)


def typed(line: str, stdin: str = "") -> Ended:
    """Run a whole command as it was printed."""
    command, *words = shlex.split(line)
    assert command == "handgriff"
    return run(*words, stdin=stdin)


def chat(*lines: str, who: str = "acme/ada", target: str = TILL, session: str | None = None) -> Ended:
    """A chat into which these lines are piped."""
    more = ("--session", session) if session else ()
    return run("chat", target, "--as", who, *more, stdin="".join(f"{line}\n" for line in lines))


def asked(wish: str, who: str = "acme/ada", target: str = TILL) -> str:
    """The id of the proposal that *wish* led to."""
    [proposal] = set(re.findall(r"p_\w+", chat(wish, who=who, target=target).out))
    return str(proposal)


def code(folder: Path, user: str = "acme/ada") -> str:
    """The last code *user* was sent."""
    return codes(folder, user)[-1]


def codes(folder: Path, user: str = "acme/ada") -> list[str]:
    """The codes *user* was sent, oldest first."""
    sent = (folder / "codes.txt").read_text().splitlines()
    return [found[1] for line in sent if line.startswith(f"{user}: ") and (found := re.search(r"\b(\d{6})\b", line))]


def wrong(right: str) -> str:
    """Six digits that are not *right*."""
    return f"{(int(right) + 1) % 10**6:06}"


def happened(folder: Path) -> list[str]:
    """What the bank and the shop have done."""
    return (folder / "bank.txt").read_text().splitlines() if (folder / "bank.txt").exists() else []


def proposals(name: str, proposal: str, who: str = "acme/ada", *more: str, stdin: str = "") -> Ended:
    """`handgriff proposals NAME` for one proposal."""
    return run("proposals", name, TILL, proposal, "--as", who, *more, stdin=stdin)
