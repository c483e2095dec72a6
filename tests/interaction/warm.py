"""The command line without its start: each command is forked from a process that has imported it (`warm_process`).

It has streams, folder and environment of its own, begins where `python -m handgriff.cli` does, and ends as that does. Run as a program,
this module is such a command, for whoever starts programs: it passes signals on, and ends as the command does.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

_ENOUGH = 4096


class Command:
    """A command that was started, and dies with this object's process."""

    def __init__(self, end: socket.socket) -> None:
        self._end, self._code = end, -1
        self._told = end.makefile("r")
        self.pid = int(self._told.readline())
        self._is_over = False

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code; negative is the signal that ended it.

        Raises:
            TimeoutError: it goes on.
        """
        if not self._is_over:
            self._end.settimeout(timeout)
            self._code, self._is_over = int(self._told.readline()), True
            self._told.close()
            self._end.close()
        return self._code

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        if not self._is_over:
            os.kill(self.pid, number)


def start(address: str, words: Sequence[str], folder: str, environment: Mapping[str, str], streams: tuple[int, int, int]) -> Command:
    """Run a command on *streams*, which are the caller's to close."""
    end = socket.socket(socket.AF_UNIX)
    end.connect(address)
    socket.send_fds(end, [b"streams"], streams)
    wish = json.dumps({"words": list(words), "folder": folder, "environment": dict(environment)}).encode()
    end.sendall(len(wish).to_bytes(8) + wish)
    return Command(end)


@cache
def waiting(path: str) -> str:
    """The address of a process that waits for commands; *path* is where it finds its imports. It ends with this one."""
    folder = Path(mkdtemp(prefix="handgriff-warm-"))
    address = str(folder / "commands")
    program = [sys.executable, "-W", "error", str(Path(__file__).with_name("warm_process.py")), address]
    kept = os.environ | {"PYTHONPATH": path, "PYTHONUTF8": "1"}
    process = subprocess.Popen(program, env=kept, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()

    def stop() -> None:
        process.communicate()
        Path(address).unlink()
        folder.rmdir()

    atexit.register(stop)
    return address


def program(path: str) -> list[str]:
    """What starts a command as a program."""
    return [sys.executable, "-S", "-E", __file__, waiting(path)]


def _run(address: str, *words: str) -> None:
    command = start(address, words, str(Path.cwd()), os.environ, (0, 1, 2))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: command.send_signal(number))
    code = command.wait()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


if __name__ == "__main__":
    _run(*sys.argv[1:])
