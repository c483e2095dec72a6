"""Where a caller's workflows stand, as the commands show it: by the session whose own they are, or by a handle.

Below is the host, which knows who may see what; above, `workflow show` and `workflow draw`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handgriff.cli.faults import WrongUse
from handgriff.cli.opening import Stage
from handgriff.core.contract import Contract
from handgriff.core.jsontext import Json
from handgriff.core.machine.machine import Machine
from handgriff.core.machine.node import Definition
from handgriff.core.rows import Workflow
from handgriff.errors import Refusal


@dataclass(frozen=True, slots=True)
class Instance:
    """Where one machine stands for whoever asks."""

    machine: Machine
    handle: str | None
    state: str | None
    """None where only a call's arguments say it."""
    row: Workflow | None
    tools: tuple[tuple[Contract, str], ...]
    """What is bound to it and offered to the caller, each with whether it is open."""


async def instances(stage: Stage, session: str | None, handle: str | None) -> list[Instance]:
    """Where the machines stand that *session* or *handle* decide.

    Raises:
        WrongUse: neither is given.
        Refusal: `not_found`.
    """
    if session is None and handle is None:
        raise WrongUse("Say whose: --session ID, or --handle HANDLE.")
    offered = await stage.host.menu(stage.caller)
    found = [] if session is None else await _of_session(stage, session, offered)
    return found if handle is None else [*(each for each in found if each.state is not None), await _of_handle(stage, handle, offered)]


async def _of_session(stage: Stage, session: str, offered: Sequence[Contract]) -> list[Instance]:
    workflows, machines = stage.host.workflows, stage.host.assistant.machines.values()
    states = await workflows.states(stage.caller, session)
    is_open = {each.contract.name for each in await workflows.offered(stage.caller, session)}
    rows = {row.machine: row for row in await workflows.list(stage.caller.tenant, session=session)}
    return [
        Instance(machine, None, states.get(machine.id), rows.get(machine.id), _tools(machine, offered, is_open, states))
        for machine in machines
    ]


async def _of_handle(stage: Stage, handle: str, offered: Sequence[Contract]) -> Instance:
    for machine in stage.host.assistant.machines.values():
        if machine.has_handle:
            try:
                found = await stage.host.workflows.get(stage.caller, machine.id, handle)
            except Refusal as refusal:
                if refusal.code != "not_found":
                    raise
                continue
            return Instance(machine, handle, found.state, found.row, _tools(machine, offered, set(found.open), {machine.id: found.state}))
    raise Refusal("not_found", "There is no such workflow.")


def _tools(machine: Machine, offered: Sequence[Contract], is_open: set[str], states: Mapping[str, str]) -> tuple[tuple[Contract, str], ...]:
    def now(tool: Contract) -> str:
        if tool.name not in is_open:
            return "closed"
        return "open" if all(each.id in states for each in tool.machines) else "decided at the call"

    return tuple((tool, now(tool)) for tool in offered if machine in tool.machines)


def active_in(definition: Definition, state: str | None) -> frozenset[str]:
    """Ids of the states that are active where its words are *state*."""
    paths = (state or "").split(", ")
    active: set[str] = set()
    for node in definition.places:
        if node.path in paths and node.path:
            active |= {each.id for each in definition.places if each.place <= node.place <= each.last}
    return frozenset(active)


def holder(row: Workflow | None) -> str:
    """The call that holds an instance, by its effect's tool and key."""
    return "" if row is None or row.claim is None else f"{row.tool} {row.key}"


def event_of(tool: Contract, machine: Machine) -> str:
    """What a success of *tool* sends to *machine*."""
    return tool.fires.event if tool.fires is not None and tool.fires.machine is machine else ""


def instance_record(found: Instance) -> dict[str, Json]:
    """An instance as JSON."""
    row = found.row
    claim: Json = None if row is None or row.claim is None else {"tool": row.tool, "key": row.key}
    tools: Json = [{"name": tool.name, "now": now, "fires": event_of(tool, found.machine) or None} for tool, now in found.tools]
    return {"machine": found.machine.id, "handle": found.handle, "state": found.state, "claim": claim, "tools": tools}
