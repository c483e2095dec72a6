"""The served salon, in a process of its own: what it prints, that its example request works, and that it ends cleanly."""

import os
import re
import shlex
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def served(temporary: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}", "PYTHONUTF8": "1", "TMPDIR": str(temporary)}
    environment.pop("ANTHROPIC_API_KEY", None)
    command = [sys.executable, "-m", "examples.salon", "--serve", "--port", "0", *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def example(process: subprocess.Popen[str]) -> urllib.request.Request:
    """What the printed curl line would send."""
    assert process.stdout is not None
    assert process.stderr is not None
    line = next((line for line in process.stdout if line.startswith("  curl ")), None)
    assert line is not None, process.stderr.read()
    _, _, url, _, header, _, body = shlex.split(line)
    name, value = header.split(": ")
    return urllib.request.Request(url, data=body.encode(), headers={name: value}, method="POST")  # noqa: S310  # it begins with http


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_it_prints_an_example_that_works_and_ends_cleanly_when_told(tmp_path: Path, ending: signal.Signals) -> None:
    with served(tmp_path) as process:
        request = example(process)
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310  # it begins with http
            stream = response.read().decode()
        assert list(tmp_path.glob("salon-*"))
        process.send_signal(ending)
        left, complaints = process.communicate(timeout=60)

    assert "Found Greta Lindqvist, Greta Lindt." in stream
    assert re.search(r'"type":"RUN_FINISHED".*\n\n$', stream)
    assert (process.returncode, complaints) == (0, "")
    assert left.strip() == "Stopped."
    assert list(tmp_path.glob("salon-*")) == []


def test_a_folder_is_kept_and_opened_again(tmp_path: Path) -> None:
    for _ in range(2):
        with served(tmp_path, "--folder", str(tmp_path / "kept"), "--as", "ben") as process:
            example(process)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
        assert process.returncode == 0

    assert {path.name for path in (tmp_path / "kept").glob("*.db")} == {"salon.db", "handgriff.db"}


def test_a_missing_key_is_named_before_anything_listens(tmp_path: Path) -> None:
    with served(tmp_path, "--model", "anthropic:claude-sonnet-5") as process:
        shown, complaints = process.communicate(timeout=60)

    assert (process.returncode, shown) == (1, "")
    assert "ANTHROPIC_API_KEY" in complaints
