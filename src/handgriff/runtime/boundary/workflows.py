"""Where kept instances are: in the store, or in a snapshot store of the user's own. They are read, claimed with an effect, and settled.

In the store, claim and settlement are operations of the effect's own batches. Elsewhere they come before the one and behind the other.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from handgriff.core.batch import CheckWorkflow, ClaimWorkflow, Operation, SettleWorkflow, StartWorkflow
from handgriff.core.machine.interpret import caught_up
from handgriff.core.machine.machine import Machine
from handgriff.core.machine.snapshot import Snapshot
from handgriff.core.outcome import Outcome
from handgriff.core.rows import Effect, EffectState, Workflow
from handgriff.core.standing import Standing, stands
from handgriff.core.workflow import PROCESS, Instance, Passage, begun, moved_by_start, started, told_moved, words_of
from handgriff.errors import DefinitionError, Refusal
from handgriff.ports.clock import Clock
from handgriff.ports.snapshots import SnapshotKey
from handgriff.ports.store import CommitRefused, Store
from handgriff.runtime.boundary.beginnings import check_new, left_behind
from handgriff.runtime.boundary.elsewhere import Elsewhere
from handgriff.runtime.boundary.stored import moved_at, snapshot_of

_LOG = logging.getLogger("handgriff.boundary")
_KEPT: Final = 1024
"""Snapshots that are kept parsed, and instances that are kept begun; then all are forgotten. Both are values."""


@dataclass(slots=True)
class Workflows:
    """The kept instances of one host."""

    store: Store
    clock: Clock
    machines: Sequence[Machine]
    process: Elsewhere
    """For machines with `instance="process"`."""
    elsewhere: Elsewhere | None = None
    """For all others, where the user keeps them."""
    _parsed: dict[tuple[Machine, str], tuple[Snapshot, Standing]] = field(default_factory=dict)
    _begun: dict[tuple[Machine, str, str], Instance] = field(default_factory=dict)
    """Instances that had never moved when they were last asked for. Sessions don't change when they were created."""

    async def own(self, machine: Machine, tenant: str, session: str, user: str) -> Instance:
        """The session's own instance, or the process's; where it has never moved, as it began.

        Raises:
            Refusal: `closed`; its snapshot belongs to another machine, or it has begun and is not there. `not_found`; there is no such
                session.
        """
        if machine.instance == "process":
            tenant = handle = PROCESS
        else:
            handle = session
        row = await self._load(machine, tenant, handle)
        if row is None and (machine, tenant, handle) not in self._begun:
            try:
                self._keep_begun(await self._beginning(machine, tenant, handle, user))
            except Refusal:
                # A call that began it just now has left traces too.
                row = await self._load(machine, tenant, handle)
                if row is None:
                    raise
        if row is not None:
            self._begun.pop((machine, tenant, handle), None)
            return self._opened(machine, row)
        kept = self._begun[machine, tenant, handle]
        return replace(self._opened(machine, kept.row), is_stored=False) if machine.definition.delays else kept

    async def _beginning(self, machine: Machine, tenant: str, handle: str, user: str) -> Instance:
        """An instance of a session, or of the process, that has never moved."""
        at, session = self.clock.now(), None
        if machine.instance == "session":
            found = await self.store.session(tenant, handle)
            if found is None:
                raise Refusal("not_found", "There is no such session.")
            rows, events = await self.store.workflows(tenant, session=handle), await self.store.events(tenant, handle)
            check_new(machine, self.machines, rows=rows, events=events)
            # A copy is as old as what it was copied from.
            at, session = events[0].at if events else found.created_at, found.id
        row = begun(machine, tenant=tenant, handle=handle, user=user, session=session, at=at)
        return replace(self._opened(machine, row), is_stored=False)

    def _keep_begun(self, instance: Instance) -> None:
        if len(self._begun) >= _KEPT:
            self._begun.clear()
        self._begun[instance.machine, instance.row.tenant, instance.row.handle] = instance

    async def named(self, machine: Machine, tenant: str, handle: str, user: str, *, moves: bool = False) -> Instance | None:
        """The instance of this handle; None for unknown, expired and foreign ones alike. Whoever *moves* it is told of a claim first.

        Raises:
            Refusal: `closed`; its snapshot belongs to another machine, or is still in the store where this host doesn't keep it.
        """
        row = await self._load(machine, tenant, handle)
        if row is None and self.elsewhere is not None:
            await self._check_left_behind(machine, tenant, handle, user)
        if row is None or row.user not in (None, user) or ((row.claim is None or not moves) and row.is_expired(self.clock.now())):
            return None
        return self._opened(machine, row)

    async def _check_left_behind(self, machine: Machine, tenant: str, handle: str, user: str) -> None:
        for name in machine.ids:
            left = await self.store.workflow(tenant, name, handle)
            if left is not None and left.user in (None, user) and not left.is_expired(self.clock.now()):
                raise left_behind(machine, words_of(left.snapshot), is_in_store=True)

    def check_delays(self, passage: Passage, now: datetime) -> None:
        """See that no delay has gone over since the gate has looked: checks and a plan may take their time.

        Raises:
            Refusal: `conflict`.
        """
        for instance in passage.seen:
            definition = instance.machine.definition
            if definition.delays and caught_up(definition, instance.snapshot, now).changed:
                raise Refusal("conflict", f"The {instance.machine.id} has moved on meanwhile.", next="Look at where it is now.")

    def claiming(self, passage: Passage, effect: Effect) -> tuple[Operation, ...]:
        """What goes into the batch that claims *effect*, of what is in the store."""
        operations: list[Operation] = []
        for instance in passage.seen:
            row = instance.row
            if self._apart(instance.machine) is not None:
                continue
            moving = passage.moving
            if moving is None or moving.instance is not instance:
                operations.append(CheckWorkflow(row.tenant, row.machine, row.handle, row.version))
                continue
            if not instance.is_stored:
                operations.append(StartWorkflow(row))
            claim = (effect.claim, effect.tool, effect.key, moving.text, instance.machine.hash)
            operations.append(ClaimWorkflow(row.tenant, row.machine, row.handle, row.version, *claim))
        return tuple(operations)

    async def claim_apart(self, passage: Passage, effect: Effect) -> None:
        """Claim what is not in the store, before *effect* is claimed; what it would only be checked for there is checked here.

        Raises:
            CommitRefused: `workflow`; it has moved, or somebody else holds it.
            BackendError: the snapshot store failed.
        """
        moving = passage.moving
        for instance in passage.seen:
            apart = self._apart(instance.machine)
            if apart is None or (moving is not None and moving.instance is instance):
                continue
            if not await apart.has(instance.row, is_stored=instance.is_stored):
                raise CommitRefused("workflow", instance.row.handle)
        if moving is not None and (apart := self._apart(moving.instance.machine)) is not None:
            row, made, of = moving.instance.row, moving.text, moving.instance.machine.hash
            if not await apart.claim(row, effect, next_text=made, next_hash=of, is_stored=moving.instance.is_stored):
                raise CommitRefused("workflow", row.handle)
        if passage.beginning is not None and (apart := self._apart(passage.beginning.machine)) is not None:
            begins = started(passage.beginning.machine, effect, effect.claimed_at)
            if begins is not None and not await apart.claim_new(begins, effect):
                raise CommitRefused("workflow", begins.handle)

    async def let_go_apart(self, passage: Passage, effect: Effect) -> None:
        """Free what `claim_apart` has claimed: the effect was not."""
        machine = passage.machine
        if machine is not None and effect.fires is not None and (apart := self._apart(machine)) is not None:
            await apart.settle(_key(machine, effect), effect.claim, moves=False, expires_at=None)

    def remember(self, text: str, standing: Standing) -> None:
        """Keep a snapshot parsed that is about to be stored as *text*."""
        if standing.snapshot is not None:
            self._keep((standing.machine, text), standing.snapshot, standing)

    def settling(self, machine: Machine | None, effect: Effect, state: EffectState, outcome: Outcome) -> tuple[Operation, ...]:
        """What goes into the batch that settles *effect*: its instance moves, or is freed, or begins. Uncertain ones stay claimed.

        *machine* is the contract's, where it is known; without it a stored instance can still be settled.
        """
        fires = effect.fires
        if fires is None or state not in ("done", "failed") or self.moves_apart(effect):
            return ()
        moves = state == "done" and not outcome.vetoed
        if fires.event:
            expires = self._expiry(machine) if moves and machine is not None else None
            return (SettleWorkflow(effect.tenant, fires.machine, fires.handle, effect.claim, moves, expires),)
        row = self._begun_by(machine, effect) if moves and machine is not None else None
        return () if row is None else (StartWorkflow(row),)

    async def settled_apart(self, machine: Machine | None, effect: Effect, state: EffectState, outcome: Outcome | None) -> bool:
        """Settle what is not in the store, once *effect* is settled; whether that could be reached. What is owed is reached also where its
        machine isn't known any more.

        Raises:
            BackendError: the snapshot store failed; the next look at the instance finishes it.
        """
        apart = self._apart_of(machine, effect)
        if effect.fires is None or state not in ("done", "failed") or apart is None:
            return False
        moves = state == "done" and (outcome is None or not outcome.vetoed)
        expires = None if machine is None else self._expiry(machine)
        await apart.settle(_key(machine, effect), effect.claim, moves=moves, expires_at=expires)
        return True

    def moves_apart(self, effect: Effect) -> bool:
        """Whether what *effect* moves or begins is outside the store: as it was when it was claimed, wherever this host keeps others."""
        machine = self.machine_of(effect)
        return effect.owes or (machine is not None and machine.instance == "process")

    def will_owe(self, passage: Passage) -> bool:
        """Whether a success leaves something to do outside the store. What ends with this process is nothing that could be left."""
        machine = passage.machine
        return machine is not None and machine.is_kept and machine.instance != "process" and self.elsewhere is not None

    def will_outlive(self, passage: Passage) -> bool:
        """Whether what a call moves is still there once its user is erased: what is the tenant's or the process's, and what is outside the
        store, where only a handle finds it."""
        if passage.moving is None:
            return False
        machine, row = passage.moving.instance.machine, passage.moving.instance.row
        return machine.instance == "process" or (machine.has_handle and (row.user is None or self.elsewhere is not None))

    async def moved(self, machine: Machine | None, effect: Effect, outcome: Outcome) -> Outcome:
        """*outcome* of *effect*, whose claim still holds its instance, with what its success moves or begins, for the model too."""
        fires = effect.fires
        if fires is None or machine is None or outcome.vetoed:
            return outcome
        if fires.event:
            apart, key = self._apart_of(machine, effect), _key(machine, effect)
            row = (
                await self.store.workflow(key.tenant, key.machine, key.handle)
                if apart is None
                else await apart.load(key, self._expiry(machine))
            )
            moved = moved_at(machine, row, effect.claimed_at) if row is not None and row.claim == effect.claim else None
        else:
            begins = self._begun_by(machine, effect)
            moved = None if begins is None else moved_by_start(begins)
        return outcome if moved is None else told_moved(outcome, machine, moved)

    async def holder(self, instance: Instance, tenant: str) -> Effect | None:
        """The record of the call that holds *instance*; None where its claim has none, not yet or not any more."""
        row = instance.row
        record = await self.store.effect(tenant, row.tool, row.key) if row.tool and row.key else None
        return record if record is not None and record.claim == row.claim else None

    async def own_rows(self, tenant: str, session: str) -> Sequence[Workflow]:
        """What is stored of the session's own instances, wherever that is."""
        if self.elsewhere is None:
            return await self.store.workflows(tenant, session=session)
        rows = [await self._load(machine, tenant, session) for machine in self.machines if machine.instance == "session"]
        return [row for row in rows if row is not None]

    async def restore(self, tenant: str, session: str, rows: Sequence[Workflow]) -> None:
        """Let the session's own instances outside the store be *rows*, as a commit lets those in it.

        Raises:
            BackendError: the snapshot store failed.
        """
        if self.elsewhere is not None:
            kept = {row.machine: row for row in rows}
            own = [name for machine in self.machines if machine.instance == "session" for name in machine.ids]
            for name in dict.fromkeys((*own, *kept)):
                await self.elsewhere.replace(SnapshotKey(tenant, name, session), kept.get(name))

    def stored(self, rows: Sequence[Workflow]) -> tuple[Workflow, ...]:
        """Those of a session's own instances that belong into the store."""
        return tuple(rows) if self.elsewhere is None else ()

    async def claim_back(self, rows: Sequence[Workflow], event: str, until: datetime) -> bool:
        """Hold what is outside the store for a rewind whose commit appends *event*, to become *rows* with it; whether all was free.

        Raises:
            BackendError: the snapshot store failed; what is held already is let go when its time is over.
        """
        for number, row in enumerate(rows if self.elsewhere is not None else ()):
            if not await self._outside.claim_back(row, event, until):
                await self.settle_back(rows[:number], event, moves=False)
                return False
        return True

    async def settle_back(self, rows: Sequence[Workflow], event: str, *, moves: bool) -> None:
        """Let *rows* be what `claim_back` has said, or let go of them.

        Raises:
            BackendError: the snapshot store failed; the next look at an instance finishes it.
        """
        for row in rows if self.elsewhere is not None else ():
            await self._outside.settle(SnapshotKey(row.tenant, row.machine, row.handle), event, moves=moves, expires_at=None)

    def machine_of(self, effect: Effect) -> Machine | None:
        """The machine that a success of *effect* moves or begins, whatever has become of its tool since."""
        fires = effect.fires
        return None if fires is None else self.known(fires.machine)

    def known(self, name: str) -> Machine | None:
        """The machine that has, or had, this id."""
        return next((machine for machine in self.machines if name in machine.ids), None)

    def present_id(self, name: str) -> str:
        """The id that the machine has now which has, or had, this one."""
        machine = self.known(name)
        return name if machine is None else machine.id

    def _begun_by(self, machine: Machine, effect: Effect) -> Workflow | None:
        """The row that the success of *effect* begins. Whatever is wrong with the machine, the effect must be settled."""
        try:
            return started(machine, effect, self.clock.now())
        except DefinitionError:
            _LOG.exception("call %s has begun no %s: %s can't begin", effect.call, machine.id, machine.id)
            return None

    async def _load(self, machine: Machine, tenant: str, handle: str) -> Workflow | None:
        apart = self._apart(machine)
        for name in machine.ids:
            row = (
                await self.store.workflow(tenant, name, handle)
                if apart is None
                else await apart.load(SnapshotKey(tenant, name, handle), self._expiry(machine))
            )
            if row is not None:
                return row
        return None

    def _opened(self, machine: Machine, row: Workflow) -> Instance:
        """The instance of *row* as it is now.

        Raises:
            Refusal: `closed`; its snapshot belongs to another machine, or to none.
            DefinitionError: a guard or an action raised on the way.
        """
        parsed = self._parsed.get((machine, row.snapshot)) if row.hash == machine.hash else None
        if parsed is None:
            snapshot = snapshot_of(machine, row)
            parsed = snapshot, stands(machine, snapshot)
            if row.hash == machine.hash:
                self._keep((machine, row.snapshot), *parsed)
        if machine.definition.delays:
            later = caught_up(machine.definition, parsed[0], self.clock.now())
            if later.changed:
                parsed = later.snapshot, stands(machine, later.snapshot)
        return Instance(machine, row, *parsed)

    def _keep(self, key: tuple[Machine, str], snapshot: Snapshot, standing: Standing) -> None:
        if len(self._parsed) >= _KEPT:
            self._parsed.clear()
        self._parsed[key] = snapshot, standing

    def _expiry(self, machine: Machine) -> datetime | None:
        return self.clock.now() + machine.expires if machine.has_handle else None

    @property
    def _outside(self) -> Elsewhere:
        if self.elsewhere is None:
            raise AssertionError("only asked where the user keeps instances elsewhere")
        return self.elsewhere

    def _apart_of(self, machine: Machine | None, effect: Effect) -> Elsewhere | None:
        """Where that is what *effect*, of *machine*, moves or begins outside the store."""
        return self.elsewhere if effect.owes else self.process if machine is not None and machine.instance == "process" else None

    def _apart(self, machine: Machine) -> Elsewhere | None:
        return self.process if machine.instance == "process" else self.elsewhere


def _key(machine: Machine | None, effect: Effect) -> SnapshotKey:
    """Where the instance is that *effect* moves or begins."""
    if effect.fires is None:
        raise AssertionError("only asked of an effect that moves or begins something")
    is_process = machine is not None and machine.instance == "process"
    return SnapshotKey(PROCESS if is_process else effect.tenant, effect.fires.machine, effect.fires.handle)
