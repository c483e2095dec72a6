"""The AG-UI clients that people have, 1.0.0 and 0.0.59 from npm, against a real server: whole conversations, as their users see them.

They are installed by the fixture `node` (`conftest.py`).
"""

import json
from typing import Any

import anyio
import pytest

from tests.interaction.browser import CLIENTS
from tests.interaction.http_server import served
from tests.interaction.http_wire import CANARY, wired

pytestmark = pytest.mark.anyio
both = pytest.mark.parametrize("client", ["agui1", "agui059"])


async def converse(node: str, client: str, scenario: str, **options: Any) -> tuple[dict[str, Any], list[str], str]:
    """What *client* saw, what was done in the shop, and all that it read."""
    async with wired(**options) as wire, served(wire.host) as address:
        with anyio.fail_after(60):
            done = await anyio.run_process([node, "conversation.mjs", client, address, scenario], cwd=CLIENTS, check=False)
    assert done.returncode == 0, done.stderr.decode()
    text = done.stdout.decode()
    return json.loads(text), wire.shop.done, text


def roles(run: dict[str, Any]) -> list[str]:
    return [message["role"] for message in run["messages"]]


def results(run: dict[str, Any]) -> list[Any]:
    return [json.loads(message["content"]) for message in run["messages"] if message["role"] == "tool"]


def check_clean(saw: dict[str, Any]) -> None:
    """The client rejected nothing and warned of nothing."""
    assert saw["warnings"] == []
    for name, run in saw.items():
        if name not in ("warnings", "refused"):
            assert run["failed"] is None, (name, run["failed"])
            assert run["problem"] is None


@both
async def test_an_approved_interrupt_is_resumed_with_its_result(node: str, client: str) -> None:
    saw, done, text = await converse(node, client, "approve")

    check_clean(saw)
    assert done == ["cancel o_17"]
    assert saw["asked"]["outcome"] == "interrupt"
    assert [interrupt["message"] for interrupt in saw["asked"]["pending"]] == ["Cancel o_17?"]
    assert "pending interrupt" in saw["refused"]["failed"]
    assert (saw["resumed"]["outcome"], saw["resumed"]["pending"]) == ("success", [])
    assert results(saw["resumed"])[1] == {
        "summary": "Order cancelled.",
        "diff": [{"label": "Status", "before": "pending", "after": "cancelled"}],
    }
    # In their order, each once: the client has merged two snapshots into what it held.
    assert roles(saw["resumed"]) == ["user", "assistant", "tool", "assistant", "user", "assistant", "tool", "assistant"]
    assert [message["id"] for message in saw["resumed"]["messages"] if message["role"] == "user"] == ["u1", "u2"]
    assert saw["resumed"]["messages"][-1]["content"] == "Order cancelled."
    assert saw["after"]["outcome"] == "success"
    assert saw["after"]["state"] == {"workflow": {}, "limits": {}}
    assert CANARY not in text


@both
async def test_a_declined_interrupt_is_resumed_and_nothing_is_done(node: str, client: str) -> None:
    saw, done, _ = await converse(node, client, "decline")

    check_clean(saw)
    assert done == []
    assert saw["resumed"]["outcome"] == "success"
    assert results(saw["resumed"])[1]["error"]["code"] == "declined"
    assert len(saw["after"]["messages"]) == 12


@both
async def test_a_stopped_run_is_cancelled_in_the_clients_own_words(node: str, client: str) -> None:
    saw, _, _ = await converse(node, client, "stop")

    check_clean(saw)
    stopped = saw["stopped"]
    assert results(stopped)[0]["error"]["code"] == "not_run"
    if client == "agui1":
        assert (stopped["kinds"][-1], stopped["outcome"]) == ("RUN_FINISHED", "cancelled")
    else:
        assert (stopped["kinds"][-1], stopped["code"]) == ("RUN_ERROR", "cancelled")
    assert saw["after"]["outcome"] == "success"


@both
async def test_a_client_that_aborts_leaves_and_the_turn_stops(node: str, client: str) -> None:
    saw, _, _ = await converse(node, client, "abort", grace=0)

    assert saw["aborted"]["failed"] is None
    assert saw["aborted"]["code"] == "abort"


@both
async def test_refusals_before_the_stream_are_errors_with_a_status(node: str, client: str) -> None:
    saw, _, _ = await converse(node, client, "refuse")

    assert [saw[name]["problem"]["status"] for name in ("nobody", "empty", "conflict")] == [401, 422, 409]
    # Problem documents are JSON of their own type, which these clients hand on as text.
    assert json.loads(saw["conflict"]["problem"]["payload"])["code"] == "conversation_busy"
    assert saw["nobody"]["kinds"] == []


def test_the_lock_file_names_no_place() -> None:
    lock = (CLIENTS / "package-lock.json").read_text()

    assert "://" not in lock
    assert "resolved" not in lock
    packages = {path: each for path, each in json.loads(lock)["packages"].items() if path}
    assert all(each["integrity"].startswith("sha512-") for each in packages.values())
    assert {packages[f"node_modules/{name}"]["version"] for name in ("agui1", "agui059")} == {"1.0.0", "0.0.59"}
