"""Where machines stand: for a call, with its arguments, and for a list, as far as can be said without any.

Below are the kept instances and, of derived machines, the application; above, the gate. It refuses nothing by a state, but a handle that is
nobody's.
"""

from collections.abc import AsyncIterator, Container, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from handgriff.core import jsontext
from handgriff.core.caller import Caller, is_id
from handgriff.core.contract import Contract
from handgriff.core.machine.machine import Machine
from handgriff.core.standing import Standing, derived
from handgriff.core.view import view
from handgriff.core.workflow import Instance
from handgriff.errors import BackendError, DefinitionError, Refusal
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.boundary.attempt import Attempt, Place
from handgriff.runtime.boundary.bound import BoundCall
from handgriff.runtime.boundary.calls import Calls
from handgriff.runtime.boundary.effect import Effects
from handgriff.runtime.boundary.invoke import explain, invoke_within
from handgriff.runtime.boundary.lists import Lists, needs_no_arguments
from handgriff.runtime.boundary.ready import Ready
from handgriff.runtime.boundary.workflows import Workflows


@dataclass(frozen=True, slots=True)
class Positions:
    """Finds out for one host."""

    assistant: Assistant
    lists: Lists
    workflows: Workflows
    effects: Effects
    calls: Calls

    async def instance(self, machine: Machine, ready: Ready) -> Instance:
        """The kept instance that a call is about.

        Raises:
            Refusal: `not_found`, one answer for unknown, expired and foreign handles; `closed` where it can't go on.
        """
        return await (self._named(machine, ready) if machine.has_handle else self._own(machine, ready.attempt.place))

    async def derived(self, machine: Machine, ready: Ready) -> Standing:
        """Where the application says that a derived machine is, by this call's arguments.

        Raises:
            Refusal: `not_found` where there is nothing to be in a state; what the application itself refuses.
            DefinitionError: the answer is no state.
        """
        arguments = (view(ready.contract.schema, ready.arguments),) if machine.reads_arguments else ()
        standing = await self._asked(machine, ready.contract, (*arguments, ready.call))
        if standing is None:
            raise Refusal("not_found", f"There is no such {machine.id}.", next="Check the arguments; look it up first if you can.")
        return standing

    async def without_arguments(
        self, caller: Caller, place: Place, call: BoundCall | None = None, *, of: Container[Machine] | None = None
    ) -> dict[Machine, Standing | None]:
        """Where every machine, or each of those, stands that needs no arguments to say it; one that can't go on is nowhere, so that nothing
        is open there.

        Raises:
            Refusal: `not_found`; there is no such session.
            BackendError: an instance can't be read just now.
        """
        found: dict[Machine, Standing | None] = {}
        asked: list[Machine] = []
        for machine in self.assistant.machines.values():
            if not needs_no_arguments(machine) or (of is not None and machine not in of):
                continue
            if machine.is_kept:
                found[machine] = await self._own_standing(machine, place)
            else:
                asked.append(machine)
        return {**found, **await self._derived_alone(asked, caller, place, call)} if asked else found

    async def _own(self, machine: Machine, place: Place) -> Instance:
        return await self.workflows.own(machine, place.tenant, place.session, place.user)

    async def _own_standing(self, machine: Machine, place: Place) -> Standing | None:
        try:
            return (await self._own(machine, place)).standing
        except Refusal as refusal:
            if refusal.code != "closed":
                raise
            return nowhere(machine)
        except DefinitionError as error:
            self.effects.incident(error, machine.id, place.session)
            return nowhere(machine)

    async def _named(self, machine: Machine, ready: Ready) -> Instance:
        handle = _handle(ready.arguments.canonical, machine.handle)
        fires, caller = ready.contract.fires, ready.caller
        moves = fires is not None and fires.machine is machine
        found = await self.workflows.named(machine, caller.tenant, handle, caller.user, moves=moves) if is_id(handle) else None
        if found is not None:
            return found
        starts = [each.name for each in self.lists.offered(ready.caller) if each.starts is machine]
        how = f"Begin one with {' or '.join(starts)}, or use the handle it answered." if starts else "Ask whoever began it for its handle."
        raise Refusal("not_found", f"There is no such {machine.handle}.", next=how, provides=starts or None)

    async def _derived_alone(
        self, asked: Sequence[Machine], caller: Caller, place: Place, call: BoundCall | None
    ) -> dict[Machine, Standing]:
        """Where the application says that those of *asked* are."""
        nowhere_at_all = {machine: nowhere(machine) for machine in asked}
        contract = self._bound_to(asked[0])
        try:
            async with self._opened(caller, place, call, contract) as opened:
                return {machine: await self._asked_alone(machine, opened) for machine in asked}
        except Refusal:
            return nowhere_at_all
        except Exception as error:  # noqa: BLE001  # the application's own objects may fail to open or close, and no list may fail over it
            self.effects.incident(error, contract.name, place.session)
            return nowhere_at_all

    async def _asked_alone(self, machine: Machine, call: BoundCall) -> Standing:
        """What a list may count on: where it can't be said, nothing is open."""
        contract = self._bound_to(machine)
        try:
            return await self._asked(machine, contract, (call,)) or nowhere(machine)
        except Refusal:
            return nowhere(machine)
        except Exception as error:  # noqa: BLE001  # the application's own code may raise anything, and a list must not fail over it
            self.effects.incident(error, contract.name, call.id)
            return nowhere(machine)

    async def _asked(self, machine: Machine, contract: Contract, arguments: tuple[object, ...]) -> Standing | None:
        if machine.state_of is None:
            raise AssertionError("only a derived machine is asked for")
        try:
            answer: object = await invoke_within(self.effects.seconds(contract), machine.state_of, *arguments)
        except Exception as error:
            explained = explain(error, contract)
            if isinstance(explained, Refusal):
                raise explained from error
            raise
        return None if answer is None else derived(machine, answer)

    def _bound_to(self, machine: Machine) -> Contract:
        return next(contract for contract in self.assistant.contracts.values() if machine in contract.machines)

    @asynccontextmanager
    async def _opened(self, caller: Caller, place: Place, call: BoundCall | None, contract: Contract) -> AsyncIterator[BoundCall]:
        """A call to ask with: the one there is, or one that is opened for the list alone."""
        if call is not None:
            yield call
            return
        attempt = Attempt(self.effects.ids.new("call"), contract.name, {}, caller, place)
        async with self.calls.bound(attempt, contract, caller) as opened:
            yield opened
            return
        raise BackendError("deps", "closing", hint="They swallowed an exception.") from RuntimeError(contract.name)


def nowhere(machine: Machine) -> Standing:
    """Where an instance stands that can't go on: at no state, so nothing that is bound to one is open."""
    return Standing(machine, frozenset(), "unknown")


def _handle(canonical: str, name: str) -> str:
    arguments = jsontext.loads(canonical)
    handle = arguments.get(name) if isinstance(arguments, dict) else None
    return handle if isinstance(handle, str) else ""
