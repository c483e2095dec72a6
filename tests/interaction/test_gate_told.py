"""What is told of workflows: to whom, and whether it is so."""

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from handgriff import Assistant, Caller, Machine, Refusal, Result, Toolbox
from handgriff.core.events import UserMessage
from handgriff.core.outcome import Outcome
from handgriff.machine import State
from handgriff.testing.harness import Harness, harness
from tests.interaction.desk import WORDS
from tests.interaction.papers import ADA, everybody

pytestmark = pytest.mark.anyio


async def call(chat: Harness, tool: str, **arguments: Any) -> Outcome:
    return await chat.host.call(ADA, tool, arguments, session=chat.session.id)


async def offered(chat: Harness) -> set[str]:
    return {each.contract.name for each in await chat.host.workflows.offered(ADA, chat.session.id)}


def shop() -> Assistant:
    """A shop that rings while it is open, which the application says, and in which anybody may look."""
    hours, box = Machine("hours", "day", "night", state_of=lambda call: "day"), Toolbox("shop")

    @box.tool(effect="read", description=WORDS, at=hours.at("day"))
    def ring() -> Result[None]:
        return Result("Ringing.")

    @box.tool(effect="read", description=WORDS)
    def look() -> Result[None]:
        return Result("Seen.")

    return Assistant("shop", instructions="You sell.", toolboxes=[box])


class Failing:
    """The application's objects, which fail at one moment."""

    def __init__(self, error: Exception, when: str) -> None:
        self.error, self.when = error, when

    @asynccontextmanager
    async def __call__(self, caller: Caller) -> AsyncIterator[None]:
        if self.when == "opening":
            raise self.error
        yield None
        raise self.error


@pytest.mark.parametrize("when", ["opening", "closing"])
@pytest.mark.parametrize("how", ["fail", "refuse"])
async def test_where_the_applications_objects_fail_a_list_shows_nothing_of_what_it_decides_and_a_turn_goes_on(
    how: str, when: str, caplog: pytest.LogCaptureFixture
) -> None:
    error = RuntimeError("the database is down") if how == "fail" else Refusal("denied", "Not for you.")
    async with harness(shop(), ADA, callers=everybody, deps=Failing(error, when), script=["Hello."]) as chat:
        with caplog.at_level(logging.ERROR):
            assert await offered(chat) == {"look"}

        assert ("the database is down" in caplog.text) == (how == "fail")
        assert await chat.host.workflows.states(ADA, chat.session.id) == {"hours": "unknown"}
        assert (await chat.say("Hi.")).text == "Hello."


async def test_nobody_is_told_of_a_machine_that_none_of_their_tools_has_to_do_with() -> None:
    frozen = Machine("freeze", "open", "frozen", state_of=lambda call: "frozen")
    dismissal = Machine("dismissal", State("prepared", on={"GO": "told"}), State("told", type="final"))
    tea, box = Machine("tea", State("cold", on={"HEAT": "hot"}), State("hot", type="final")), Toolbox("staff")

    @box.tool(effect="read", description=WORDS, at=frozen.at("open"), requires="staff")
    def salaries() -> Result[None]:
        return Result("Seen.")

    @box.tool(effect="write", description=WORDS, at=dismissal.at("prepared"), fires="GO", requires="staff")
    def dismiss() -> Result[None]:
        return Result("Told.")

    @box.tool(effect="write", description=WORDS, at=tea.at("cold"), fires="HEAT")
    def heat() -> Result[None]:
        return Result("Hot.")

    async with harness(Assistant("office", instructions="Help.", toolboxes=[box]), ADA, callers=everybody, script=["Hello."]) as chat:
        await chat.say("Hi.")

        said = [event.body for event in await chat.events() if isinstance(event.body, UserMessage)]
        assert [dict(each.steered) for each in said] == [{"tea": "cold"}]
        assert "none of its tools" not in str(said)
        assert await chat.host.workflows.states(ADA, chat.session.id) == {"tea": "cold"}


class Staff(Caller):
    """A caller whose rights are the application's own idea."""

    def can(self, permission: str) -> bool:
        """Ada may do everything."""
        return self.user == "ada"


async def test_what_a_caller_of_the_applications_own_kind_may_use_is_not_what_another_may() -> None:
    people = {user: Staff("acme", user) for user in ("ada", "ben")}

    async def callers(tenant: str, user: str) -> Caller | None:
        return people[user]

    tea, box = Machine("tea", State("cold", on={"HEAT": "hot"}), State("hot", type="final")), Toolbox("kitchen")

    @box.tool(effect="write", description=WORDS, at=tea.at("cold"), fires="HEAT", requires="fire")
    def heat() -> Result[None]:
        return Result("Hot.")

    async with harness(Assistant("kitchen", instructions="Help.", toolboxes=[box]), people["ada"], callers=callers) as chat:
        other = await chat.host.sessions.create(people["ben"])
        lists = [await chat.host.workflows.offered(people[user], it) for user, it in (("ada", chat.session.id), ("ben", other.id))]

        assert [[each.contract.name for each in found] for found in lists] == [["heat"], []]


