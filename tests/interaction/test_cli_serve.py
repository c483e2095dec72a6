"""`handgriff serve`: the HTTP face in a process of its own."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.interaction.cli_process import COMMAND, DEV, environment, handgriff, with_shop

WHO = """
from handgriff import Caller


async def who_is_it(request):
    return Caller("acme", "ada") if request.headers.get("authorization") == "Bearer good" else None
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "door.py").write_text(WHO)
    return with_shop(tmp_path)


@contextmanager
def served(folder: Path, *words: str) -> Iterator[str]:
    """A server on a free port, by its address; Ctrl-C ends it."""
    command = [*COMMAND, "serve", *words, "--port", "0", "--json"]
    with subprocess.Popen(command, cwd=folder, env=environment(), stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        try:
            yield address
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 0


def test_in_dev_everybody_here_is_the_caller_of_the_command_line(folder: Path) -> None:
    with served(folder, "shop:assistant", *DEV) as address, httpx2.Client(base_url=address) as client:
        menu = client.get("/menu")
        page = client.get("/")

    assert "cancel_order" in menu.text
    assert page.headers["content-type"].startswith("text/html")


def test_a_host_is_served_in_dev_as_a_caller_it_knows(folder: Path) -> None:
    with served(folder, "shop:host", "--dev", "--as", "acme/ada") as address:
        assert "cancel_order" in httpx2.get(f"{address}/menu").text


def test_a_host_is_served_to_whom_authenticate_lets_in(folder: Path) -> None:
    with served(folder, "shop:host", "--authenticate", "door:who_is_it") as address:
        stranger = httpx2.get(f"{address}/menu")
        ada = httpx2.get(f"{address}/menu", headers={"Authorization": "Bearer good"})
        page = httpx2.get(f"{address}/")

    assert stranger.status_code == 401
    assert "list_orders" in ada.text
    assert page.status_code != 200, "the page is for development only"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(("shop:host",), "--authenticate", id="nobody authenticates"),
        pytest.param(("shop:assistant", "--authenticate", "door:who_is_it"), "Add --dev", id="an assistant without dev"),
        pytest.param(("shop:host", "--authenticate", "shop:number"), "no async function", id="no function"),
        pytest.param(("shop:host", "--authenticate", "door:who_is_it", "--as", "acme/ada"), "only with --dev", id="a caller outside dev"),
        pytest.param(("shop:host", "--authenticate", "door:who_is_it", "--dev"), "leave out --authenticate", id="both"),
        pytest.param(("shop:assistant", "--dev", "--bind", "0.0.0.0"), "reached by others", id="dev for everybody"),  # noqa: S104  # it is refused
    ],
)
def test_what_would_let_everybody_in_is_wrong_use(folder: Path, words: tuple[str, ...], told: str) -> None:
    ended = handgriff(folder, "serve", *words)

    assert ended.code == 2
    assert told in " ".join(ended.err.replace("│", " ").split())
    assert "Traceback" not in ended.err


def test_a_taken_port_is_told_without_a_traceback(folder: Path) -> None:
    with served(folder, "shop:assistant", "--dev") as address:
        ended = handgriff(folder, "serve", "shop:assistant", "--dev", "--port", address.rpartition(":")[2])

    assert ended.code == 1
    assert "listening on" in ended.err
    assert "Traceback" not in ended.err
