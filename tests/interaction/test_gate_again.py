"""The same wish once more, in another session, after a rewind, or told again: nothing is repeated, and nothing is told that is not so."""

import json
from datetime import timedelta
from typing import Any

import pytest

from handgriff import Assistant, Call, Machine, Refusal, Result, Toolbox
from handgriff.core.events import CallOutcome
from handgriff.machine import State
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness, harness
from tests.interaction.desk import WORDS
from tests.interaction.papers import ADA, BEN, Office, everybody

pytestmark = pytest.mark.anyio


def talk() -> tuple[Assistant, list[str]]:
    """A conversation that is identified once; the same address is the same wish."""
    machine = Machine("talk", State("anonymous", on={"IDENTIFY": "known"}), State("known", on={"FORGET": "anonymous"}))
    box, ran = Toolbox("talk"), list[str]()

    @box.tool(effect="write", description=WORDS, at=machine.at("anonymous"), fires="IDENTIFY", idempotency_key=lambda args, _: args.email)
    async def identify(email: str) -> Result[None]:
        ran.append(email)
        return Result("Found.")

    @box.tool(effect="write", description=WORDS, at=machine.at("known"), fires="FORGET")
    async def forget() -> Result[None]:
        return Result("Forgotten.")

    return Assistant("talk", instructions="Help.", toolboxes=[box]), ran


async def told(chat: Harness, tool: str, session: str, **arguments: Any) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((await chat.host.call(ADA, tool, arguments, session=session)).text)
    return read


async def test_what_was_done_in_another_session_is_not_told_as_done_in_this_one() -> None:
    assistant, ran = talk()
    async with harness(assistant, ADA, callers=everybody) as chat:
        other = (await chat.host.sessions.create(ADA)).id
        await told(chat, "identify", chat.session.id, email="a@b")
        again = await told(chat, "identify", other, email="a@b")

        assert again["refused"] == "conflict"
        assert ran == ["a@b"]
        assert await chat.host.workflows.states(ADA, other) == {"talk": "anonymous"}


async def test_what_was_done_before_a_rewind_is_not_told_as_done_behind_it() -> None:
    assistant, ran = talk()
    async with harness(assistant, ADA, callers=everybody) as chat:
        session, seq = chat.session.id, (await chat.events())[-1].seq
        await told(chat, "identify", session, email="a@b")
        await chat.host.sessions.rewind(ADA, session, seq)

        assert (await told(chat, "identify", session, email="a@b"))["refused"] == "conflict"
        assert ran == ["a@b"]


async def test_a_repeated_wish_tells_no_state_of_then() -> None:
    assistant, _ = talk()
    async with harness(assistant, ADA, callers=everybody) as chat:
        first = await told(chat, "identify", chat.session.id, email="a@b")
        again = await told(chat, "identify", chat.session.id, email="a@b")

        assert first["workflow"]["state"] == "known"
        assert again == {"summary": "Found."}
        replays = [event.body for event in await chat.events() if isinstance(event.body, CallOutcome) and event.body.replayed]
        assert [replay.moved for replay in replays] == [None]


async def test_a_handler_that_returns_a_refusal_has_refused() -> None:
    def refuse() -> Any:
        return Refusal("denied", "Not today.")

    office = Office(instead={"submit": refuse})
    async with harness(office.assistant(), ADA, callers=everybody) as chat:
        assert (await told(chat, "submit", chat.session.id))["refused"] == "denied"
        assert await chat.host.workflows.states(ADA, chat.session.id) == {"paper": "draft"}


async def test_a_delay_that_is_over_when_the_call_is_claimed_keeps_it_out() -> None:
    clock, ran = StillClock(), list[str]()
    offer = Machine(
        "offer", State("open", on={"TAKE": "taken"}, after={60_000: "over"}), State("taken", type="final"), State("over", type="final")
    )
    box = Toolbox("offers")

    @box.tool(effect="write", description=WORDS, at=offer.at("open"), fires="TAKE")
    async def take(call: Call) -> Result[None]:
        ran.append(call.id)
        return Result("Taken.")

    @take.validate
    async def slowly(args: object, call: Call) -> None:
        del args, call
        clock.move(61)

    async with harness(Assistant("offers", instructions="Help.", toolboxes=[box]), ADA, callers=everybody, clock=clock) as chat:
        assert (await told(chat, "take", chat.session.id))["refused"] == "conflict"
        assert ran == []
        assert await chat.host.workflows.states(ADA, chat.session.id) == {"offer": "over"}


async def test_the_effects_own_machine_settles_it_although_its_tool_is_gone() -> None:
    def fail() -> Any:
        raise RuntimeError("broken")

    office = Office(instead={"submit": fail})
    machine = office.machine()
    async with harness(office.assistant(machine), ADA, callers=everybody, store="memory://") as chat:
        await told(chat, "submit", chat.session.id)
        [effect] = await chat.host.effects.list("acme")
        contracts = dict(chat.host.assistant.contracts)
        del contracts["submit"]
        chat.host.assistant.contracts = contracts
        await chat.host.effects.resolve("acme", "submit", effect.key, "done", by="root")

        assert await chat.host.workflows.states(ADA, chat.session.id) == {"paper": "review"}
        copy = await chat.host.sessions.fork(ADA, chat.session.id)
        assert await chat.host.workflows.states(ADA, copy.id) == {"paper": "review"}


async def test_an_expired_handle_that_a_call_holds_lets_nothing_else_in() -> None:
    def fail() -> Any:
        raise RuntimeError("broken")

    clock, office = StillClock(), Office(instead={"submit": fail})
    machine = office.machine(instance="handle", expires=timedelta(hours=1))
    async with harness(office.assistant(machine), ADA, callers=everybody, clock=clock) as chat:
        handle = json.loads((await chat.host.call(ADA, "begin", {})).text)["workflow"]["paper"]
        await chat.host.call(ADA, "submit", {"paper": handle})
        clock.move(4000)

        assert (await chat.host.call(ADA, "audit", {"paper": handle})).code == "not_found"
        assert (await chat.host.call(ADA, "submit", {"paper": handle})).code == "indeterminate"
        assert (await chat.host.call(BEN, "submit", {"paper": handle})).code == "not_found"
