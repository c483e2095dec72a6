"""The command line as its users have it: a process, its streams and its exit code."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from select import select
from typing import Any

from tests.interaction.warm import start, waiting

SRC = Path(__file__).resolve().parents[2] / "src"
COMMAND = (sys.executable, "-W", "error", "-m", "handgriff.cli")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
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


def with_till(folder: Path) -> Path:
    """*folder*, in which the till can be imported as `till`."""
    shutil.copy(Path(__file__).with_name("cli_till.py"), folder / "till.py")
    return folder


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """This environment without what would change the command's mind."""
    unwanted = {"ANTHROPIC_API_KEY", "HANDGRIFF_MODEL", "COLUMNS", "LANG", "LC_ALL", "FORCE_COLOR"}
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return kept | {"PYTHONPATH": str(SRC), "PYTHONUTF8": "1", "TERM": "dumb", "TZ": "UTC"} | dict(changes or {})


def handgriff(folder: Path, *words: str, stdin: str = "", env: Mapping[str, str] | None = None) -> Ended:
    """Run `handgriff` with *words* in *folder*; *stdin* is what is piped in."""
    if env is not None and "PYTHONPATH" in env:
        # It says what is imported, so it is for a process that has imported nothing yet.
        command = [*COMMAND, *words]
        done = subprocess.run(
            command, cwd=folder, env=environment(env), input=stdin, capture_output=True, encoding="utf-8", check=False, timeout=60
        )
        return Ended(done.returncode, done.stdout, done.stderr)
    (its_in, my_in), (my_out, its_out), (my_err, its_err) = os.pipe(), os.pipe(), os.pipe()
    started = start(waiting(str(SRC)), words, str(folder), environment(env), (its_in, its_out, its_err))
    for handle in (its_in, its_out, its_err):
        os.close(handle)
    with ThreadPoolExecutor() as pool:
        read = [pool.submit(_read, handle) for handle in (my_out, my_err)]
        with suppress(BrokenPipeError), open(my_in, "w", encoding="utf-8") as written:  # noqa: PTH123  # a command need not read it all
            written.write(stdin)
        out, err = (each.result() for each in read)
    return Ended(started.wait(60), out, err)


def _read(handle: int) -> str:
    with open(handle, encoding="utf-8") as stream:  # a handle
        return stream.read()


def at_terminal(folder: Path, *words: str, typed: str) -> Ended:
    """Run `handgriff` with *words* at a terminal, where a person types *typed* once they are asked. All that was shown is its `out`."""
    with at_keyboard(folder, *words) as person:
        person.read(until="[y/N] ")
        person.type(typed)
        code = person.end()
        return Ended(code, person.shown, "")


class Typist:
    """Somebody at a terminal: types, and reads until what they wait for stands there."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        self.process = process
        self.shown = ""
        """All that has been read, without its colours."""
        self._terminal = terminal

    def type(self, keys: str) -> None:
        """Press these keys."""
        os.write(self._terminal, keys.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C, and again where nothing comes of it: readline hears none between showing its prompt and reading."""
        for _ in range(10):
            self.process.send_signal(signal.SIGINT)
            if select([self._terminal], [], [], 6)[0]:
                return

    def read(self, until: str) -> str:
        """What is shown until *until* stands there."""
        read = b""
        while until.encode() not in read:
            assert select([self._terminal], [], [], 60)[0], read
            # What stands behind it belongs to the next reading, so it comes byte by byte.
            read += os.read(self._terminal, 1)
        text = _COLOURS.sub("", read.decode())
        self.shown += text
        return text

    def end(self) -> int:
        """The exit code, once all that is shown has been read."""
        read = b""
        with suppress(OSError):  # how Linux says that nobody has the other end any more
            while select([self._terminal], [], [], 60)[0] and (more := os.read(self._terminal, 1024)):
                read += more
        self.shown += _COLOURS.sub("", read.decode())
        return self.process.wait(timeout=60)


@contextmanager
def at_keyboard(folder: Path, *words: str) -> Iterator[Typist]:
    """Somebody at a terminal in which `handgriff` runs with *words*."""
    mine, its = pty.openpty()
    command = [*COMMAND, *words]
    with subprocess.Popen(command, cwd=folder, env=environment({"TERM": "xterm"}), stdin=its, stdout=its, stderr=its) as process:
        os.close(its)
        try:
            yield Typist(process, mine)
        finally:
            process.kill()  # what fails must not leave this waiting for a command that waits for somebody to type
            os.close(mine)


def of_type(lines: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    """The documents of one type."""
    return [line for line in lines if line["type"] == kind]
