"""What a host is put together from, checked while it is built, and the runtime that is opened from it.

Below are adapters, ports and the runtime; above, the host, which keeps what was opened. It refuses to know: turns and callers.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from handgriff.core.lane import Lane
from handgriff.core.requirement import Configured, Surroundings
from handgriff.errors import DefinitionError
from handgriff.host.adapters import Migrated, lanes_of, migrate_store, models_of, no_deps, open_scratch, open_store, prices_of
from handgriff.ports.callers import Callers, Deps
from handgriff.ports.clock import Clock
from handgriff.ports.codes import CodeSender
from handgriff.ports.ids import Ids
from handgriff.ports.model import Model
from handgriff.ports.prices import PriceBook
from handgriff.ports.scratch import Scratch
from handgriff.ports.snapshots import SnapshotStore
from handgriff.ports.store import Store
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.boundary.calls import Calls
from handgriff.runtime.boundary.codes import Codes
from handgriff.runtime.boundary.effect import Effects
from handgriff.runtime.boundary.elsewhere import Elsewhere
from handgriff.runtime.boundary.entitled import SecondPerson
from handgriff.runtime.boundary.gate import Gate
from handgriff.runtime.boundary.hooks import Outbox
from handgriff.runtime.boundary.invoke import is_async
from handgriff.runtime.boundary.lists import Lists
from handgriff.runtime.boundary.pipeline import Boundary
from handgriff.runtime.boundary.positions import Positions
from handgriff.runtime.boundary.settle import Settlements
from handgriff.runtime.boundary.truth import Truths
from handgriff.runtime.boundary.workflows import Workflows
from handgriff.runtime.engine import Engine
from handgriff.runtime.notebooks import Notebooks
from handgriff.stores.snapshots import MemorySnapshots


@dataclass(frozen=True, slots=True)
class Assembly:
    """The parts of one host, each a name or the thing itself."""

    assistant: Assistant
    store: str | Store
    scratch: str | Scratch | None
    callers: Callers
    deps: Deps
    lanes: dict[str, Lane]
    models: Sequence[Model]
    prices: PriceBook | None
    codes: CodeSender | None
    snapshots: SnapshotStore | None
    grace: float
    clock: Clock
    ids: Ids

    async def open(self) -> Engine:
        """The runtime, from adapters that are opened now where they were named.

        Raises:
            DefinitionError: a name is unknown, a key missing, or the store can't hold a tool's transaction.
            BackendError: the store cannot be opened.
        """
        # Models first: a missing key is found before a file is opened.
        models, prices = models_of(self.lanes, self.models), prices_of(self.lanes, self.prices)
        limits = self.assistant.limits
        scratch = await open_scratch(self.scratch) if isinstance(self.scratch, str) else self.scratch
        store = await open_store(self.store) if isinstance(self.store, str) else self.store
        notebooks = Notebooks(store, scratch, self.clock, limits.state)
        return Engine(
            assistant=self.assistant,
            store=store,
            boundary=self._boundary(store, notebooks),
            lanes=self.lanes,
            models=models,
            prices=prices,
            clock=self.clock,
            ids=self.ids,
            holder=self.ids.new("claim"),
            grace=self.grace,
            outbox=Outbox(store, self.assistant, self.clock, limits.call_seconds, notebooks),
            notebooks=notebooks,
        )

    async def close(self, engine: Engine) -> None:
        """Close what `open` has opened of *engine*. What was handed in is left open."""
        given = {id(model) for model in self.models}
        for model in engine.models.values():
            if id(model) not in given:
                await model.close()
        if isinstance(self.scratch, str) and engine.notebooks.external is not None:
            await engine.notebooks.external.close()
        if isinstance(self.store, str):
            await engine.store.close()

    async def migrate(self) -> Migrated:
        """Bring the store to the newest schema; nothing else is opened.

        Raises:
            DefinitionError: the store was given as an object; whoever made it migrates it.
            BackendError: it has a newer schema already, or can't be reached.
        """
        if isinstance(self.store, str):
            return await migrate_store(self.store)
        raise DefinitionError("Host", "store", "it was given as an object.", mend="migrate it where it is made, or give its name.")

    def _boundary(self, store: Store, notebooks: Notebooks) -> Boundary:
        assistant, limits, surroundings = self.assistant, self.assistant.limits, _surroundings(self.assistant)
        elsewhere = None if self.snapshots is None else Elsewhere(self.snapshots, store, self.clock)
        here = Elsewhere(MemorySnapshots(), store, self.clock)
        workflows = Workflows(store, self.clock, tuple(assistant.machines.values()), here, elsewhere)
        effects = Effects(store, self.clock, self.ids, limits, workflows)
        calls = Calls(assistant, store, self.clock, self.deps, notebooks, limits.state)
        truths, lists = Truths(calls, self.callers, effects), Lists(assistant, surroundings)
        return Boundary(
            assistant=assistant,
            store=store,
            callers=self.callers,
            surroundings=surroundings,
            calls=calls,
            effects=effects,
            settlements=Settlements(effects, notebooks),
            truths=truths,
            gate=Gate(assistant, lists, Positions(assistant, lists, workflows, effects, calls), effects, truths),
            second_person=SecondPerson(calls, self.callers, surroundings, effects),
            codes=Codes(store, self.clock, self.codes),
        )


def assembled(
    assistant: Assistant,
    *,
    store: str | Store,
    scratch: str | Scratch | None,
    callers: Callers,
    deps: Deps | None,
    model: str | None,
    models: Sequence[Model],
    prices: PriceBook | None,
    codes: CodeSender | None,
    snapshots: SnapshotStore | None,
    grace: float,
    clock: Clock,
    ids: Ids,
) -> Assembly:
    """The parts as they were given to a host, checked.

    Raises:
        DefinitionError: something is missing, or is not what it should be.
    """
    _check_application(assistant, callers, deps)
    _check_kept("store", store, "commit")
    if scratch is not None:
        _check_kept("scratch", scratch, "record")
    lanes = lanes_of(assistant.lanes, model)
    _check_codes(assistant, codes)
    if snapshots is not None and not is_async(getattr(snapshots, "compare_and_set", None)):
        problem = f"{type(snapshots).__name__} has no async compare_and_set."
        raise DefinitionError("Host", "snapshots", problem, mend="give a SnapshotStore, see handgriff.ports.snapshots.")
    return Assembly(assistant, store, scratch, callers, deps or no_deps, lanes, models, prices, codes, snapshots, grace, clock, ids)


def _check_application(assistant: Assistant, callers: Callers, deps: Deps | None) -> None:
    if not isinstance(assistant, Assistant):
        raise DefinitionError("Host", "assistant", f"it is {type(assistant).__name__}.", mend="give the Assistant itself.")
    if not is_async(callers):
        raise DefinitionError(
            "Host", "callers", "it is no async function.", mend="write 'async def callers(tenant, user): …', answering a Caller or None."
        )
    if deps is not None and not callable(deps):
        raise DefinitionError(
            "Host", "deps", "it is not callable.", mend="give an async context manager function (caller) -> your objects."
        )


def _check_kept(member: str, given: object, does: str) -> None:
    if not (isinstance(given, str) or hasattr(given, does)):
        raise DefinitionError("Host", member, f"it is {type(given).__name__}.", mend=f"give the name of a {member}, or one itself.")


def _check_codes(assistant: Assistant, codes: CodeSender | None) -> None:
    if codes is not None and not is_async(getattr(codes, "send", None)):
        raise DefinitionError("Host", "codes", f"{type(codes).__name__} has no async send.", mend="give a CodeSender.")
    for contract in assistant.contracts.values():
        if contract.confirm == "code" and codes is None:
            raise DefinitionError(
                "Host", "codes", f"{contract.name} asks for a code and nothing sends one.", mend="give a CodeSender, see handgriff.codes."
            )


def _surroundings(assistant: Assistant) -> Surroundings:
    requires = [contract.requires for contract in assistant.contracts.values()] + [tool.requires for tool in assistant.hosted]
    wanted = {requirement.variable for group in requires for requirement in group if isinstance(requirement, Configured)}
    return Surroundings(frozenset(variable for variable in wanted if os.environ.get(variable)))
