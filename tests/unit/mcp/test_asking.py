"""The names of the sessions behind calls."""

from typing import Any

import pytest

from handgriff import Caller
from handgriff.core.caller import is_id
from handgriff.mcp.asking import client_alias, over_http, over_stdio, session_alias

pytestmark = pytest.mark.anyio


class Context:
    """As much of the SDK's as is looked at."""

    def __init__(self, name: str | None) -> None:
        self.request = None
        self.session = self
        self.client_params = None if name is None else self
        self.client_info = self
        self.name = name


def alias(name: str | None) -> str:
    given: Any = Context(name)
    return client_alias(given)


def test_a_client_is_known_by_its_name() -> None:
    assert alias("claude") == "mcp:client:claude"
    assert alias(None) == alias("") == "mcp:client:"


@pytest.mark.parametrize("name", ["x" * 5000, "a\x00b", "\ud800", "ж" * 200], ids=["long", "null", "half", "wide"])
def test_a_name_that_can_name_no_session_is_told_apart_all_the_same(name: str) -> None:
    assert is_id(alias(name))
    assert alias(name) == alias(name) != alias(name + "y")


def test_sessions_connections_and_clients_are_never_taken_for_each_other() -> None:
    assert session_alias("client:claude") != alias("claude")


async def test_on_stdio_the_caller_is_asked_for_at_every_request() -> None:
    asked = []

    async def caller() -> Caller:
        asked.append(1)
        return Caller("acme", "ada", permissions={str(len(asked))})

    ask, ctx = over_stdio(caller, "c1"), Context("x")
    first, second = await ask(ctx), await ask(ctx)  # type: ignore[arg-type]  # it is not looked at

    assert first.alias == second.alias == "mcp:connection:c1"
    assert [first.caller.permissions, second.caller.permissions] == [{"1"}, {"2"}]
    assert first.principal == ("acme", "ada")


async def test_a_request_that_no_app_has_let_in_is_from_nobody() -> None:
    with pytest.raises(TypeError, match="the scope of every request"):
        await over_http(Context("x"))  # type: ignore[arg-type]  # it is all that is looked at
