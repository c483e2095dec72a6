"""The payment provider as a process that is started, killed and started again, for whoever plays with one."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]


@dataclass(slots=True)
class Running:
    """A provider that runs; its address stays the same when it comes back."""

    folder: Path
    process: subprocess.Popen[str]
    url: str

    def kill(self) -> None:
        """End it at once, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def start_again(self) -> None:
        """Start it with the same bookings, at the same address."""
        again = _started(self.folder, int(self.url.rpartition(":")[2]))
        self.process, self.url = again.process, again.url


@contextmanager
def provider_process(folder: Path) -> Iterator[Running]:
    """A provider that keeps its bookings in *folder*, until the block ends."""
    running = _started(folder, 0)
    try:
        yield running
    finally:
        running.kill()


def _started(folder: Path, port: int) -> Running:
    command = [sys.executable, "-m", "examples.refunds.provider", str(folder), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_ROOT)  # noqa: S603  # our own program
    address = process.stdout.readline().strip() if process.stdout is not None else ""
    if not address:
        process.wait()
        raise RuntimeError(f"the payment provider did not start; it ended with {process.returncode}")
    return Running(folder, process, address)
