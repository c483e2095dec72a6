"""Our side: the same fifty tools, bound to five states of a session's own machine."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio

from handgriff import Assistant, Caller, Host, Machine, Result, Toolbox
from handgriff.core import jsontext
from handgriff.core.rows import Session
from handgriff.machine import State
from handgriff.models.scripted import ScriptedModel
from handgriff.runtime.boundary.attempt import Attempt, Ended, Place
from handgriff.runtime.boundary.pipeline import _Trail
from handgriff.runtime.boundary.ready import Ready
from handgriff.runtime.boundary.resolve import resolve

ADA = Caller("acme", "ada")
STATES = 5


async def callers(tenant: str, user: str) -> Caller | None:
    """Ada, always."""
    del tenant, user
    return ADA


def assistant() -> Assistant:
    """Fifty tools; the first of each ten moves on to the next state."""
    machine = Machine("flow", *[State(f"s{number}", on={"NEXT": f"s{(number + 1) % STATES}"}) for number in range(STATES)])
    box = Toolbox("bench")
    for number in range(50):
        state, fires = machine.at(f"s{number // 10}"), "NEXT" if number % 10 == 0 else None
        box.tool(effect="read", name=f"tool{number:02d}", at=state, fires=fires)(_tool())
    return Assistant("bench", instructions="Bench.", toolboxes=[box])


def host(store: str) -> Host:
    """A host over *store*."""
    return Host(assistant(), store=store, callers=callers, model="scripted:bench", models=[ScriptedModel(())])


def _tool() -> Callable[..., Awaitable[Result[None]]]:
    async def tool(id: str, amount: float | None = None) -> Result[None]:  # noqa: A002  # an argument's name
        """Use when: it is measured. Not for: anything else. Needs: a record. Effect: none."""
        del amount
        return Result(f"Done with {id}.")

    return tool


async def listed_and_checked(opened: Host, session: Session, rounds: int) -> float:
    """Microseconds of processor time for a varying list and one call's way to the end of meaning."""
    boundary = (await opened.engine()).boundary
    place = Place(ADA.tenant, ADA.user, session.id, can_park=False)

    async def pair() -> None:
        await boundary.gate.open_now(ADA, place)
        attempt = Attempt("c", "tool01", '{"id":"x"}', ADA, place, is_typed=True)
        caller = await boundary._rights_now(attempt)  # noqa: SLF001  # the steps themselves are measured
        contract = resolve(boundary.assistant, attempt.tool, caller, boundary.surroundings)
        arguments = boundary._validated(attempt, contract)  # noqa: SLF001
        async with boundary.calls.bound(attempt, contract, caller) as call:
            ready = Ready(attempt, contract, caller, arguments, call, jsontext.digest(arguments.canonical), 0.0)
            await boundary._checked(ready, _Trail())  # noqa: SLF001

    return await _spent(pair, rounds)


async def listed_and_called(opened: Host, session: Session, rounds: int) -> float:
    """Microseconds of processor time for a varying list and a whole call, its event stored."""

    async def pair() -> None:
        await opened.workflows.offered(ADA, session.id)
        await opened.call(ADA, "tool01", {"id": "x"}, session=session.id)

    return await _spent(pair, rounds)


async def fired(opened: Host, rounds: int, *, tasks: int) -> float:
    """Microseconds of processor time for a firing call, with claim and settlement, each task in a session of its own."""
    boundary = (await opened.engine()).boundary
    sessions = [await opened.sessions.create(ADA) for _ in range(tasks)]

    async def fire(session: Session, number: int) -> None:
        place = Place(ADA.tenant, ADA.user, session.id, can_park=False)
        tool = f"tool{number % STATES * 10:02d}"
        passed = await boundary.pass_through(Attempt(f"{session.id} {number}", tool, '{"id":"x"}', ADA, place, is_typed=True))
        if not isinstance(passed, Ended) or passed.outcome.code is not None:
            raise AssertionError(passed)

    async def work(session: Session, first: int, calls: int) -> None:
        for number in range(first, first + calls):
            await fire(session, number)

    async def all_of(first: int, calls: int) -> None:
        async with anyio.create_task_group() as group:
            for session in sessions:
                group.start_soon(work, session, first, calls)

    await all_of(0, STATES)
    spent = time.process_time()
    await all_of(STATES, rounds)
    return (time.process_time() - spent) / (rounds * tasks) * 1e6


async def _spent(pair: Callable[[], Awaitable[Any]], rounds: int) -> float:
    for _ in range(rounds // 10):
        await pair()
    spent = time.process_time()
    for _ in range(rounds):
        await pair()
    return (time.process_time() - spent) / rounds * 1e6
