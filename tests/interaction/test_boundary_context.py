"""The application's own objects: opened for each call with its caller, closed before its outcome is settled."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest

from handgriff import Assistant, Call, Caller, Host, Plan, Refusal, Result, Toolbox
from handgriff.core.contract import EffectKind
from handgriff.testing.harness import harness
from handgriff.testing.loopback.script import ToolUse
from handgriff.tool import CallLimits
from tests.interaction.desk import ADA, WORDS, assistant

pytestmark = pytest.mark.anyio
EFFECTS: list[EffectKind] = ["read", "write"]


@dataclass(slots=True)
class Database:
    """An application's unit of work: what a call wrote is there once its block was left without an exception."""

    rows: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    callers: list[Caller] = field(default_factory=list)
    fails_at: str = ""
    swallows: bool = False
    host: Host | None = None

    @asynccontextmanager
    async def open(self, caller: Caller) -> AsyncIterator[list[str]]:
        self.callers.append(caller)
        self.log.append("open")
        self._maybe_fail("open")
        pending: list[str] = []
        try:
            yield pending
        except BaseException as error:
            self.log.append(f"rollback {type(error).__name__}")
            if self.swallows:
                return
            raise
        self._maybe_fail("commit")
        self.rows += pending
        states = [effect.state for effect in await self.host.effects.list("acme")] if self.host else []
        self.log.append(f"commit {states}")

    def _maybe_fail(self, where: str) -> None:
        if self.fails_at == where:
            raise ConnectionError(f"the database is gone at {where}")


def writer(effect: EffectKind, *, raises: Exception | None = None) -> Assistant:
    box = Toolbox("db")

    @box.tool(effect=effect, description=WORDS)
    async def act(call: Call[list[str]]) -> Result[None]:
        call.deps.append("row")
        if raises is not None:
            raise raises
        return Result("Done.")

    return assistant(box)


async def test_each_call_gets_its_own_opened_with_its_caller() -> None:
    database = Database()
    async with harness(writer("read"), ADA, deps=database.open, script=[(ToolUse("act", {}), ToolUse("act", {})), "Well."]) as chat:
        await chat.say("Act.")

        assert database.callers == [ADA, ADA]
        assert database.rows == ["row", "row"]


async def test_a_write_is_settled_after_its_objects_were_closed() -> None:
    """Closing them may be what commits, so until then the effect is only claimed."""
    database = Database()
    async with harness(writer("write"), ADA, deps=database.open) as chat:
        database.host = chat.host
        await chat.host.call(ADA, "act", {})

        assert database.log == ["open", "commit ['running']"]
        assert [effect.state for effect in await chat.host.effects.list("acme")] == ["done"]


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize(("raises", "name"), [(Refusal("conflict", "No."), "Refusal"), (RuntimeError("x"), "RuntimeError")])
async def test_what_a_handler_raises_passes_through_them_so_that_they_can_roll_back(
    raises: Exception, name: str, effect: EffectKind
) -> None:
    database = Database()
    async with harness(writer(effect, raises=raises), ADA, deps=database.open) as chat:
        outcome = await chat.host.call(ADA, "act", {})

        assert (database.rows, database.log) == ([], ["open", f"rollback {name}"])
        assert outcome.code is not None


@pytest.mark.parametrize("where", ["open", "commit"])
@pytest.mark.parametrize("effect", EFFECTS)
async def test_objects_that_fail_make_a_read_fail_and_a_finished_write_uncertain(where: str, effect: EffectKind) -> None:
    database = Database(fails_at=where)
    async with harness(writer(effect), ADA, deps=database.open, script=[ToolUse("act", {}), "Well."]) as chat:
        told = await chat.say("Act.")

        [outcome] = told.outcomes
        uncertain = (effect, where) == ("write", "commit")
        assert (outcome.code, bool(outcome.incident)) == ("indeterminate" if uncertain else "transient", True)
        assert [record.state for record in await chat.host.effects.list("acme")] == (["indeterminate"] if uncertain else [])
        assert (told.ended.status, database.rows) == ("done", [])