def opened(*, hours: str = "day") -> Assistant:
    """A chat that must be known, an order, and hours that the application says: what is open of one hangs on the others too."""
    chat = Machine("chat", State("anonymous", on={"KNOW": "known"}), State("known", on={"PART": "anonymous"}))
    order = Machine("order", State("pending", on={"SHIP": "shipped"}), State("shipped", type="final"))
    clock, box = Machine("clock", "day", "night", state_of=lambda call: hours), Toolbox("shop")

    @box.tool(effect="write", description=WORDS, at=chat.at("anonymous"), fires="KNOW")
    def identify() -> Result[None]:
        return Result("Known.")

    @box.tool(effect="write", description=WORDS, at=[chat.at("known"), order.at("pending")], fires=order.event("SHIP"))
    def ship() -> Result[None]:
        return Result("Shipped.")

    @box.tool(effect="write", description=WORDS, at=[chat.at("known"), order.at("shipped")])
    def refund() -> Result[None]:
        return Result("Refunded.")

    @box.tool(effect="read", description=WORDS, at=[chat.at("known"), clock.at("day")])
    def ring() -> Result[None]:
        return Result("Ringing.")

    return Assistant("shop", instructions="You sell.", toolboxes=[box])


@pytest.mark.parametrize(("hours", "names"), [("day", ["ring", "ship"]), ("night", ["ship"])], ids=["by day", "by night"])
async def test_a_result_calls_open_only_what_every_machine_beside_lets_pass(hours: str, names: list[str]) -> None:
    async with harness(opened(hours=hours), ADA, callers=everybody) as chat:
        told = json.loads((await call(chat, "identify")).text)["workflow"]
        assert told == {"machine": "chat", "state": "known", "open": names}
        told = json.loads((await call(chat, "ship")).text)["workflow"]
        assert told == {"machine": "order", "state": "shipped", "open": ["refund"]}


def is_long(_context: object, event: Any, _params: object) -> bool:
    """A guard that looks at an argument."""
    return len(event["args"]["text"]) > 3


def paper() -> Assistant:
    """A paper that goes to review and back, each at any call, but never with a short text to review."""
    submitting = {"SUBMIT": {"target": "review", "guard": "is_long"}}
    config = {"id": "paper", "initial": "draft", "states": {"draft": {"on": submitting}, "review": {"on": {"BACK": "draft"}}}}
    machine, box = Machine.from_config(config, guards={"is_long": is_long}), Toolbox("papers")

    @box.tool(effect="write", description=WORDS, fires=machine.event("SUBMIT"))
    def submit(text: str) -> Result[None]:
        return Result("Submitted.")

    @box.tool(effect="write", description=WORDS, fires=machine.event("BACK"))
    def back(text: str) -> Result[None]:
        return Result("Back.")

    return Assistant("papers", instructions="Help.", toolboxes=[box])


async def test_arguments_are_blamed_only_where_others_might_pass() -> None:
    async with harness(paper(), ADA, callers=everybody) as chat:
        messages = [json.loads((await call(chat, tool, text="abc")).text)["message"] for tool in ("submit", "back")]

        assert messages == [
            "submit is not open with these arguments while the paper is in 'draft'.",
            "back is not open while the paper is in 'draft'.",
        ]


@pytest.mark.parametrize("kept", ["session", "handle"])
async def test_a_delay_of_nothing_is_over_when_a_result_tells_the_state(kept: Any) -> None:
    states = {"idle": {"on": {"GO": "sent"}}, "new": {"after": {"0": "idle"}}, "sent": {"after": {"0": "over"}, "on": {"UNDO": "idle"}}}
    config = {"id": "job", "initial": "new", "states": {**states, "over": {"type": "final"}}}
    job, box = Machine.from_config(config, instance=kept), Toolbox("jobs")

    @box.tool(effect="write", description=WORDS, at=job.at("idle"), fires="GO")
    def go() -> Result[None]:
        return Result("Gone.")

    @box.tool(effect="write", description=WORDS, at=job.at("sent"), fires="UNDO")
    def undo() -> Result[None]:
        return Result("Undone.")

    if kept == "handle":

        @box.tool(effect="write", description=WORDS, starts=job)
        def begin() -> Result[None]:
            return Result("Begun.")

    async with harness(Assistant("jobs", instructions="Help.", toolboxes=[box]), ADA, callers=everybody) as chat:
        handle = {}
        if kept == "handle":
            told = json.loads((await call(chat, "begin")).text)["workflow"]
            assert (told["state"], told["open"]) == ("idle", ["go"])
            handle = {"job": told["job"]}
        outcome = await call(chat, "go", **handle)

        told = json.loads(outcome.text)["workflow"]
        assert (told["state"], told["open"]) == ("over", [])
        assert outcome.moved is not None
        assert (outcome.moved.before, outcome.moved.after) == ("idle", "over")
        rows = await chat.host.workflows.list("acme")
        assert [json.loads(row.snapshot)["value"] for row in rows] == ["over"]
