"""Before its claim a call only looks: no check and no plan opens the transaction, takes a step, or makes another tool write."""

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import anyio
import pytest

from handgriff import Call, Change, Plan, Result, Toolbox
from handgriff.testing.harness import harness
from handgriff.testing.loopback.script import ToolUse
from handgriff.tool import CallLimits, Selector
from tests.interaction.desk import ADA, WORDS, assistant

pytestmark = pytest.mark.anyio
Look = Callable[[Any], Awaitable[None]]
PLACES = ("plan", "authorize", "validate", "confirm", "idempotency_key", "before_call")


async def _opens(call: Any) -> None:
    async with call.transaction():
        pass


async def _steps(call: Any) -> None:
    async def nothing() -> None:
        pass

    await call.step("charge", nothing)


async def _writes(call: Any) -> None:
    await call.tool("note", {})


DEEDS: dict[str, Look] = {"transaction": _opens, "step": _steps, "tool": _writes}


def _box(place: str, deed: Look, noted: list[str]) -> Toolbox:
    box = Toolbox("b")

    async def look(at: str, call: Any) -> None:
        if at == place:
            await deed(call)

    @box.tool(effect="write", description=WORDS)
    async def note() -> Result[None]:
        noted.append("note")
        return Result("Noted.")

    @box.tool(effect="irreversible", transaction=True, description=WORDS)
    async def pay(cents: int, call: Call) -> Result[None]:
        return Result("Paid.")

    @pay.plan
    async def preview(cents: int, call: Call) -> Plan:
        await look("plan", call)
        return Plan("Pay?", [Change("Balance", "1", "0")])

    @pay.authorize
    async def may(args: Any, call: Any) -> bool:
        await look("authorize", call)
        return True

    @pay.validate
    async def check(args: Any, call: Any) -> None:
        await look("validate", call)

    @pay.confirm
    async def who(args: Any, call: Any) -> None:
        await look("confirm", call)

    @pay.idempotency_key
    async def key(args: Any, call: Any) -> str:
        await look("idempotency_key", call)
        return "k"

    @pay.before_call
    async def before(tool: str, args: Any, call: Any) -> None:
        await look("before_call", call)

    return box


@pytest.mark.parametrize("deed", sorted(DEEDS))
@pytest.mark.parametrize("place", PLACES)
async def test_what_only_looks_can_do_nothing(place: str, deed: str, tmp_path: Path) -> None:
    noted: list[str] = []
    box = _box(place, DEEDS[deed], noted)
    async with harness(assistant(box), ADA, store=f"sqlite:///{tmp_path}/h.db", script=[ToolUse("pay", {"cents": 1}), "So."]) as chat:
        with anyio.fail_after(10):
            told = await chat.say("Pay.")
            if told.parked:
                decided, _ = await chat.confirm()
                assert decided.outcome.code in ("permanent", "denied", "stale")
            else:
                assert [outcome.code for outcome in told.outcomes][-1] in ("permanent", "denied")
            await chat.host.sessions.create(ADA)  # nobody holds the file

        assert noted == []
        assert all(effect.state != "done" for effect in await chat.host.effects.list("acme"))


async def test_a_scratch_that_is_read_in_a_transaction_waits_for_nobody(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE credit (cents INTEGER)")
        connection.commit()
    box = Toolbox("b")

    @box.tool(effect="write", description=WORDS)
    async def note(call: Call) -> Result[None]:
        await call.scratch("pad").set("k", 1)
        return Result("Noted.")

    @box.tool(effect="write", transaction=True, description=WORDS)
    async def give(call: Call) -> Result[Any]:
        async with call.transaction() as connection:
            connection.execute("INSERT INTO credit VALUES (5)")
            found = await call.scratch("pad", renew="access").get("k")
        return Result("Given.", found)

    async with harness(assistant(box), ADA, store=f"sqlite:///{path}") as chat:
        first = await chat.host.call(ADA, "give", {}, session=chat.session.id)
        await chat.host.call(ADA, "note", {}, session=chat.session.id)
        with anyio.fail_after(10):
            given = await chat.host.call(ADA, "give", {}, session=chat.session.id)

    assert first.is_ok
    assert (given.code, given.data) == (None, "1")


async def test_what_is_selected_is_part_of_what_was_shown() -> None:
    """B102"""
    customers, gone = [1, 2, 3], list[int]()
    box = Toolbox("b")

    @box.tool(effect="irreversible", description=WORDS)
    async def purge(where: Annotated[str, Selector()]) -> Result[None]:
        gone.extend(customers)
        return Result("Purged.")

    @purge.plan
    async def preview(where: str) -> Plan:
        return Plan("Purge them?", [], count=len(customers), sample=[f"c{each}" for each in customers[:3]])

    async with harness(assistant(box), ADA, script=[ToolUse("purge", {"where": "old"}), "So."]) as chat:
        await chat.say("Purge the old ones.")
        customers.extend(range(4, 5000))
        decided, _ = await chat.confirm()

    assert (decided.proposal.state, gone) == ("stale", [])


async def test_our_own_time_out_is_nobodys_refusal() -> None:
    """B106: a map of every exception says that nothing happened, which is not known of a handler that took too long."""
    box, go = Toolbox("b"), anyio.Event()

    @box.tool(effect="write", description=WORDS, limits=CallLimits(seconds=0.05), errors={Exception: "permanent"})
    async def pay() -> Result[None]:
        await go.wait()
        return Result("Paid.")

    async with harness(assistant(box), ADA) as chat:
        outcome = await chat.host.call(ADA, "pay", {})
        [record] = await chat.host.effects.list("acme")

    assert (outcome.code, record.state) == ("indeterminate", "indeterminate")


@pytest.mark.parametrize("member", ["confirm", "idempotency_key"])
async def test_whoever_is_asked_before_the_claim_has_a_time_out(member: str) -> None:
    box = Toolbox("b")

    async def forever(args: Any, call: Any) -> str:
        await anyio.sleep_forever()
        raise AssertionError("unreachable")

    async def preview() -> Plan:
        return Plan("Pay?", [Change("Balance", "1", "0")])

    async def pay() -> Result[None]:
        return Result("Paid.")

    plan = {"plan": preview} if member == "confirm" else {}
    box.tool(effect="write", name="pay", description=WORDS, limits=CallLimits(seconds=0.05), **plan, **{member: forever})(pay)  # type: ignore[arg-type]  # by name

    async with harness(assistant(box), ADA) as chat:
        with anyio.fail_after(10):
            outcome = await chat.host.call(ADA, "pay", {})

    assert outcome.code == "transient"
