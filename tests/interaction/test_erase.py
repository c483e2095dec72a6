"""Erasing a user or a tenant: nothing of theirs is left, not even as bytes in the file, and what was spent stays under a pseudonym."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from handgriff import Caller, Refusal
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import ToolUse
from tests.interaction.desk import ADA, ADA_ELSEWHERE, BOB, EVE, everybody
from tests.interaction.notepad import notepad

pytestmark = pytest.mark.anyio
CANARY = "canary-5be1c9"
OTHERS = "linnet-77ad02"


async def live(chat: Harness, caller: Caller, word: str) -> str:
    """A session of *caller* that holds *word* wherever a session can hold a text."""
    state = {"k": word, "user:k": word, word: 1}
    session = await chat.host.sessions.create(caller, alias=word, title=word, state=state)
    await chat.host.call(caller, "note", {"text": word}, session=session.id)
    await chat.host.call(caller, "write", {"op": "append", "key": "list", "value": word}, session=session.id)
    await chat.host.call(caller, "write", {"op": "set", "key": "removed", "value": word}, session=session.id)
    await chat.host.call(caller, "write", {"op": "delete", "key": "removed", "value": None}, session=session.id)
    async for _ in chat.host.turn(caller, session.id, f"Burn {word}.", hints=word):
        pass
    await chat.host.call(caller, "burn", {"text": word}, session=session.id)
    return session.id


@asynccontextmanager
async def inhabited(folder: Path) -> AsyncIterator[Harness]:
    """A file in which Ada has her canary, and everybody else theirs."""
    script = [ToolUse("burn", {"text": CANARY}), *[ToolUse("burn", {"text": OTHERS})] * 3]
    async with harness(notepad(), ADA, store=f"sqlite:///{folder}/h.db", script=script, callers=everybody) as chat:
        await live(chat, ADA, CANARY)
        for caller in (BOB, EVE, ADA_ELSEWHERE):
            await live(chat, caller, OTHERS)
        yield chat


def bytes_of(folder: Path) -> bytes:
    """What the file, its log and its index hold, as it lies there."""
    return b"".join(file.read_bytes() for file in sorted(folder.glob("h.db*")))


async def test_nothing_of_an_erased_user_is_left_as_bytes(tmp_path: Path) -> None:
    """P20: state, scratch, events, proposals, effects, what was deleted before; in the file and its log."""
    async with inhabited(tmp_path) as chat:
        assert CANARY.encode() in bytes_of(tmp_path), "it was there"
        erased = await chat.host.erase("acme", "ada")

        assert CANARY.encode() not in bytes_of(tmp_path)
        assert erased.sessions == 2
        assert not await chat.host.sessions.list(ADA)
        assert OTHERS.encode() in bytes_of(tmp_path)
    assert CANARY.encode() not in bytes_of(tmp_path)


async def test_what_others_have_is_as_it_was(tmp_path: Path) -> None:
    async with inhabited(tmp_path) as chat:
        others = (BOB, EVE, ADA_ELSEWHERE)
        before = [await everything(chat, caller) for caller in others]
        await chat.host.erase("acme", "ada")

        assert [await everything(chat, caller) for caller in others] == before


async def test_an_erased_user_begins_anew(tmp_path: Path) -> None:
    async with inhabited(tmp_path) as chat:
        await chat.host.erase("acme", "ada")
        begun = await chat.host.sessions.open(ADA, CANARY)

        assert await chat.host.sessions.state(ADA, begun.id) == {}
        assert not await chat.host.proposals.list(ADA)
        assert not await chat.host.scratch.list("acme", session=begun.id)


async def test_what_was_spent_stays_under_a_pseudonym(tmp_path: Path) -> None:
    async with inhabited(tmp_path) as chat:
        store = (await chat.host.engine()).store
        spent = {row.id: row.cost_pico for row in await store.requests("acme")}
        erased = await chat.host.erase("acme", "ada")

        kept = await store.requests("acme")
        assert {row.id: row.cost_pico for row in kept} == spent
        assert sorted(row.user for row in kept) == sorted(["bob", erased.pseudonym])
        assert "ada" not in erased.pseudonym


async def test_nothing_of_an_erased_tenant_is_left_as_bytes(tmp_path: Path) -> None:
    """P20: what its users share too; the other tenant keeps all of its own."""
    async with harness(notepad(), ADA, store=f"sqlite:///{tmp_path}/h.db", script=["Hello."] * 4, callers=everybody) as chat:
        for caller in (ADA, BOB):
            await live(chat, caller, CANARY)
            await chat.host.call(caller, "write", {"op": "append", "key": "app:list", "value": CANARY}, session=None)
        await live(chat, EVE, OTHERS)
        before = await everything(chat, EVE)
        erased = await chat.host.erase("acme")

        assert CANARY.encode() not in bytes_of(tmp_path)
        assert (erased.tenant, erased.user) == ("acme", None)
        assert await everything(chat, EVE) == before
        store = (await chat.host.engine()).store
        assert [row.user for row in await store.requests(erased.pseudonym)] == [erased.pseudonym] * 2
        assert not await store.requests("acme")
    assert CANARY.encode() not in bytes_of(tmp_path)


@pytest.mark.parametrize("name", ["", "x" * 257, "\ud800"], ids=["empty", "too long", "half a character"])
async def test_whom_nobody_can_be_is_refused(name: str, tmp_path: Path) -> None:
    async with harness(notepad(), ADA) as chat:
        for work in (chat.host.erase("acme", name), chat.host.erase(name)):
            with pytest.raises(Refusal) as refusal:
                await work
            assert refusal.value.code == "invalid"
        assert await chat.host.sessions.list(ADA)


async def everything(chat: Harness, caller: Caller) -> list[object]:
    """All that a caller and their operator can look at."""
    host, sessions = chat.host, await chat.host.sessions.list(caller)
    found: list[object] = [sessions, await host.proposals.list(caller)]
    for session in sessions:
        found += [await host.sessions.events(caller, session.id), await host.sessions.state(caller, session.id)]
        found.append(await host.scratch.list(caller.tenant, session=session.id))
        found.append(await host.effects.list(caller.tenant, session=session.id))
    return found
