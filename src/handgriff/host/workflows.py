"""`host.workflows`: where workflows stand, and the list that varies with them."""

from collections.abc import Sequence
from dataclasses import dataclass

from handgriff.core.caller import Caller, is_id
from handgriff.core.contract import Contract
from handgriff.core.gating import Standings, is_open, shown_as
from handgriff.core.machine.machine import Machine
from handgriff.core.rows import Session, Workflow
from handgriff.core.standing import Standing
from handgriff.errors import Refusal
from handgriff.host.sessions import Opened
from handgriff.runtime.boundary.attempt import Place
from handgriff.runtime.boundary.relocating import move_out
from handgriff.runtime.boundary.resolve import menu, rights_now
from handgriff.runtime.engine import Engine, require


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool of a varying list, with the description it has there."""

    contract: Contract
    description: str


@dataclass(frozen=True, slots=True)
class Found:
    """A kept instance: where it stands, what of its tools is open for whoever asks, and the call that holds it."""

    row: Workflow
    state: str
    open: tuple[str, ...]
    active: frozenset[str]
    """Ids of the active states."""


@dataclass(frozen=True, slots=True)
class Relocated:
    """How many instances were moved out of the store, and those that had to stay: a call holds them, or another one is there already."""

    moved: int
    left: tuple[Workflow, ...]


class HostWorkflows:
    """Look at workflows. Moving one is a tool's, or an operator's who resolves an effect."""

    def __init__(self, host: Opened) -> None:
        self._host = host

    async def offered(self, caller: Caller, session: str) -> tuple[Offered, ...]:
        """The varying list: the tools this caller may use and that are callable now in this session, by name. What only a call's arguments
        can decide is in it always.

        Raises:
            Refusal: `not_found`; there is no such caller or session.
        """
        engine = await self._host.engine()
        today, found = await self._asked_by(engine, caller, session)
        contracts, known = await engine.boundary.gate.open_now(today, _place(found))
        return tuple(Offered(contract, shown_as(contract, known)) for contract in contracts)

    async def states(self, caller: Caller, session: str) -> dict[str, str]:
        """The state of every machine that a session's own instance, or nothing but the caller, decides, by the machine's id; of those alone
        that a tool they may use is bound to or starts.

        Raises:
            Refusal: `not_found`; there is no such caller or session.
        """
        return {machine: standing.words for machine, standing in (await self.standings(caller, session)).items()}

    async def standings(self, caller: Caller, session: str) -> dict[str, Standing]:
        """Where they stand, with the ids of the active states; none are active of one that can't go on.

        Raises:
            Refusal: `not_found`; there is no such caller or session.
        """
        engine = await self._host.engine()
        today, found = await self._asked_by(engine, caller, session)
        gate = engine.boundary.gate
        known = await gate.positions.without_arguments(today, _place(found), of=gate.lists.machines(today))
        return {machine.id: standing for machine, standing in known.items() if standing is not None}

    async def get(self, caller: Caller, machine: str, handle: str) -> Found:
        """The instance of this handle.

        Raises:
            Refusal: `not_found`, one answer for unknown, expired and foreign ones; `closed` where it can't go on.
            DefinitionError: its migration, or a guard on the way to now, raised or answered what it may not.
        """
        engine = await self._host.engine()
        today = await rights_now(engine.boundary.callers, caller)
        of = engine.assistant.machines.get(machine)
        found = (
            await engine.workflows.named(of, caller.tenant, handle, caller.user)
            if of is not None and of.has_handle and is_id(handle)
            else None
        )
        if of is None or found is None:
            raise Refusal("not_found", "There is no such workflow.")
        standing = found.standing
        return Found(found.row, standing.words, _open(engine, today, of, {of: standing}), standing.active)

    async def list(self, tenant: str, *, session: str | None = None) -> Sequence[Workflow]:
        """Kept instances of *tenant*, or those that are one session's own; for operators. Those that never moved have none."""
        engine = await self._host.engine()
        return await engine.store.workflows(tenant, session=session)

    async def move(self, tenant: str) -> Relocated:
        """Move the tenant's kept instances out of the store to this host's `snapshots=`; for operators. No host that keeps them in the
        store may run any more.

        Raises:
            DefinitionError: this host keeps none elsewhere.
            BackendError: one of the two stores failed. What was moved is moved, and the rest can be moved again.
        """
        engine = await self._host.engine()
        return Relocated(*await move_out(engine.workflows, tenant))

    async def _asked_by(self, engine: Engine, caller: Caller, session: str) -> tuple[Caller, Session]:
        found = await require(engine, caller, session)
        return await rights_now(engine.boundary.callers, caller), found


def _place(session: Session) -> Place:
    return Place(session.tenant, session.user, session.id)


def _open(engine: Engine, caller: Caller, machine: Machine, known: Standings) -> tuple[str, ...]:
    offered = menu(engine.assistant, caller, engine.boundary.surroundings)
    return tuple(each.name for each in offered if machine in each.machines and is_open(each, known))
