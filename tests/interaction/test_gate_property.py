"""A tool is callable exactly if the state allows it: random machines, bindings, callers and walks, through every entry that there is.

What must come of a call is said by an oracle that knows nothing of the gate. Handlers are entered and veto their transition, so that every
call can be tried in every situation; then one of them moves something, and all is tried again.
"""

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType

import anyio
import pytest
from hypothesis import given, note, settings

from handgriff import Host
from tests.effort import times
from tests.interaction.cli_inside import run as handgriff
from tests.interaction.gate_build import World
from tests.interaction.gate_checks import Checks, go, samples
from tests.interaction.gate_entries import Became, from_inside, in_python, with_faces
from tests.interaction.gate_run import Arguments, Expected, Run, Seat
from tests.interaction.gate_worlds import Numbers, Walk, numbers, walks

SEVERAL_DOZEN = 24
"""Calls of each kind that a test must have tried through each entry; as a rule it is more."""
ROUNDS = 4
MODULE = "gate_random"
"""What the command line imports."""


async def seated(world: World, host: Host) -> Run:
    people = [world.caller(number) for number in range(3)]
    run = Run(world, host, [Seat(each, (await host.sessions.create(each)).id) for each in people])
    await run.begin()
    return run


@asynccontextmanager
async def opened(world: World) -> AsyncIterator[Run]:
    async with Host(world.assistant, store="memory://", callers=world.callers, model="scripted:random") as host:
        yield await seated(world, host)


async def in_code(world: World, walk: Walk, checks: Checks) -> None:
    checks.waiting.clear()
    async with opened(world) as run:
        for who, choice in walk:
            seat = run.seats[who]
            await checks.decide(run, may_wait=True)
            situations = await run.situations(seat)
            if world.spec.unbound == "open":
                await checks.calls("inside", from_inside, run, seat, samples(situations, choice), decides=False)
            await checks.calls("python", in_python, run, seat, situations, decides=False)
            assert await run.situations(seat) == situations
            assert [each.contract.name for each in await run.host.workflows.offered(seat.caller, seat.session)] == await run.offered(seat)
            if choice % 2 or not await checks.follow(run, seat, choice):
                await go(run, seat, choice, checks.waiting)
        await checks.decide(run)


async def in_faces(world: World, walk: Walk, checks: Checks) -> None:
    async with with_faces(world) as (run, faces):
        await run.begin()
        for _, choice in walk:
            for name, (seat, entry) in faces.entries(run.seats[choice % 2], run).items():
                await checks.calls(name, entry, run, seat, samples(await run.situations(seat), choice))
            for seat, listed in await faces.varying(run):
                assert listed == await run.offered(seat)
            await faces.look_at_constant(run)
            for seat in run.seats:
                await go(run, seat, choice)
        assert all(len(lists) == 1 for lists in faces.constant)


def on_the_command_line(world: World, walk: Walk, checks: Checks, folder: Path) -> None:
    """Each command opens the host anew, so nothing but the store remembers."""
    host = Host(world.assistant, store=f"sqlite:///{folder / 'gate.db'}", callers=world.callers, model="scripted:random")
    sys.modules[MODULE].__dict__["host"] = host

    async def begun() -> Run:
        async with host:
            return await seated(world, host)

    async def looked(seat: Seat, choice: int) -> list[Expected]:
        async with host:
            return samples(await run.situations(seat), choice)

    async def gone(seat: Seat, choice: int) -> None:
        async with host:
            await go(run, seat, choice)

    run = anyio.run(begun)
    for who, choice in walk:
        seat = run.seats[who]
        expected = anyio.run(looked, seat, choice)
        world.entered.clear()
        checks.compare("typed", run, seat, expected, [typed(seat, each.tool.name, each.arguments) for each in expected])
        anyio.run(gone, seat, choice)


def typed(seat: Seat, tool: str, arguments: Arguments) -> Became:
    who = f"{seat.caller.tenant}/{seat.caller.user}"
    told = handgriff("call", f"{MODULE}:host", tool, "--args", json.dumps(arguments), "--as", who, "--session", seat.session, "--json").json
    return Became(told.get("refused"), told)


def until_enough(checks: Checks, holds: Callable[[], None], *names: str, least: int = SEVERAL_DOZEN) -> None:
    """One round is enough as a rule; where chance has drawn little of one kind, there is another."""
    for _ in range(ROUNDS):
        holds()
        if checks.has_enough(*names, least=least) and ("python" not in names or checks.tally["followed"]):
            return
    raise AssertionError(checks.tally)


def test_a_tool_runs_exactly_where_the_state_allows_it_called_in_python_by_tools_and_by_who_confirms() -> None:
    checks = Checks()

    @settings(max_examples=times(12))
    @given(numbers(), walks(8))
    def holds(made_of: Numbers, walk: Walk) -> None:
        world = made_of.world()
        note(repr(world.spec))
        anyio.run(in_code, world, walk, checks)

    until_enough(checks, holds, "python", "inside", "confirmed")


def test_a_tool_runs_exactly_where_the_state_allows_it_in_a_chat_over_agui_and_over_both_mcps_and_lists_say_so() -> None:
    checks = Checks()

    @settings(max_examples=times(4))
    @given(numbers(), walks(7))
    def holds(made_of: Numbers, walk: Walk) -> None:
        world = made_of.world()
        note(repr(world.spec))
        anyio.run(in_faces, world, walk, checks)

    until_enough(checks, holds, "chat", "agui", "mcp 2025", "mcp 2026")


def test_a_tool_runs_exactly_where_the_state_allows_it_typed_on_the_command_line(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = Checks()
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setitem(sys.modules, MODULE, ModuleType(MODULE))

    @settings(max_examples=times(3))
    @given(numbers(("session", "handle", "derived", "asked")), walks(4))
    def holds(made_of: Numbers, walk: Walk) -> None:
        world = made_of.world()
        note(repr(world.spec))
        on_the_command_line(world, walk, checks, tmp_path_factory.mktemp("gate"))

    until_enough(checks, holds, "typed", least=SEVERAL_DOZEN // 4)
