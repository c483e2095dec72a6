"""Guards at a call: they see its arguments, and where one is wrong the call is refused, loudly, and nothing has moved. Cases B013, B033."""

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from handgriff import Assistant, Machine, Result, Toolbox
from handgriff.core.outcome import Outcome
from handgriff.machine import State, Transition
from handgriff.testing.harness import Harness, harness
from tests.interaction.desk import WORDS
from tests.interaction.papers import ADA, everybody

pytestmark = pytest.mark.anyio


def something(context: Any, event: Any, params: Any) -> bool:
    """Anything above nothing is."""
    return bool(event["args"]["cents"] > 0)


def booked(context: Any, event: Any, params: Any) -> Any:
    """What is paid then."""
    return {"paid": context["paid"] + event["args"]["cents"]}


class Till:
    """Whoever pays enough gets on; `guard` and `action` are what a test says."""

    def __init__(self, guard: Any, action: Any = None) -> None:
        self.ran: list[int] = []
        self.paper = Machine(
            "paper",
            State("open", on={"PAY": [Transition("paid", guard="enough", actions="book"), Transition("short", guard="something")]}),
            State("short", on={"PAY": Transition("paid", actions="book")}),
            State("paid", type="final"),
            context={"paid": 0},
            guards={"enough": guard, "something": something},
            actions={"book": action or booked},
        )

    def assistant(self) -> Assistant:
        """One that pays, one that is bound to nothing."""
        box = Toolbox("till")

        @box.tool(effect="write", description=WORDS, at=self.paper.at("open", "short"), fires="PAY")
        def pay(cents: int) -> Result[None]:
            self.ran.append(cents)
            return Result("Paid.")

        @box.tool(effect="read", description=WORDS)
        def look() -> Result[None]:
            return Result("Seen.")

        return Assistant("till", instructions="You test.", toolboxes=[box])

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Harness]:
        """A conversation of Ada's."""
        async with harness(self.assistant(), ADA, callers=everybody) as chat:
            yield chat


async def pay(chat: Harness, cents: int) -> Outcome:
    return await chat.host.call(ADA, "pay", {"cents": cents}, session=chat.session.id)


async def state(chat: Harness) -> str:
    return (await chat.host.workflows.states(ADA, chat.session.id))["paper"]


def enough(context: Any, event: Any, params: Any) -> bool:
    """Fifty are."""
    return bool(context["paid"] + event["args"]["cents"] >= 50)


@pytest.mark.parametrize(
    ("cents", "code", "where"), [(50, None, "paid"), (10, None, "short"), (0, "closed", "open"), (-5, "closed", "open")]
)
async def test_arguments_decide_whether_and_where_it_moves(cents: int, code: str | None, where: str) -> None:
    world = Till(enough)
    async with world.opened() as chat:
        offered = {each.contract.name for each in await chat.host.workflows.offered(ADA, chat.session.id)}
        assert "pay" in offered, "a guard on arguments counts as open in a list"
        outcome = await pay(chat, cents)

        assert (outcome.code, await state(chat)) == (code, where)
        assert world.ran == ([] if code else [cents])
        if code:
            told = json.loads(outcome.text)
            assert (told["state"], "with these arguments" in told["message"]) == ("open", True)


def raising(*_: Any) -> Any:
    raise ZeroDivisionError("too much")


async def coroutine(*_: Any) -> bool:
    return True


WRONG = {
    "raises": raising,
    "answers None": lambda *_: None,
    "answers a number": lambda *_: 1,
    "answers text": lambda *_: "yes",
    "answers a coroutine": lambda *_: coroutine(),
    "misses a key": lambda context, *_: context["nothing"] > 0,
    "changes what it sees": lambda context, event, _: event["args"].update(cents=1000) or True,
}


@pytest.mark.parametrize("how", WRONG)
async def test_B033_a_wrong_guard_refuses_the_call_before_its_handler_and_moves_nothing(how: str, caplog: pytest.LogCaptureFixture) -> None:
    """B013, B033: refused as permanent, with an incident in the log that names the guard; the process and other tools go on."""
    world = Till(WRONG[how])
    async with world.opened() as chat:
        with caplog.at_level(logging.ERROR):
            outcome = await pay(chat, 60)

        assert (outcome.code, world.ran, await state(chat)) == ("permanent", [], "open")
        assert outcome.incident is not None
        assert outcome.incident in caplog.text
        assert "guard 'enough'" in caplog.text
        assert "too much" not in outcome.text
        assert await chat.host.effects.list("acme") == ()
        assert (await chat.host.call(ADA, "look", {}, session=chat.session.id)).code is None
        assert "pay" in {each.contract.name for each in await chat.host.workflows.offered(ADA, chat.session.id)}


@pytest.mark.parametrize(
    "action",
    [raising, lambda *_: 5, lambda *_: {"paid": {1, 2}}, lambda *_: coroutine()],
    ids=["raises", "a number", "no json", "a coroutine"],
)
async def test_a_wrong_action_refuses_the_call_before_its_handler_too(action: Any, caplog: pytest.LogCaptureFixture) -> None:
    world = Till(enough, action)
    async with world.opened() as chat:
        with caplog.at_level(logging.ERROR):
            outcome = await pay(chat, 60)

        assert (outcome.code, world.ran, await state(chat)) == ("permanent", [], "open")
        assert "action 'book'" in caplog.text


async def test_a_guard_that_is_wrong_only_once_it_was_asked_leaves_a_running_call_as_it_was() -> None:
    """What a success makes was computed before its handler ran; no guard is asked again behind it."""
    asked: list[int] = []

    def once(context: Any, event: Any, params: Any) -> bool:
        asked.append(event["args"]["cents"])
        if world.ran:
            raise ZeroDivisionError
        return True

    world = Till(once)
    async with world.opened() as chat:
        outcome = await pay(chat, 60)

        assert (outcome.code, world.ran, await state(chat)) == (None, [60], "paid")
        assert outcome.moved is not None
