"""Derived machines, and conjunctions with kept ones: what the application says, and what it may say wrongly, at a call and in lists."""

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum
from typing import Any

import anyio
import pytest

from handgriff import Assistant, Call, Limits, Machine, Refusal, Result, Toolbox
from handgriff.core.outcome import Outcome
from handgriff.machine import State
from handgriff.testing.harness import Harness, harness
from tests.interaction.desk import WORDS
from tests.interaction.papers import ADA, everybody

pytestmark = pytest.mark.anyio


class Place(Enum):
    """An application's own words for states."""

    PENDING = "pending"


class Shop:
    """Orders whose state is the application's, and a chat in which somebody must be identified first."""

    def __init__(self) -> None:
        self.orders: dict[str, Any] = {"o1": "pending", "o2": "sent"}
        self.asked, self.ran = list[str](), list[str]()
        self.open: Any = "day"
        self.chat = Machine("chat", State("anonymous", on={"IDENTIFY": "identified"}), State("identified", type="final"))

        async def state_of(args: Any, call: Call) -> object:
            self.asked.append(args.order)
            answer = self.orders.get(args.order)
            return await answer() if callable(answer) else answer

        def hours(call: Call) -> object:
            return self.open() if callable(self.open) else self.open

        self.order = Machine("order", State("pending"), State("sent"), State("closed", State("lost"), State("paid")), state_of=state_of)
        self.hours = Machine("hours", State("day"), State("night"), state_of=hours)

    def assistant(self, **options: Any) -> Assistant:
        """Identify, cancel where identified and pending, call by day, look always."""
        box = Toolbox("shop")

        @box.tool(effect="write", description=WORDS, at=self.chat.at("anonymous"), fires="IDENTIFY")
        def identify() -> Result[None]:
            return Result("Identified.")

        @box.tool(effect="write", description=WORDS, at=[self.order.at("pending"), self.chat.at("identified")])
        def cancel(order: str) -> Result[None]:
            self.ran.append(order)
            return Result("Cancelled.")

        @box.tool(effect="read", description=WORDS, at=self.order.at("closed"))
        def read(order: str) -> Result[None]:
            return Result("Read.")

        @box.tool(effect="read", description=WORDS, at=self.hours.at("day"))
        def ring() -> Result[None]:
            return Result("Ringing.")

        @box.tool(effect="read", description=WORDS)
        def look() -> Result[None]:
            return Result("Seen.")

        return Assistant("shop", instructions="You sell.", toolboxes=[box], limits=Limits(call_seconds=0.2), **options)

    @asynccontextmanager
    async def opened(self, *, identified: bool = True, **options: Any) -> AsyncIterator[Harness]:
        """A conversation of Ada's."""
        async with harness(self.assistant(**options), ADA, callers=everybody) as chat:
            if identified:
                await call(chat, "identify")
            yield chat


async def call(chat: Harness, tool: str, **arguments: Any) -> Outcome:
    return await chat.host.call(ADA, tool, arguments, session=chat.session.id)


async def offered(chat: Harness) -> set[str]:
    return {each.contract.name for each in await chat.host.workflows.offered(ADA, chat.session.id)}


async def test_every_machine_of_a_conjunction_must_be_there() -> None:
    shop = Shop()
    async with shop.opened(identified=False) as chat:
        told = json.loads((await call(chat, "cancel", order="o1")).text)
        assert (told["refused"], told["machine"], told["state"]) == ("closed", "chat", "anonymous")
        await call(chat, "identify")
        told = json.loads((await call(chat, "cancel", order="o2")).text)
        assert (told["refused"], told["machine"], told["state"]) == ("closed", "order", "sent")

        assert (await call(chat, "cancel", order="o1")).code is None
        assert shop.ran == ["o1"]


async def test_the_application_is_not_asked_about_a_call_that_is_closed_already() -> None:
    """Whoever may not yet ask for an order learns nothing about one, not even whether it is there."""
    shop = Shop()
    async with shop.opened(identified=False) as chat:
        texts = [(await call(chat, "cancel", order=each)).text for each in ("o1", "o2", "nothing")]

        assert (len(set(texts)), shop.asked) == (1, [])


