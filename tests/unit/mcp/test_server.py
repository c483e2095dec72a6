"""The SDK's server with our settings, and handlers whose exceptions stay here."""

import logging
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from handgriff import Refusal
from handgriff.mcp.server import Declaring, masked

pytestmark = pytest.mark.anyio


async def listed(ctx: Any, params: Any) -> Any:
    raise NotImplementedError


def test_a_changing_list_is_declared_to_clients_with_sessions() -> None:
    options = Declaring("shop", on_list_tools=listed).create_initialization_options()

    assert options.capabilities.tools is not None
    assert options.capabilities.tools.list_changed is True


async def answered(error: Exception) -> MCPError:
    async def fail(ctx: Any, params: Any) -> None:
        raise error

    ctx: Any = None
    with pytest.raises(MCPError) as raised:
        await masked(fail)(ctx, None)
    assert raised.value.__cause__ is None
    return raised.value


async def test_a_refusal_is_told_in_its_own_words() -> None:
    told = (await answered(Refusal("not_found", "There is nothing here for you.", next="Sign in."))).error

    assert (told.code, told.message, told.data) == (-32002, "There is nothing here for you.", {"code": "not_found", "next": "Sign in."})


async def test_an_error_of_the_protocol_stays_what_it_is() -> None:
    error = MCPError(-32602, "The list has one page.")

    assert await answered(error) is error


async def test_anything_else_is_an_incident(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "handgriff.mcp"):
        told = (await answered(ValueError("hunter2"))).error

    assert told.code == -32603
    assert "hunter2" not in str(told)
    assert told.data["incident"] in caplog.text
