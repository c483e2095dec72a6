"""Where a caller's workflows stand, as the commands show it: by the session whose own they are, or by a handle.

Below is the host, which knows who may see what; above, `workflow show` and `workflow draw`.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from handgriff.cli.faults import WrongUse
from handgriff.cli.opening import Stage
from handgriff.core.contract import Contract
from handgriff.core.machine.machine import Machine
from handgriff.core.rows import Effect, Workflow
from handgriff.core.standing import Standing
from handgriff.core.workflow import words_of
from handgriff.errors import Refusal
from handgriff.host.host import CALLS_ALIAS


@dataclass(frozen=True, slots=True)
class Held:
    """The call that holds an instance."""

    row: Workflow
    effect: Effect | None
    """Its record; None where there is none, not yet or not any more."""
    is_running: bool
    """Whether somebody may still be running it; otherwise nobody knows what became of it."""


@dataclass(frozen=True, slots=True)
class Instance:
    """Where one machine stands for whoever asks."""

    machine: Machine
    handle: str | None
    state: str | None
    """None where only a call's arguments say it."""
    active: frozenset[str]
    """Ids of the active states."""
    row: Workflow | None
    held: Held | None
    tools: tuple[tuple[Contract, str], ...]
    """What is bound to it and offered to the caller, each with whether it is open."""

    @property
    def stale(self) -> Workflow | None:
        """What is stored of it where its machine has changed since, and nothing says how to go on."""
        row, machine = self.row, self.machine
        return None if row is None or row.hash in (machine.hash, *machine.migrations) else row


async def instances(stage: Stage, session: str | None, handle: str | None) -> list[Instance]:
    """Where the machines stand that *session* or *handle* decide; without either, those of the session of this caller's calls, and those
    that this caller has a handle of.

    Raises:
        WrongUse: neither is given, and there are none.
        Refusal: `not_found`.
    """
    offered = await stage.host.menu(stage.caller)
    if session is None and handle is None:
        return await _own(stage, offered)
    found = [] if session is None else await _of_session(stage, session, offered)
    return found if handle is None else [*(each for each in found if each.state is not None), await _of_handle(stage, handle, offered)]


async def _own(stage: Stage, offered: Sequence[Contract]) -> list[Instance]:
    engine, caller = await stage.host.engine(), stage.caller
    calls = await engine.store.session_by_alias(caller.tenant, caller.user, CALLS_ALIAS)
    found = [] if calls is None else [each for each in await _of_session(stage, calls.id, offered) if each.state is not None]
    machines = {machine for tool in offered for machine in (*tool.machines, *((tool.starts,) if tool.starts else ())) if machine.has_handle}
    for row in await stage.host.workflows.list(caller.tenant):
        mine = row.user in (None, caller.user) and not row.is_expired(engine.clock.now())
        if mine and any(row.machine in machine.ids for machine in machines):
            found.append(await _of_handle(stage, row.handle, offered))
    if not found:
        raise WrongUse(
            "Say whose: --session ID, or --handle HANDLE. Without either, the session of this caller's calls and all they have a handle of "
            "are shown, and there are none."
        )
    return found


async def _of_session(stage: Stage, session: str, offered: Sequence[Contract]) -> list[Instance]:
    workflows, machines = stage.host.workflows, stage.host.assistant.machines.values()
    known = await workflows.standings(stage.caller, session)
    is_open = {each.contract.name for each in await workflows.offered(stage.caller, session)}
    rows = {row.machine: row for row in await (await stage.host.engine()).workflows.own_rows(stage.caller.tenant, session)}
    found = []
    for machine in machines:
        row = next((rows[each] for each in machine.ids if each in rows), None)
        found.append(await _instance(stage, machine, None, known.get(machine.id), row, _tools(machine, offered, is_open, known)))
    return found


async def _of_handle(stage: Stage, handle: str, offered: Sequence[Contract]) -> Instance:
    for machine in stage.host.assistant.machines.values():
        if machine.has_handle:
            try:
                found = await stage.host.workflows.get(stage.caller, machine.id, handle)
            except Refusal as refusal:
                if refusal.code == "not_found":
                    continue
                row = await _stored(stage, machine, handle) if refusal.code == "closed" else None
                if row is None:
                    raise
                return await _instance(stage, machine, handle, None, row, _tools(machine, offered, (), {machine.id: None}))
            standing = Standing(machine, found.active, found.state)
            tools = _tools(machine, offered, set(found.open), {machine.id: standing})
            return await _instance(stage, machine, handle, standing, found.row, tools)
    raise Refusal("not_found", "There is no such workflow.")


async def _stored(stage: Stage, machine: Machine, handle: str) -> Workflow | None:
    """What the store has of an instance that this caller was told can't go on."""
    store = (await stage.host.engine()).store
    for name in machine.ids:
        row = await store.workflow(stage.caller.tenant, name, handle)
        if row is not None:
            return row
    return None


async def _instance(
    stage: Stage,
    machine: Machine,
    handle: str | None,
    standing: Standing | None,
    row: Workflow | None,
    tools: tuple[tuple[Contract, str], ...],
) -> Instance:
    held = None if row is None or row.claim is None else await _held(stage, row)
    if held is not None:
        word = "held" if held.is_running else "uncertain"
        tools = tuple((tool, word if now == "open" and event_of(tool, machine) else now) for tool, now in tools)
    active = frozenset[str]() if standing is None else standing.active
    found = Instance(machine, handle, None if standing is None else standing.words, active, row, held, tools)
    if found.stale is None:
        return found
    return Instance(machine, handle, words_of(found.stale.snapshot), frozenset(), row, held, tools)


async def _held(stage: Stage, row: Workflow) -> Held:
    engine = await stage.host.engine()
    effect = await engine.store.effect(stage.caller.tenant, row.tool, row.key) if row.tool and row.key else None
    if effect is None or effect.claim != row.claim:
        return Held(row, None, is_running=True)
    return Held(row, effect, is_running=effect.state == "running" and not effect.is_abandoned(engine.clock.now()))


def _tools(
    machine: Machine, offered: Sequence[Contract], is_open: Container[str], known: Mapping[str, object]
) -> tuple[tuple[Contract, str], ...]:
    def now(tool: Contract) -> str:
        if tool.name not in is_open:
            return "closed"
        return "open" if all(each.id in known for each in tool.machines) else "decided at the call"

    return tuple((tool, now(tool)) for tool in offered if machine in tool.machines)


def event_of(tool: Contract, machine: Machine) -> str:
    """What a success of *tool* sends to *machine*."""
    return tool.fires.event if tool.fires is not None and tool.fires.machine is machine else ""