async def test_what_is_not_there_is_not_found() -> None:
    async with Shop().opened() as chat:
        assert (await call(chat, "cancel", order="nothing")).code == "not_found"


@pytest.mark.parametrize(
    ("answer", "code"),
    [("lost", None), ("closed.paid", None), ("closed", None), (Place.PENDING, "closed"), (["closed"], None)],
    ids=["a key", "a path", "a parent", "an enum", "a list"],
)
async def test_an_answer_is_a_state_by_key_path_parent_enum_or_list(answer: Any, code: str | None) -> None:
    shop = Shop()
    shop.orders["o1"] = answer
    async with shop.opened() as chat:
        assert (await call(chat, "read", order="o1")).code == code


async def refuse() -> Any:
    raise Refusal("denied", "It is not yours.")


async def fail() -> Any:
    raise ZeroDivisionError("the database is broken")


async def hang() -> Any:
    await anyio.sleep_forever()


async def unreachable() -> Any:
    raise ConnectionError("no line")


WRONG: dict[str, tuple[Any, str]] = {
    "refuses": (refuse, "denied"),
    "raises": (fail, "permanent"),
    "can't be reached": (unreachable, "transient"),
    "takes too long": (hang, "transient"),
    "answers nonsense": ("nowhere", "permanent"),
    "answers a number": (5, "permanent"),
    "answers nothing at all": ([], "permanent"),
    "answers a mapping": ({"closed": "paid"}, "permanent"),
    "answers what excludes each other": (["pending", "sent"], "permanent"),
}


@pytest.mark.parametrize("how", WRONG)
async def test_what_the_application_says_wrongly_refuses_the_call_and_is_not_shown(how: str, caplog: pytest.LogCaptureFixture) -> None:
    shop, (answer, code) = Shop(), WRONG[how]
    shop.orders["o1"] = answer
    async with shop.opened() as chat:
        with caplog.at_level(logging.ERROR):
            outcome = await call(chat, "cancel", order="o1")

        assert (outcome.code, shop.ran, "database" in outcome.text) == (code, [], False)
        assert (outcome.incident is None) == (code == "denied")
        assert (outcome.incident or "") in caplog.text
        assert (await call(chat, "look")).code is None
        assert await offered(chat) == {"cancel", "look", "read", "ring"}


def _refuses() -> Any:
    raise Refusal("denied", "Not for you.")


def _raises() -> Any:
    raise ZeroDivisionError("the clock is broken")


@pytest.mark.parametrize("how", ["refuses", "raises", "nonsense", "None"])
async def test_where_nobody_can_say_it_without_arguments_a_list_shows_nothing_of_it_and_still_comes(how: str) -> None:
    shop = Shop()
    shop.open = {"refuses": _refuses, "raises": _raises, "nonsense": "noon", "None": None}[how]
    async with shop.opened() as chat:
        assert await offered(chat) == {"cancel", "look", "read"}
        closed = json.loads((await call(chat, "identify")).text)

        assert (closed["refused"], "ring" in closed["allowed"]) == ("closed", False)
        assert (await call(chat, "cancel", order="o1")).code is None
        code = {"refuses": "denied", "raises": "permanent", "nonsense": "permanent", "None": "not_found"}[how]
        assert (await call(chat, "ring")).code == code


async def test_a_machine_that_reads_no_arguments_decides_lists_and_calls() -> None:
    shop = Shop()
    async with shop.opened() as chat:
        assert "ring" in await offered(chat)
        shop.open = "night"

        assert "ring" not in await offered(chat)
        assert (await call(chat, "ring")).code == "closed"


async def test_with_everything_unbound_closed_only_what_a_workflow_opens_is_open() -> None:
    shop = Shop()
    async with shop.opened(unbound="closed", identified=False) as chat:
        assert await offered(chat) == {"identify", "read", "ring"}
        told = json.loads((await call(chat, "look")).text)

        assert (told["refused"], told["allowed"]) == ("closed", ["identify", "read", "ring"])
        assert "state" not in told
        assert [each.name for each in await chat.host.menu(ADA)] == ["cancel", "identify", "read", "ring"]
        assert (await call(chat, "ring")).code is None
