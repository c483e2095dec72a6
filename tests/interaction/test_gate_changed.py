"""A machine that has changed since an instance was stored: it is migrated, or nothing moves it; never does it begin anew."""

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from handgriff import Machine
from handgriff.machine import State
from handgriff.stores.memory import MemoryStore
from handgriff.testing.harness import Harness, harness
from tests.interaction.papers import ADA, STATES, Office, everybody

pytestmark = pytest.mark.anyio
OLD = Machine("paper", *STATES)
BOUND = ("submit", "approve", "reject", "discharge", "audit")


def changed(**options: Any) -> Machine:
    """The same with one more state."""
    approved = State("approved", on={"DISCHARGE": "discharged", "SHRED": "shredded"}, tags="payable")
    return Machine("paper", *STATES[:2], approved, *STATES[3:], State("shredded", type="final"), **options)


class World:
    """A session whose paper is in review, by the old machine."""

    def __init__(self, old: Machine = OLD) -> None:
        self.store, self.office, self.old, self.session = MemoryStore(), Office(), old, ""

    @asynccontextmanager
    async def served_by(self, machine: Machine) -> AsyncIterator[Harness]:
        """The next process, with this machine."""
        if not self.session:
            async with harness(self.office.assistant(self.old), ADA, callers=everybody, store=self.store) as chat:
                self.session = chat.session.id
                await chat.host.call(ADA, "submit", {}, session=self.session)
        async with harness(self.office.assistant(machine), ADA, callers=everybody, store=self.store) as chat:
            yield chat

    async def call(self, chat: Harness, tool: str, **arguments: Any) -> dict[str, Any]:
        """What the model reads of a call."""
        told: dict[str, Any] = json.loads((await chat.host.call(ADA, tool, arguments, session=self.session)).text)
        return told


async def test_without_a_migration_every_bound_tool_is_closed_and_what_is_bound_to_nothing_runs() -> None:
    world = World()
    async with world.served_by(changed()) as chat:
        told = [await world.call(chat, tool) for tool in BOUND]

        assert {(each["refused"], each["machine"], each["state"]) for each in told} == {("closed", "paper", "review")}
        assert "its machine has changed since" in told[0]["message"]
        assert told[0]["allowed"] == ["look"]
        assert [each.contract.name for each in await chat.host.workflows.offered(ADA, world.session)] == ["look"]
        assert (await world.call(chat, "look"))["summary"] == "look was done."
        assert world.office.ran == ["submit", "look"]


async def test_what_is_closed_is_not_lost() -> None:
    world = World()
    async with world.served_by(changed()) as chat:
        await world.call(chat, "approve")
    async with world.served_by(OLD) as chat:
        assert (await world.call(chat, "approve"))["workflow"]["state"] == "approved"


async def test_sessions_that_had_not_moved_begin_by_the_new_machine() -> None:
    world = World()
    async with world.served_by(changed()) as chat:
        other = await chat.host.sessions.create(ADA)

        assert (await chat.host.call(ADA, "submit", {}, session=other.id)).code is None


async def test_a_registered_migration_lets_it_go_on_and_is_not_asked_again_once_it_has_moved() -> None:
    asked: list[Any] = []

    def migrate(snapshot: Any) -> Any:
        asked.append(snapshot["value"])
        return snapshot

    world = World()
    async with world.served_by(changed(migrations={OLD.hash: migrate})) as chat:
        assert (await chat.host.workflows.states(ADA, world.session))["paper"] == "review"
        assert (await world.call(chat, "approve"))["workflow"]["state"] == "approved"
        count = len(asked)
        assert (await world.call(chat, "discharge"))["workflow"]["state"] == "discharged"
        assert (set(asked), len(asked)) == ({"review"}, count)
    async with world.served_by(changed()) as chat:
        assert (await world.call(chat, "audit"))["summary"] == "audit was done."


async def test_a_migration_to_another_state_need_not_say_since_when_it_is_there() -> None:
    world = World()
    async with world.served_by(changed(migrations={OLD.hash: lambda snapshot: {**snapshot, "value": "approved"}})) as chat:
        assert (await world.call(chat, "discharge"))["workflow"]["state"] == "discharged"


def _raises(snapshot: Any) -> Any:
    raise KeyError(snapshot["value"])


NONSENSE = {
    "raises": _raises,
    "nothing": lambda _: None,
    "a list": lambda _: ["review"],
    "an unknown state": lambda snapshot: {**snapshot, "value": "nowhere"},
    "no json": lambda snapshot: {**snapshot, "context": {1, 2}},
}


@pytest.mark.parametrize("how", NONSENSE)
async def test_a_migration_that_is_wrong_is_loud_and_loses_nothing(how: str, caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    async with world.served_by(changed(migrations={OLD.hash: NONSENSE[how]})) as chat:
        with caplog.at_level(logging.ERROR):
            told = [await world.call(chat, tool) for tool in BOUND]

        assert {each["refused"] for each in told} == {"permanent"}
        assert {each["incident"] for each in told} <= {record.getMessage().split(":")[0] for record in caplog.records}
        assert f"migrations['{OLD.hash}']" in caplog.text
        assert (await world.call(chat, "look"))["summary"] == "look was done."
        assert world.office.ran == ["submit", "look"]
    async with world.served_by(changed(migrations={OLD.hash: dict})) as chat:
        assert (await world.call(chat, "approve"))["workflow"]["state"] == "approved"


async def test_instances_with_a_handle_are_migrated_too_or_closed() -> None:
    old, new = Machine("paper", *STATES, instance="handle"), changed(instance="handle")
    office, store = Office(), MemoryStore()
    async with harness(office.assistant(old), ADA, callers=everybody, store=store) as chat:
        begun = await chat.host.call(ADA, "begin", {})
        assert begun.moved is not None
        paper = {"paper": begun.moved.handle}
    async with harness(office.assistant(new), ADA, callers=everybody, store=store) as chat:
        assert (await chat.host.call(ADA, "submit", paper)).code == "closed"
        fresh = await chat.host.call(ADA, "begin", {})
        assert fresh.moved is not None
        assert (await chat.host.call(ADA, "submit", {"paper": fresh.moved.handle})).code is None
    async with harness(
        office.assistant(changed(instance="handle", migrations={old.hash: dict})), ADA, callers=everybody, store=store
    ) as chat:
        assert (await chat.host.call(ADA, "submit", paper)).code is None


async def test_what_an_uncertain_call_makes_by_the_old_machine_is_migrated_when_it_is_known() -> None:
    def fail() -> Any:
        raise RuntimeError("broken")

    world = World()
    world.office.instead["approve"] = fail
    async with world.served_by(OLD) as chat:
        await world.call(chat, "approve")
        [effect] = await chat.host.effects.list("acme", state="indeterminate")
    async with world.served_by(changed(migrations={OLD.hash: dict})) as chat:
        await chat.host.effects.resolve("acme", "approve", effect.key, "done", by="ops")

        assert (await world.call(chat, "discharge"))["workflow"]["state"] == "discharged"
