"""A process that has imported the command line and waits: what is wished of it is done by a fork. `warm` starts it.

python warm_process.py ADDRESS: it says when it listens there, and leaves when its standard input ends.
"""

import gc
import json
import os
import runpy
import signal
import socket
import sys
import time
from collections.abc import Mapping
from importlib import import_module
from select import select
from typing import Any, NoReturn

MODULE = "handgriff.cli"
IMPORTED = (
    *("handgriff.cli.app", "handgriff.tool", "handgriff.core.wrap", "handgriff.prices.table", "handgriff.models.scripted"),
    *("handgriff.stores.sqlite", "handgriff.mcp", "uvicorn", "rich.markdown", "pydantic.root_model", "anyio._backends._asyncio"),
)
"""What commands load sooner or later."""


def wished(listener: socket.socket) -> dict[str, Any] | None:
    """In each command: what is wished of it. In the process that waits: None, in the end."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever looks after a command leaves by itself
    while listener.fileno() in select([0, listener.fileno()], [], [])[0]:
        end, _ = listener.accept()
        if not os.fork():
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listener.close()
            return _taken(end)
        end.close()
    listener.close()
    return None


def _taken(end: socket.socket) -> dict[str, Any]:
    _, streams, *_ = socket.recv_fds(end, len(b"streams"), 3)
    with end.makefile("rb") as reading:
        wish: dict[str, Any] = json.loads(reading.read(int.from_bytes(reading.read(8))))
    ends, lives = os.pipe()
    if command := os.fork():
        for handle in (*streams, lives):
            os.close(handle)
        _look_after(command, ends, end)
    os.close(ends)
    end.close()
    for number, handle in enumerate(streams):
        os.dup2(handle, number)
        os.close(handle)
    return wish


def _look_after(command: int, ends: int, end: socket.socket) -> NoReturn:
    end.sendall(f"{command}\n".encode())
    if ends not in select([ends, end.fileno()], [], [])[0]:
        os.kill(command, signal.SIGKILL)  # nobody is there any more who would
    _, status = os.waitpid(command, 0)
    end.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def become(wish: Mapping[str, Any]) -> None:
    """Run the command as if this process had been started for it."""
    os.chdir(wish["folder"])
    os.environ.clear()
    os.environ.update(wish["environment"])
    time.tzset()
    sys.argv = [MODULE, *wish["words"]]
    named = wish["environment"].get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:1] = [wish["folder"], *(each for each in named if each and each not in sys.path)]
    # As the interpreter opens them.
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    runpy.run_module(MODULE, run_name="__main__", alter_sys=True)


def main(address: str) -> None:
    """Listen, and be what is wished."""
    for name in IMPORTED:
        import_module(name)
    gc.freeze()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    print("ready", flush=True)  # noqa: T201  # whoever started it waits for this line
    wish = wished(listener)
    if wish is not None:
        become(wish)


if __name__ == "__main__":
    main(sys.argv[1])
