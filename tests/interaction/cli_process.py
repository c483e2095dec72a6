"""The command line as its users have it: a process, its streams and its exit code."""

import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from select import select
from typing import Any

SRC = Path(__file__).resolve().parents[2] / "src"
COMMAND = (sys.executable, "-W", "error", "-m", "handgriff.cli")
DEV = ("--dev", "--as", "acme/ada", "--can", "orders.cancel")


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document it printed."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The JSON documents it printed, a line each."""
        return [json.loads(line) for line in self.out.splitlines()]


def with_shop(folder: Path) -> Path:
    """*folder*, in which the shop can be imported as `shop`."""
    shutil.copy(Path(__file__).with_name("cli_shop.py"), folder / "shop.py")
    return folder


def with_pad(folder: Path) -> Path:
    """*folder*, in which the notepad can be imported as `pad`."""
    shutil.copy(Path(__file__).with_name("cli_pad.py"), folder / "pad.py")
    return folder


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """This environment without what would change the command's mind."""
    unwanted = {"ANTHROPIC_API_KEY", "HANDGRIFF_MODEL", "COLUMNS", "LANG", "LC_ALL", "FORCE_COLOR"}
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return kept | {"PYTHONPATH": str(SRC), "PYTHONUTF8": "1", "TERM": "dumb", "TZ": "UTC"} | dict(changes or {})


def handgriff(folder: Path, *words: str, stdin: str = "", env: Mapping[str, str] | None = None) -> Ended:
    """Run `handgriff` with *words* in *folder*; *stdin* is what is piped in."""
    done = subprocess.run(
        [*COMMAND, *words], cwd=folder, env=environment(env), input=stdin, capture_output=True, encoding="utf-8", check=False, timeout=60
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def at_terminal(folder: Path, *words: str, typed: str) -> Ended:
    """Run `handgriff` with *words* at a terminal, where a person types *typed* once they are asked. All that was shown is its `out`."""
    mine, its = pty.openpty()
    shown = b""
    with subprocess.Popen([*COMMAND, *words], cwd=folder, env=environment(), stdin=its, stdout=its, stderr=its) as process:
        os.close(its)
        while b"[y/N] " not in shown and select([mine], [], [], 60)[0]:
            shown += os.read(mine, 1024)
        os.write(mine, typed.encode())
        with suppress(OSError):  # how Linux says that nobody has the other end any more
            while select([mine], [], [], 60)[0]:
                shown += os.read(mine, 1024)
        code = process.wait(timeout=60)
    os.close(mine)
    return Ended(code, shown.decode(), "")


def of_type(lines: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    """The documents of one type."""
    return [line for line in lines if line["type"] == kind]
