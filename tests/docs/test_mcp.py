"""docs/mcp.md: its application serves, its calls are answered as it says, its client's settings start a server, and its table holds."""

import json
import re
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from handgriff.mcp.asking import session_alias
from tests.docs.test_http import is_part
from tests.interaction.mcp_wire import CHANGED, NEW, OLD, HttpWire, call, methods, piped, tools

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
CODE = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
TALKS = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.anyio


async def opened(stack: AsyncExitStack, version: str, token: str) -> HttpWire:
    """A client of the page's application, whose lifespan runs."""
    page: dict[str, Any] = {"__name__": "shop"}
    exec(CODE, page)  # noqa: S102  # the page's own text
    app = page["app"]
    await stack.enter_async_context(page["lifespan"](app))
    headers = {"authorization": f"Bearer {token}", "host": "assistant.shop.example"}
    client = httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://assistant.shop.example/mcp", headers=headers)
    wire = HttpWire(await stack.enter_async_context(client), version)
    await wire.begin()
    return wire


@pytest.mark.parametrize("version", [OLD, NEW])
async def test_its_calls_are_answered_as_it_says(version: str) -> None:
    async with AsyncExitStack() as stack:
        wire = await opened(stack, version, "t0ken")
        answer: object = None
        for talk in TALKS:
            for line in talk.splitlines():
                sent, frame = line.startswith("→ "), json.loads(line[2:])
                if sent:
                    answer = (await wire.ask(frame["method"], frame["params"]))[-1]["result"]
                else:
                    assert is_part(frame, answer), (frame, answer)

    assert len(TALKS) == 2


async def test_the_lists_are_what_its_table_says() -> None:
    async with AsyncExitStack() as stack:
        old, new, bob = [await opened(stack, *client) for client in ((OLD, "t0ken"), (NEW, "t0ken"), (NEW, "b0b"))]

        assert await tools(old) == ["list_invoices", "submit_invoice"]
        assert await tools(new) == ["approve_invoice", "list_invoices", "submit_invoice"]
        assert await tools(bob) == ["list_invoices", "submit_invoice"]
        assert methods(await call(old, "submit_invoice")) == [CHANGED, "result"]
        assert methods(await call(new, "submit_invoice")) == ["result"]
        assert await tools(old) == ["approve_invoice", "list_invoices"]
        assert await tools(new) == ["approve_invoice", "list_invoices", "submit_invoice"]


async def test_a_client_with_its_settings_is_served(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(CODE, encoding="utf-8")
    (settings,) = (json.loads(text) for text in re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
    server = settings["mcpServers"]["office"]
    assert server["command"] == "handgriff"
    assert server["args"][0] == "mcp"

    async with piped(tmp_path, OLD, *server["args"][1:]) as wire:
        assert await tools(wire) == ["list_invoices", "submit_invoice"]


def test_the_aliases_are_those_of_the_code() -> None:
    assert f"`{session_alias('…')}`" in PAGE
    assert {"mcp:session:…", "mcp:connection:…", "mcp:client:…"} == set(re.findall(r"`(mcp:[^`]+)`", PAGE))
