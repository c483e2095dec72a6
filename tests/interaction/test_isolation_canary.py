"""A unique string of one tenant, in everything a conversation can hold: no output of anybody else's ever has it. Case B132, promise 5."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import anyio
import pytest

from handgriff import Assistant, Call, Caller, Known, Plan, Refusal, Result, Toolbox
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.journal import Request
from handgriff.testing.loopback.script import Entry, ToolUse
from tests.interaction.desk import ADA, ADA_ELSEWHERE, BOB, EVE, WORDS, assistant, everybody

pytestmark = pytest.mark.anyio
CANARY = "canary-7d1f0a"
TOOLS = ["keep", "recall", "show", "burn", "fail", "nothing"]


def cabinet() -> Assistant:
    """Tools that write down and give back whatever they are told, in state, results, plans, errors and known values."""
    box = Toolbox("cabinet")

    @box.tool(effect="write", description=WORDS)
    async def keep(text: str, call: Call) -> Result[list[Annotated[str, Known("note")]]]:
        for key in ("note", "user:note", "temp:note"):
            await call.state.set(key, text)
        return Result(f"Kept {text}.", [text])

    @box.tool(effect="read", description=WORDS)
    async def recall(text: str, call: Call) -> Result[list[str]]:
        return Result("Recalled.", [str(await call.state.get(key)) for key in ("note", "user:note", "app:note", "temp:note")])

    @box.tool(effect="read", description=WORDS)
    async def show(text: Annotated[str, Known("note")]) -> Result[None]:
        return Result(f"It is {text}.")

    @box.tool(effect="irreversible", description=WORDS)
    async def burn(text: str, call: Call) -> Result[None]:
        await call.step("light", lambda: lit(text))
        return Result(f"Burnt {text}.")

    @burn.plan
    async def preview(text: str) -> Plan:
        return Plan(f"Burn {text}?")

    @burn.idempotency_key
    async def key(args: Any, call: Call) -> str:
        return "the same key everywhere"

    @box.tool(effect="read", description=WORDS)
    async def fail(text: str) -> Result[None]:
        raise LookupError(text)

    return assistant(box, context="You keep things.")


async def lit(text: str) -> str:
    return text


def answer(request: Request) -> Entry:
    """Do as the user says: `tool text`; with results, say that it is done."""
    last = request.body["messages"][-1]["content"][-1]
    if last["type"] != "text":
        return "Done."
    tool, _, text = last["text"].partition(" ")
    return ToolUse(tool, {"text": text})


@asynccontextmanager
async def opened(store: str) -> AsyncIterator[Harness]:
    async with harness(cabinet(), ADA, script=answer, callers=everybody, store=store) as chat:
        yield chat


async def act(chat: Harness, caller: Caller, session: str, text: str, chance: random.Random) -> list[object]:
    """One random thing, and everything that came of it."""
    tool = chance.choice(TOOLS)
    came: list[object] = []
    try:
        match chance.choice(["turn", "turn", "call", "decide"]):
            case "turn":
                came += [item async for item in chat.host.turn(caller, session, f"{tool} {text}")]
            case "call":
                came.append(await chat.host.call(caller, tool, {"text": text}, session=session))
            case _:
                for proposal in await chat.host.proposals.list(caller):
                    came.append(await chat.host.proposals.decide(caller, proposal.id, chance.random() < 0.7))
                    came += [item async for item in chat.host.follow(caller, proposal.session)]
    except Refusal as refusal:
        came.append(str(refusal))
    return came


async def everything(chat: Harness, caller: Caller) -> list[object]:
    """All that a caller can look at."""
    host = chat.host
    sessions = await host.sessions.list(caller)
    found: list[object] = [sessions, await host.proposals.list(caller), [contract.name for contract in await host.menu(caller)]]
    found += [await host.sessions.events(caller, session.id) for session in sessions]
    return found


@pytest.mark.parametrize("seed", range(2))
async def test_nothing_of_one_tenant_is_ever_seen_by_another(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311  # traffic, no secret
    async with opened(f"sqlite:///{tmp_path}/h.db") as chat:
        mine = (await chat.host.sessions.create(ADA, alias="thread", title=CANARY)).id
        others = {caller: (await chat.host.sessions.open(caller, "thread")).id for caller in (EVE, ADA_ELSEWHERE)}
        came: list[object] = []
        for _ in range(20):
            await act(chat, ADA, mine, CANARY, chance)
            sent = len(chat.provider.requests)
            caller = chance.choice(list(others))
            came += await act(chat, caller, others[caller], chance.choice(["note", "canary", "7d1f0a"]), chance)
            came += [request.raw for request in chat.provider.requests[sent:]]
        for caller in others:
            came += await everything(chat, caller)
        came += [await chat.host.effects.list("globex")]

        assert CANARY in repr(await everything(chat, ADA)), "it is there to be seen"
        assert len(came) > 40
        assert CANARY not in repr(came)
        assert chat.provider.violations == ()


async def test_what_many_users_do_at_once_stays_with_each() -> None:
    """B132: fifty calls of four people at the same time; each reads back its own."""
    async with opened("memory://") as chat:
        people = [ADA, BOB, EVE, ADA_ELSEWHERE]
        sessions = {caller: (await chat.host.sessions.create(caller)).id for caller in people}
        wrong: list[str] = []

        async def keep_and_recall(caller: Caller, n: int) -> None:
            text = f"{caller.tenant}-{caller.user}-{n}"
            await chat.host.call(caller, "keep", {"text": text}, session=sessions[caller])
            outcome = await chat.host.call(caller, "recall", {"text": ""}, session=sessions[caller])
            if f"{caller.tenant}-{caller.user}-" not in outcome.text or any(
                f"{other.tenant}-{other.user}-" in outcome.text for other in people if other is not caller
            ):
                wrong.append(outcome.text)

        async with anyio.create_task_group() as tasks:
            for n in range(50):
                tasks.start_soon(keep_and_recall, people[n % 4], n)

        assert wrong == []
