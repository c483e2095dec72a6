"""Step 4: the workflow states, with the validated arguments and the handle. Asked at every call, and again when a person has confirmed.

What it lets pass is a `Passage`, which is claimed and settled with the effect; what it does not is told where the machine is, what is open
there, and the way to what was wanted. The lists ask the same predicate.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from handgriff.core.caller import Caller
from handgriff.core.claim import unknown
from handgriff.core.contract import Contract
from handgriff.core.events import Moved
from handgriff.core.gating import Standings, is_at
from handgriff.core.jsontext import Json
from handgriff.core.machine.interpret import can, caught_up, next_step
from handgriff.core.machine.machine import Machine
from handgriff.core.machine.select import could
from handgriff.core.outcome import told
from handgriff.core.rows import Effect
from handgriff.core.standing import Standing, stands
from handgriff.core.ways import path_to
from handgriff.core.workflow import NOTHING, Beginning, Instance, Moving, Passage, begins, event_of, moved_fact, told_moved
from handgriff.errors import Refusal
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.boundary.attempt import Place
from handgriff.runtime.boundary.effect import Effects, Ran
from handgriff.runtime.boundary.lists import Lists
from handgriff.runtime.boundary.positions import Positions, nowhere
from handgriff.runtime.boundary.ready import Ready
from handgriff.runtime.boundary.truth import Truths

_TRIES: Final = 3
"""An instance that is let go while it is looked at is looked at once more."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The gate of one host."""

    assistant: Assistant
    lists: Lists
    positions: Positions
    effects: Effects
    truths: Truths

    async def check(self, ready: Ready) -> Passage:
        """Let a call pass whose bindings hold.

        Raises:
            Refusal: `closed`; `not_found` for a handle that is nobody's; `conflict` or `indeterminate` where another call holds it.
            DefinitionError: a guard, an action or `state_of` answered what it may not.
            BackendError: an instance can't be read just now.
        """
        contract = ready.contract
        if not contract.is_bound:
            if self.assistant.unbound == "closed":
                raise await self._closed(ready, None, {}, f"{contract.name} belongs to no workflow, and only what does may be called here.")
            return NOTHING
        seen: dict[Machine, Instance] = {}
        standings: dict[Machine, Standing | None] = {}
        for machine in contract.machines:
            if machine.is_kept:
                seen[machine] = await self._instance(machine, ready)
                standings[machine] = seen[machine].standing
        # All that is kept is known first, so that the way leads through all of it. The application is asked nothing about a call that is
        # closed already.
        for machine in contract.machines:
            standing = seen[machine].standing if machine.is_kept else await self.positions.derived(machine, ready)
            standings[machine] = standing
            if not all(is_at(at, standing) for at in contract.at if at.machine is machine):
                raise await self._closed(ready, standing, standings)
        moving = None if contract.fires is None else await self._moving(ready, seen, standings)
        beginning = None if contract.starts is None else self._beginning(contract.starts)
        return Passage(tuple(seen.values()), moving, beginning, await self._beside(ready, standings))

    async def told(self, ready: Ready, ran: Ran, inside: Sequence[Moved] = ()) -> Ran:
        """*ran* with what its success moves or begins: the state, the handle, and what of that workflow is open then; and with what calls
        *inside* it have moved, because their results are the handler's alone."""
        if inside:
            facts: list[Json] = [moved_fact(self.assistant.machines.get(each.machine), each) for each in inside]
            ran = replace(ran, outcome=told(ran.outcome, "workflows", facts))
        if ran.state != "done" or ran.outcome.vetoed or not ready.contract.moves:
            return ran
        moved, after = self._after(ready)
        names = self.lists.open_of(ready.caller, after, ready.passage.beside)
        return replace(ran, outcome=told_moved(ran.outcome, after.machine, moved, names))

    async def open_now(self, caller: Caller, place: Place) -> tuple[tuple[Contract, ...], Standings]:
        """The varying list: what *caller* may use and what is callable now, by name, and where the machines stand.

        Raises:
            Refusal: `not_found`; there is no such session.
            BackendError: an instance can't be read just now.
        """
        known = await self.positions.without_arguments(caller, place)
        return self.lists.open(caller, known), known

    def _after(self, ready: Ready) -> tuple[Moved, Standing]:
        """What a success has moved or begun, and where it then stands."""
        passage = ready.passage
        follows = passage.moving or passage.beginning
        if follows is None:
            raise AssertionError("only asked of a tool that moves or begins something")
        return follows.moved, follows.standing

    async def _beside(self, ready: Ready, known: Standings) -> Standings:
        """Where the machines stand that decide, with the one that moves or begins, what is open then.

        They are looked at before the handler runs: behind it a transaction of the application's may be open, in which a question that
        fails would undo what was done.
        """
        machine = ready.contract.starts if ready.contract.fires is None else ready.contract.fires.machine
        others = frozenset[Machine]() if machine is None else self.lists.beside(machine)
        found = {other: known[other] for other in others if other in known}
        unknown_yet = others - found.keys()
        if not unknown_yet:
            return found
        return {**found, **await self.positions.without_arguments(ready.caller, ready.attempt.place, ready.call, of=unknown_yet)}

    async def _instance(self, machine: Machine, ready: Ready) -> Instance:
        try:
            return await self.positions.instance(machine, ready)
        except Refusal as refusal:
            if refusal.code != "closed":
                raise
            # It can't go on; what is bound to others, or to nothing, still can.
            known = {**await self.positions.without_arguments(ready.caller, ready.attempt.place, ready.call), machine: nowhere(machine)}
            facts = {**refusal.facts, "allowed": [each.name for each in self.lists.open(ready.caller, known)]}
            raise Refusal(refusal.code, refusal.message, next=refusal.next, **facts) from refusal

    async def _closed(self, ready: Ready, standing: Standing | None, standings: Standings, why: str = "") -> Refusal:
        """The refusal of a call that a machine does not let pass."""
        contract, offered = ready.contract, self.lists.offered(ready.caller)
        known = {**await self.positions.without_arguments(ready.caller, ready.attempt.place, ready.call), **standings}
        allowed = [each.name for each in self.lists.open(ready.caller, known)]
        way = path_to(contract, known, offered)
        if standing is None:
            return Refusal("closed", why, allowed=allowed)
        machine, state = standing.machine, standing.words
        step = f"First call {way[0]}." if len(way) > 1 else "Use what is open now, or tell the user why this can't be done yet."
        message = why or f"{contract.name} is not open while the {machine.id} is in {state!r}."
        return Refusal("closed", message, next=step, machine=machine.id, state=state, allowed=allowed, path=list(way) or None)

    def _beginning(self, machine: Machine) -> Beginning:
        """What a success begins. Like what it moves, it is computed before the handler runs, and never again behind it.

        Raises:
            DefinitionError: a guard or an action is wrong, or it doesn't come to rest.
        """
        first = begins(machine, self.effects.clock.now())
        text, standing = first.to_json(), stands(machine, first)
        self.positions.workflows.remember(text, standing)
        return Beginning(machine, self.effects.ids.new("handle"), text, standing)

    async def _moving(self, ready: Ready, seen: dict[Machine, Instance], standings: Standings) -> Moving:
        fires = ready.contract.fires
        if fires is None:
            raise AssertionError("only asked of a tool that fires")
        machine, event = fires.machine, event_of(fires.event, ready.arguments.canonical)
        instance = seen[machine] = await self._free(seen[machine], ready)
        standing = instance.standing
        is_there = all(is_at(at, standing) for at in ready.contract.at if at.machine is machine)
        if not is_there or not can(machine.definition, instance.snapshot, event):
            # Arguments matter to guards alone.
            guarded = is_there and could(machine.definition, instance.snapshot, fires.event)
            why = f"{ready.contract.name} is not open with these arguments while the {machine.id} is in {standing.words!r}."
            raise await self._closed(ready, standing, {**standings, machine: standing}, why if guarded else "")
        now = self.effects.clock.now()
        follows = next_step(machine.definition, instance.snapshot, event, now).snapshot
        # A delay of nothing is over at once: nobody will ever find the instance before it.
        follows = caught_up(machine.definition, follows, now).snapshot
        text, after = follows.to_json(), stands(machine, follows)
        self.positions.workflows.remember(text, after)
        return Moving(instance, fires.event, text, after)

    async def _free(self, instance: Instance, ready: Ready) -> Instance:
        """*instance*, once no call holds it.

        Raises:
            Refusal: `conflict` while one runs; `indeterminate` where nobody knows how it ended.
        """
        workflows = self.positions.workflows
        for _ in range(_TRIES):
            if instance.row.claim is None:
                return instance
            record = await workflows.holder(instance, ready.attempt.place.tenant)
            # Without one it was let go since it was looked at, or its claim comes before its record.
            if record is not None and not await self._is_over(record):
                raise self._held(instance.machine, record)
            instance = await self._instance(instance.machine, ready)
        raise Refusal("conflict", "Other calls move this workflow just now.", retry_after=1)

    async def _is_over(self, record: Effect) -> bool:
        """Whether the call that held an instance has ended since it was looked at, or how it has could be found out."""
        if record.state in ("done", "failed"):
            return True
        return not self.effects.is_running(record) and await self.truths.settle_late(record)

    def _held(self, machine: Machine, record: Effect) -> Refusal:
        if self.effects.is_running(record):
            # Its lease says when it has ended at the latest, as for a repeated wish.
            seconds = max(1, int((record.lease_until - self.effects.clock.now()).total_seconds()))
            return Refusal("conflict", f"Another call moves this {machine.id} just now.", next="Wait for its outcome.", retry_after=seconds)
        refusal = unknown()
        return Refusal(refusal.code, f"An earlier call has left this {machine.id} uncertain: {refusal.message}", next=refusal.next)
