"""`handgriff mcp`: the MCP face in a process of its own, on its streams and over HTTP."""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from tests.interaction.cli_inside import run
from tests.interaction.cli_process import environment, handgriff
from tests.interaction.mcp_office import IN_DRAFT
from tests.interaction.mcp_wire import NEW, OLD, call, methods, piped, served_by, tools, wired, with_office

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_office(tmp_path)


@contextmanager
def served(folder: Path, *words: str) -> Iterator[str]:
    """A server on a free port, by the address of its endpoint; Ctrl-C ends it."""
    command, place = served_by(folder, *words, "--http", "127.0.0.1:0", "--json")
    with subprocess.Popen(command, **place, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        try:
            yield address
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 0


@pytest.mark.parametrize("version", [OLD, NEW])
async def test_a_host_is_served_over_http_to_whom_authenticate_lets_in(folder: Path, version: str) -> None:
    with served(folder, "office:host", "--authenticate", "office:authenticate") as address:
        assert address.endswith("/mcp")
        async with wired(address, version) as wire:
            assert set(IN_DRAFT) <= {*await tools(wire)}
            wire.http.headers["authorization"] = "Bearer nobody"
            assert (await wire.post(wire.request("tools/list"), "tools/list")).status_code == 401


async def test_in_dev_everybody_here_is_the_caller_of_the_command_line(folder: Path) -> None:
    with served(folder, "office:assistant", "--dev", "--can", "invoices", "--path", "/here") as address:
        assert address.endswith("/here")
        async with wired(address, NEW, "who/cares") as wire:
            assert "submit_invoice" in await tools(wire)


async def test_rights_of_the_command_line_are_those_of_the_connection(folder: Path) -> None:
    async with (
        piped(folder, OLD, "office:assistant", "--dev") as less,
        piped(folder, OLD, "office:assistant", "--dev", "--can", "invoices") as more,
    ):
        assert "submit_invoice" not in await tools(less)
        assert "submit_invoice" in await tools(more)


async def test_what_a_tool_prints_is_no_frame(folder: Path) -> None:
    async with piped(folder, OLD) as wire:
        frames = [await call(wire, "chatter") for _ in range(3)]

    assert [methods(each) for each in frames] == [["result"]] * 3
    assert all(line.startswith(b'{"jsonrpc"') for line in wire.seen)


async def test_each_connection_begins_its_workflows_anew(folder: Path) -> None:
    words = ("office:assistant", "--dev", "--can", "invoices", "--store", "sqlite:///office.db")
    for version in (OLD, NEW):
        async with piped(folder, version, *words) as wire:
            assert not (await call(wire, "submit_invoice"))[-1]["result"]["isError"]


async def test_a_client_that_leaves_ends_the_command(folder: Path) -> None:
    async with piped(folder, NEW) as wire:
        assert methods(await wire.ask("server/discover")) == ["result"]
        # Leaving the block closes the client's side, and asks for the exit code.


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
async def test_a_signal_ends_it_in_order_on_its_streams_too(folder: Path, number: signal.Signals) -> None:
    command, place = served_by(folder, "office:host", "--as", "acme/ada")
    async with await anyio.open_process(command, stderr=subprocess.PIPE, **place) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        await process.stdin.send(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        await process.stdout.receive()
        process.send_signal(number)
        with anyio.fail_after(30):
            told = b"".join([part async for part in process.stderr])
            assert await process.wait() == 0

    assert told == b""


def test_a_file_in_the_place_of_a_client_is_read_to_its_end(folder: Path) -> None:
    (folder / "frames").write_text('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\nno frame\n{"jsonrpc": ')
    command, place = served_by(folder, "office:host", "--as", "acme/ada")
    with (folder / "frames").open() as frames:
        done = subprocess.run(command, **place, stdin=frames, capture_output=True, timeout=60, check=True)

    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(("office:host",), "--as TENANT/USER", id="nobody asks"),
        pytest.param(("office:assistant",), "--as TENANT/USER", id="an assistant and nobody"),
        pytest.param(("office:assistant", "--as", "acme/ada"), "Add --dev", id="an assistant without dev"),
        pytest.param(("office:host", "--as", "acme/ada", "--can", "invoices"), "works only with --dev", id="rights for a host"),
        pytest.param(("office:host", "--http", "127.0.0.1:0"), "--authenticate", id="nobody authenticates"),
        pytest.param(("office:host", "--as", "acme/ada", "--authenticate", "office:authenticate"), "go with --http", id="no http"),
        pytest.param(("office:host", "--as", "acme/ada", "--name", "shop.example"), "go with --http", id="a name without http"),
        pytest.param(
            ("office:host", "--http", "127.0.0.1:0", "--as", "acme/ada", "--authenticate", "office:authenticate"),
            "only in --dev",
            id="both",
        ),
        pytest.param(
            ("office:assistant", "--dev", "--http", "127.0.0.1:0", "--authenticate", "x:y"), "leave out --authenticate", id="dev and who"
        ),
        pytest.param(("office:assistant", "--dev", "--http", "0.0.0.0:0"), "reached by others", id="dev for everybody"),
        pytest.param(("office:assistant", "--dev", "--http", "127.0.0.1:0", "--name", "x"), "reached by others", id="dev by a name"),
        pytest.param(("office:host", "--http", "8000", "--authenticate", "office:authenticate"), "form HOST:PORT", id="no host"),
        pytest.param(("office:host", "--http", "127.0.0.1:70000", "--authenticate", "office:authenticate"), "form HOST:PORT", id="no port"),
        pytest.param(("office:host", "--http", "127.0.0.1:0", "--authenticate", "office:office"), "no async function", id="no function"),
        pytest.param(
            ("office:host", "--http", "127.0.0.1:0", "--authenticate", "office:authenticate", "--path", "mcp"), "slash", id="no path"
        ),
    ],
)
def test_wrong_use_is_told_before_anything_is_served(words: Sequence[str], told: str) -> None:
    target, *options = words
    ended = run("mcp", f"tests.interaction.mcp_{target}", *(word.replace("office:", "tests.interaction.mcp_office:") for word in options))

    assert ended.code == 2
    assert told in " ".join(ended.err.replace("│", " ").split())
    assert "Traceback" not in ended.err
    assert ended.out == ""


def test_a_caller_that_the_host_does_not_know_is_told_so() -> None:
    ended = run("mcp", "tests.interaction.mcp_office:host", "--as", "acme/nobody")

    assert ended.code == 1
    assert "There is no caller acme/nobody." in ended.err
    assert ended.out == ""


def test_a_taken_port_is_told_without_a_traceback() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = run(
            "mcp", "tests.interaction.mcp_office:host", "--http", where, "--authenticate", "tests.interaction.mcp_office:authenticate"
        )

    assert ended.code == 1
    assert f"listening on {where}" in ended.err
    assert "Traceback" not in ended.err


def test_without_the_extra_its_name_is_told(folder: Path) -> None:
    (folder / "mcp.py").write_text("raise ImportError('no mcp here', name='mcp')\n")
    ended = handgriff(folder, "mcp", "office:host", "--as", "acme/ada", env=path_of(folder))

    assert ended.code == 2
    assert "handgriff[mcp]" in " ".join(ended.err.split())


def path_of(folder: Path) -> dict[str, str]:
    return {"PYTHONPATH": f"{environment()['PYTHONPATH']}:{folder}"}
