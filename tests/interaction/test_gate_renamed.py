"""Machines that got another id, and instances that are not where this host keeps them: nothing begins anew in silence."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from handgriff import Assistant, DefinitionError, Machine, Result, Toolbox
from handgriff.core.batch import StartWorkflow
from handgriff.core.events import CallOutcome
from handgriff.stores.memory import MemoryStore
from handgriff.stores.snapshots import MemorySnapshots
from handgriff.testing.harness import Harness, harness
from tests.interaction.cabinet import Fault, Watched
from tests.interaction.desk import WORDS
from tests.interaction.papers import ADA, BEN, STATES, Office, everybody

pytestmark = pytest.mark.anyio
OLD = Machine("paper", *STATES)
AS_IT_WAS = {OLD.hash: dict}


def renamed(**kept: Any) -> Machine:
    """The same machine under another id."""
    return Machine("deed", *STATES, **{"migrations": AS_IT_WAS, **kept})


class World:
    """A session whose paper is in review, in the store or elsewhere."""

    def __init__(self, where: str = "store", **kept: Any) -> None:
        self.store, self.office, self.old, self.session, self.handle = MemoryStore(), Office(), Machine("paper", *STATES, **kept), "", ""
        self.snapshots = MemorySnapshots() if where == "elsewhere" else None

    @asynccontextmanager
    async def served_by(self, machine: Machine, **options: Any) -> AsyncIterator[Harness]:
        """The next process, with this machine."""
        kept: dict[str, Any] = {"store": self.store, "snapshots": self.snapshots}
        if not self.session:
            async with harness(self.office.assistant(self.old), ADA, callers=everybody, **kept) as chat:
                self.session = chat.session.id
                if self.old.has_handle:
                    self.handle = json.loads((await chat.host.call(ADA, "begin", {}, session=self.session)).text)["workflow"]["paper"]
                await self.call(chat, "submit")
        async with harness(self.office.assistant(machine), ADA, callers=everybody, **{**kept, **options}) as chat:
            yield chat

    async def call(self, chat: Harness, tool: str) -> dict[str, Any]:
        """What the model reads of a call."""
        names = {machine.handle for machine in chat.host.assistant.machines.values() if machine.has_handle}
        arguments = {} if tool == "look" else dict.fromkeys(names, self.handle)
        told: dict[str, Any] = json.loads((await chat.host.call(ADA, tool, arguments, session=self.session)).text)
        return told

    async def states(self, chat: Harness) -> dict[str, str]:
        """Where its machines stand."""
        return await chat.host.workflows.states(ADA, self.session)


PLACES = pytest.mark.parametrize("where", ["store", "elsewhere"])


@PLACES
async def test_a_machine_with_a_new_id_does_not_begin_where_one_that_nobody_knows_has_been(where: str) -> None:
    world = World(where)
    async with world.served_by(renamed()) as chat:
        told = await world.call(chat, "submit")

        assert (told["refused"], told["machine"], told["allowed"]) == ("closed", "deed", ["look"])
        assert "here is a paper in 'review'" in told["message"]
        assert "formerly=('paper',)" in told["next"]
        assert (await world.states(chat), world.office.ran) == ({"deed": "unknown"}, ["submit"])
        assert (await world.call(chat, "look"))["summary"] == "look was done."
        fresh = await chat.host.sessions.create(ADA)
        assert (await chat.host.call(ADA, "submit", {}, session=fresh.id)).code is None


@PLACES
async def test_a_machine_says_which_ids_it_had_and_its_instances_go_on(where: str) -> None:
    world = World(where)
    async with world.served_by(renamed(formerly=("paper",))) as chat:
        assert await world.states(chat) == {"deed": "review"}
        told = await world.call(chat, "approve")

        assert told["workflow"] == {"machine": "deed", "state": "approved", "open": ["audit", "discharge"]}
        assert await world.states(chat) == {"deed": "approved"}


@PLACES
async def test_a_session_with_a_renamed_machine_is_copied_and_cut_back(where: str) -> None:
    world = World(where)
    async with world.served_by(renamed(formerly=("paper",))) as chat:
        await world.call(chat, "approve")
        events = await chat.host.sessions.events(ADA, world.session)
        moves = {body.moved.after: each.seq for each in events if isinstance(body := each.body, CallOutcome) and body.moved}
        copy = await chat.host.sessions.fork(ADA, world.session)
        early = await chat.host.sessions.fork(ADA, world.session, at=moves["review"])
        states = [await chat.host.workflows.states(ADA, each.id) for each in (copy, early)]
        assert states == [{"deed": "approved"}, {"deed": "review"}]

        await chat.host.sessions.rewind(ADA, world.session, moves["review"])
        assert (await world.states(chat), (await world.call(chat, "approve"))["workflow"]["state"]) == ({"deed": "review"}, "approved")
        await chat.host.sessions.rewind(ADA, world.session, 1)
        assert (await world.states(chat), (await world.call(chat, "submit"))["workflow"]["state"]) == ({"deed": "draft"}, "review")


@PLACES
async def test_an_instance_by_handle_is_found_under_the_id_it_had(where: str) -> None:
    old = Machine("paper", *STATES, instance="handle")
    world = World(where, instance="handle")
    async with world.served_by(renamed(instance="handle", handle="paper", formerly=("paper",), migrations={old.hash: dict})) as chat:
        assert (await world.call(chat, "approve"))["workflow"]["state"] == "approved"
        assert (await chat.host.workflows.get(ADA, "deed", world.handle)).state == "approved"


@PLACES
async def test_what_a_call_holds_under_the_old_id_is_settled_under_the_new_one(where: str) -> None:
    def fail() -> Result[None]:
        raise RuntimeError("broken")

    world = World(where)
    world.office.instead["submit"] = fail
    async with world.served_by(renamed(formerly=("paper",))) as chat:
        assert (await world.call(chat, "submit"))["refused"] == "indeterminate"
        [effect] = await chat.host.effects.list("acme")
        await chat.host.effects.resolve("acme", "submit", effect.key, "done", by="ops")

        assert await world.states(chat) == {"deed": "review"}


@PLACES
async def test_a_machine_that_says_it_is_new_begins_beside_what_nobody_knows(where: str) -> None:
    world = World(where)
    async with world.served_by(renamed(formerly=())) as chat:
        assert await world.states(chat) == {"deed": "draft"}
        assert (await world.call(chat, "submit"))["workflow"]["state"] == "review"


async def test_what_is_in_the_store_does_not_begin_anew_elsewhere_and_is_moved_there() -> None:
    world = World()
    async with world.served_by(OLD, snapshots=MemorySnapshots()) as chat:
        told = await world.call(chat, "submit")
        assert (told["refused"], told["state"], world.office.ran) == ("closed", "review", ["submit"])
        assert "handgriff workflow move" in told["next"]

        done = await chat.host.workflows.move("acme")
        assert (done.moved, done.left, await chat.host.workflows.list("acme")) == (1, (), ())
        assert (await world.states(chat), (await world.call(chat, "approve"))["summary"]) == ({"paper": "review"}, "approve was done.")
        assert (await chat.host.workflows.move("acme")).moved == 0


async def test_a_handle_that_is_in_the_store_is_told_from_an_unknown_one_to_whom_it_belongs() -> None:
    world = World(instance="handle")
    async with world.served_by(world.old, snapshots=MemorySnapshots()) as chat:
        assert (await world.call(chat, "approve"))["refused"] == "closed"
        theirs = await chat.host.call(BEN, "approve", {"paper": world.handle})
        assert theirs.code == "not_found"

        await chat.host.workflows.move("acme")
        assert (await world.call(chat, "approve"))["workflow"]["state"] == "approved"


async def test_what_is_kept_elsewhere_does_not_begin_anew_in_the_store() -> None:
    world = World("elsewhere")
    async with world.served_by(OLD, snapshots=None) as chat:
        told = await world.call(chat, "submit")

        assert (told["refused"], told["state"], world.office.ran) == ("closed", "review", ["submit"])
        assert "snapshots=" in told["next"]


async def test_what_a_call_holds_is_moved_once_that_is_settled() -> None:
    def fail() -> Result[None]:
        raise RuntimeError("broken")

    world = World()
    world.office.instead["submit"] = fail
    async with world.served_by(OLD, snapshots=MemorySnapshots()) as chat:
        done = await chat.host.workflows.move("acme")

        assert (done.moved, [row.tool for row in done.left]) == (0, ["submit"])
        assert (await world.call(chat, "submit"))["refused"] == "closed"
        [effect] = await chat.host.effects.list("acme")
        resolved = await chat.host.effects.resolve("acme", "submit", effect.key, "done", by="ops")
        assert (await chat.host.workflows.move("acme")).moved == 1
        assert (resolved.owes, await world.states(chat)) == (False, {"paper": "review"})


async def test_what_stands_there_already_is_not_overwritten() -> None:
    """A host of before has gone on with the store."""
    world = World()
    async with world.served_by(OLD, snapshots=MemorySnapshots()) as chat:
        [row] = await chat.host.workflows.list("acme")
        await chat.host.workflows.move("acme")
        await world.call(chat, "approve")
        await world.store.commit((StartWorkflow(row),))

        done = await chat.host.workflows.move("acme")
        assert (done.moved, done.left, await world.states(chat)) == (0, (row,), {"paper": "approved"})


async def test_a_move_that_breaks_off_is_made_again() -> None:
    world, fault, inner = World(), Fault(), MemorySnapshots()
    async with world.served_by(OLD, snapshots=Watched(inner, fault)) as chat:
        fault.at = "after set 1"
        with pytest.raises(Exception, match="snapshots"):
            await chat.host.workflows.move("acme")
        assert len(await chat.host.workflows.list("acme")) == 1

        assert (await chat.host.workflows.move("acme")).moved == 1
        assert (await world.states(chat), await chat.host.workflows.list("acme")) == ({"paper": "review"}, ())


async def test_a_host_that_keeps_all_in_the_store_moves_nothing() -> None:
    async with World().served_by(OLD) as chat:
        with pytest.raises(DefinitionError, match="give the snapshots="):
            await chat.host.workflows.move("acme")


@pytest.mark.parametrize(
    ("formerly", "problem"),
    [("paper", "are no ids"), (("",), "are no ids"), (("deed",), "its present id"), ((1,), "are no ids")],
    ids=["a text", "an empty one", "itself", "a number"],
)
def test_what_cannot_be_an_id_that_it_had_is_refused(formerly: Any, problem: str) -> None:
    with pytest.raises(DefinitionError, match=problem):
        renamed(formerly=formerly)


def test_an_id_that_another_machine_has_now_is_no_former_one() -> None:
    box, one, other = Toolbox("b"), Machine("paper", *STATES), renamed(formerly=("paper",))

    @box.tool(effect="write", description=WORDS, at=[one.at("draft"), other.at("draft")])
    def work() -> Result[None]:
        return Result("Done.")

    with pytest.raises(DefinitionError, match="there is a machine 'paper' beside it"):
        Assistant("a", instructions="You test.", toolboxes=[box])


def test_a_derived_machine_has_no_former_ids() -> None:
    with pytest.raises(DefinitionError, match="nothing is kept of a derived machine"):
        Machine("order", "open", state_of=lambda call: "open", formerly=("paper",))