@pytest.mark.parametrize(("effect", "code"), [("read", "permanent"), ("write", "indeterminate")])
async def test_objects_that_swallow_an_exception_hide_no_failure(effect: EffectKind, code: str) -> None:
    database = Database(swallows=True)
    async with harness(writer(effect, raises=RuntimeError("x")), ADA, deps=database.open) as chat:
        assert (await chat.host.call(ADA, "act", {})).code == code


async def test_what_a_failed_write_had_in_mind_for_state_is_dropped() -> None:
    database = Database(fails_at="commit")
    box = Toolbox("db")

    @box.tool(effect="write", description=WORDS)
    async def act(call: Call) -> Result[None]:
        await call.state.set("mark", 1)
        return Result("Done.")

    async with harness(assistant(box), ADA, deps=database.open) as chat:
        await chat.host.call(ADA, "act", {}, session=chat.session.id)

        engine = await chat.host.engine()
        assert await engine.store.values("acme", "session", chat.session.id) == {}


async def test_plan_and_handler_of_a_confirmed_call_share_one_opening() -> None:
    seen: list[int] = []
    box = Toolbox("db")

    @box.tool(effect="irreversible", description=WORDS)
    async def act(call: Call) -> Result[None]:
        seen.append(id(call.deps))
        return Result("Done.")

    @act.plan
    async def preview(call: Call) -> Plan:
        seen.append(id(call.deps))
        return Plan("Act?")

    database = Database()
    async with harness(assistant(box), ADA, deps=database.open, script=[ToolUse("act", {}), "Done."]) as chat:
        await chat.say("Act.")
        await chat.confirm()

        assert len(seen) == 3
        assert seen[1] == seen[2]
        assert [entry.split()[0] for entry in database.log] == ["open", "commit", "open", "commit"]


async def test_a_plan_is_kept_although_its_objects_could_not_be_closed(caplog: pytest.LogCaptureFixture) -> None:
    """It changes nothing, so nothing is lost; the operator reads of it in the log."""
    database, box = Database(fails_at="commit"), Toolbox("db")

    @box.tool(effect="irreversible", description=WORDS)
    async def act(call: Call) -> Result[None]:
        return Result("Done.")

    @act.plan
    async def preview(call: Call) -> Plan:
        return Plan("Act?")

    async with harness(assistant(box), ADA, deps=database.open, script=[ToolUse("act", {})]) as chat:
        told = await chat.say("Act.")

        assert (told.ended.status, len(told.parked)) == ("waiting", 1)
        assert "the database is gone at commit" in caplog.text


def threaded(
    names: list[str], release: threading.Event | None = None, effect: EffectKind = "read", seconds: float | None = None
) -> Assistant:
    box = Toolbox("threads")

    @box.tool(effect=effect, limits=CallLimits(seconds=seconds), description=WORDS)
    def act(call: Call) -> Result[None]:
        names.append(threading.current_thread().name)
        if release is not None:
            release.wait(5)
        return Result("Done.")

    return assistant(box)


@pytest.mark.parametrize("effect", EFFECTS)
async def test_a_sync_handler_runs_in_a_thread_and_holds_nobody_up(effect: EffectKind) -> None:
    names: list[str] = []
    release = threading.Event()
    async with harness(threaded(names, release, effect), ADA) as chat:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.host.call, ADA, "act", {})
            with anyio.fail_after(5):
                while not names:
                    await anyio.wait_all_tasks_blocked()
            release.set()

        assert names[0] != threading.main_thread().name


@pytest.mark.parametrize(("effect", "code"), [("read", "transient"), ("write", "indeterminate")])
async def test_a_thread_cannot_be_cancelled_so_it_is_left_behind(effect: EffectKind, code: str) -> None:
    release = threading.Event()
    async with harness(threaded([], release, effect, seconds=0.02), ADA) as chat:
        outcome = await chat.host.call(ADA, "act", {})
        release.set()

        assert outcome.code == code
