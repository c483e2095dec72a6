"""The rule of CI that a skipped test is a failed one, tried on a suite of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).resolve().parent.parent / "conftest.py"

SUITE = """
import pytest

def test_wants_data(shared):
    shared("nowhere/nothing.json")

@pytest.mark.skip(reason="no node")
def test_wants_node():
    pass

@pytest.mark.xfail(reason="known", strict=True)
def test_fails_as_expected():
    raise AssertionError
"""

MODULE = """
import pytest

pytest.skip("no browser", allow_module_level=True)
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text())
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_functions.py").write_text(SUITE)
    (tmp_path / "test_module.py").write_text(MODULE)
    return tmp_path


def run(suite: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"HANDGRIFF_NO_SKIPS", "HANDGRIFF_SHARED", "PYTEST_ADDOPTS"}}
    kept["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    command = [sys.executable, "-m", "pytest", "-ra", "-p", "no:cacheprovider"]
    return subprocess.run(command, cwd=suite, env=kept | environment, capture_output=True, text=True, check=False)


def test_a_skip_is_a_skip_at_home(suite: Path) -> None:
    done = run(suite)

    assert done.returncode == 0
    assert "3 skipped, 1 xfailed" in done.stdout


def test_a_skip_fails_where_nothing_may_be_skipped(suite: Path) -> None:
    done = run(suite, HANDGRIFF_NO_SKIPS="1", PYTEST_ADDOPTS="--continue-on-collection-errors")

    assert done.returncode == 1
    assert "1 failed, 1 xfailed, 2 errors" in done.stdout
    assert "nowhere/nothing.json" in done.stdout
    assert "no node" in done.stdout
    assert "no browser" in done.stdout


def test_shared_data_is_found_where_the_environment_says(suite: Path) -> None:
    (suite / "data" / "nowhere").mkdir(parents=True)
    (suite / "data" / "nowhere" / "nothing.json").write_text("{}")

    done = run(suite, HANDGRIFF_SHARED=str(suite / "data"))

    assert "1 passed, 2 skipped, 1 xfailed" in done.stdout
