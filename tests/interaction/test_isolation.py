"""Whatever is not the caller's own answers like what does not exist, and no text of one tenant reaches another. Cases B129, B132, B135."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from handgriff import Caller, DefinitionError, Host, Refusal
from tests.interaction.bank import Bank, banking, transfer
from tests.interaction.desk import ADA, ADA_ELSEWHERE, BOB, EVE

pytestmark = pytest.mark.anyio
HOSTILE = [
    "",
    " ",
    "a:b",
    ":calls",
    "%",
    "_",
    "s_%",
    "..",
    "../s",
    "*",
    "\0",
    "a\0b",
    "😀",
    "\ud800",
    "' OR 1=1 --",
    "x" * 5000,
    "null",
    "S_1",
    "ß",
    "SS",
]
Attempt = Callable[[Host, Caller, str], Awaitable[object]]


async def turn(host: Host, caller: Caller, session: str) -> object:
    return [item async for item in host.turn(caller, session, "Hello")]


async def follow(host: Host, caller: Caller, session: str) -> object:
    return [item async for item in host.follow(caller, session)]


async def delete(host: Host, caller: Caller, session: str) -> object:
    await host.sessions.delete(caller, session)
    return None


ATTEMPTS: dict[str, Attempt] = {
    "get": lambda host, caller, session: host.sessions.get(caller, session),
    "events": lambda host, caller, session: host.sessions.events(caller, session),
    "turn": turn,
    "follow": follow,
    "stop": lambda host, caller, session: host.stop(caller, session),
    "delete": delete,
    "call": lambda host, caller, session: host.call(caller, "balance", {}, session=session),
}


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
async def test_a_session_that_is_not_ones_own_is_not_found(attempt: Attempt, kind: str, tmp_path: Path) -> None:
    """B129: a colleague, another tenant, the same name elsewhere, unknown, hostile and look-alike ids: one text, nothing changed."""
    store = "memory://" if kind == "memory" else f"sqlite:///{tmp_path}/h.db"
    async with banking(Bank(), [transfer()], store=store) as chat:
        await chat.say("Pay.")
        before = list(await chat.events())
        mine = chat.session.id
        lookalikes = [mine.upper(), f"{mine} ", f"{mine}\0", mine[:-1], f"{mine}%", mine[2:]]
        others = [(BOB, mine), (EVE, mine), (ADA_ELSEWHERE, mine), *((ADA, name) for name in [*HOSTILE, *lookalikes])]

        for caller, name in others:
            with pytest.raises(Refusal) as refusal:
                await attempt(chat.host, caller, name)
            assert str(refusal.value) == "not_found: There is no such session.", (caller, name)

        assert list(await chat.events()) == before
        assert len(chat.provider.requests) == 1
        assert len(await chat.host.proposals.list(ADA)) == 1


async def test_a_list_holds_ones_own_sessions_alone() -> None:
    async with banking(Bank(), []) as chat:
        for caller in (BOB, EVE, ADA_ELSEWHERE):
            await chat.host.sessions.create(caller, alias="thread")
        mine = [chat.session.id, (await chat.host.sessions.create(ADA, alias="thread")).id]

        assert [session.id for session in await chat.host.sessions.list(ADA)] == mine[::-1]
        theirs = (await chat.host.sessions.list(EVE))[0].id
        for before in (theirs, *HOSTILE):
            assert list(await chat.host.sessions.list(ADA, before=before)) == []


@pytest.mark.parametrize("alias", HOSTILE)
async def test_an_alias_is_ones_own_or_none(alias: str) -> None:
    """A client's thread id is unique for its tenant and user, and never anybody else's session."""
    async with banking(Bank(), []) as chat:
        opened = []
        for caller in (ADA, BOB, EVE, ADA_ELSEWHERE):
            try:
                first = await chat.host.sessions.open(caller, alias)
                assert await chat.host.sessions.open(caller, alias) == first
                opened.append(first.id)
            except Refusal as refusal:
                assert refusal.code == "invalid"  # noqa: PT017  # which of both depends on the alias

        assert len(set(opened)) in (0, 4)
        assert len(opened) in (0, 4)


@pytest.mark.parametrize("tenant", ["", None, 0, "a\0b", "\ud800", "x" * 257], ids=repr)
def test_without_a_tenant_there_is_no_caller(tenant: Any) -> None:
    """B135: no tenant is not every tenant."""
    with pytest.raises(DefinitionError, match="tenant"):
        Caller(tenant, "ada")
    with pytest.raises(DefinitionError, match="user"):
        Caller("acme", tenant)


@pytest.mark.parametrize("tenant", ["*", "%", "acm_", "ACME", "acme,globex", "acme ", "acme\n", "\uff41cme"])
async def test_a_tenant_of_nearly_the_same_name_is_another_tenant(tenant: str) -> None:
    """B135"""
    other = Caller(tenant, "ada", permissions=ADA.permissions)
    async with banking(Bank(), [transfer()]) as chat:
        await chat.say("Pay.")

        assert list(await chat.host.sessions.list(other)) == []
        assert await chat.host.proposals.list(other) == []
        assert list(await chat.host.effects.list(tenant)) == []
        with pytest.raises(Refusal):
            await chat.host.sessions.get(other, chat.session.id)
