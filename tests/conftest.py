"""What every test may ask for: the event loop, the data shared between checkouts, and the rule that CI skips nothing."""

import os
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("HANDGRIFF_SHARED") or ROOT.parent / "shared")

# Hundreds of processes are started here. An environment in which Python keeps no bytecode has each of them compile all it imports.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Nobody here speaks to the world over TLS, and each HTTP client would read all the certificates of the machine: longer than most tests.
os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = str(ROOT / "tests")

# No test is timed: machines are shared, and a slow minute is no bug.
hypothesis.settings.register_profile("house", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("ci", parent=hypothesis.settings.get_profile("house"), derandomize=True, database=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "house")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """`shared("retail/db.json")` is that path next to the checkout; the test is skipped where it is absent."""

    def find(path: str) -> Path:
        found = SHARED / path
        if not found.exists():
            pytest.skip(f"shared data is absent: {path} (HANDGRIFF_SHARED names its folder)")
        return found

    return find


@pytest.fixture(scope="session")
def postgres_url() -> Generator[str]:
    """The address of an empty database on a PostgreSQL server that lives as long as this test process."""
    from tests.servers.postgres import postgres  # noqa: PLC0415  # this file is also tried alone, by the tests of its rule about skips

    with postgres() as server:
        yield server.url()


def _without_skips(report: pytest.TestReport | pytest.CollectReport) -> None:
    # An expected failure is reported as skipped too, but it has run.
    if not os.environ.get("HANDGRIFF_NO_SKIPS") or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
    report.outcome = "failed"
    report.longrepr = f"Nothing may be skipped here (HANDGRIFF_NO_SKIPS is set). {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _without_skips(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _without_skips(report)
    return report
