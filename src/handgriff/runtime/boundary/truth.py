"""What became of an effect that nobody settled: the mark of a transaction says it, or the tool's `reconcile` asks the outside world.

Below is the application; above, whoever finds such an effect. It runs no handler, and repeats nothing.
"""

import logging
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

import anyio

from handgriff.core.batch import AppendEvent, IntroduceSeen, Operation, QueueHook, SettleEffect, SettleWorkflow, StartWorkflow
from handgriff.core.claim import write_outcome
from handgriff.core.contract import Contract
from handgriff.core.events import CallOutcome, ProposalState, Written
from handgriff.core.outcome import Outcome, refused
from handgriff.core.result import Result
from handgriff.core.rows import Effect, Proposal
from handgriff.core.schema.form import Arguments
from handgriff.core.view import view
from handgriff.errors import BackendError, Refusal
from handgriff.ports.callers import Callers
from handgriff.ports.store import CommitRefused
from handgriff.runtime.boundary.attempt import Attempt, Place
from handgriff.runtime.boundary.bound import BoundCall
from handgriff.runtime.boundary.calls import Calls
from handgriff.runtime.boundary.effect import Effects, Ran
from handgriff.runtime.boundary.hooks import queued_for
from handgriff.runtime.boundary.invoke import invoke_within
from handgriff.runtime.boundary.owed import follow_apart
from handgriff.runtime.boundary.resolve import look_up

_LOG = logging.getLogger("handgriff.truth")
REST_SECONDS: Final = 60.0
"""How long an answer counts: a session may be looked at many times a minute."""
RECONCILED: Final = "reconcile"
"""Stands as who resolved it. A holder that comes back later is not believed over it."""
_ALONE: Final = (SettleEffect, QueueHook, SettleWorkflow, StartWorkflow)
"""What is kept of an effect whose session is gone."""
_TAKEN_BACK: Final = Refusal("transient", "It was interrupted and taken back. Nothing was done.", next="It may be tried again.")


@dataclass(slots=True)
class _Asked:
    """One question at a time, and its last answer."""

    lock: anyio.Lock = field(default_factory=anyio.Lock)
    at: float | None = None
    said: Ran | None = None
    askers: int = 0

    def is_over(self, now: float) -> bool:
        """Whether nobody asks, and the last answer counts no longer."""
        return not self.askers and (self.at is None or now >= self.at + REST_SECONDS)


@dataclass(frozen=True, slots=True)
class Truths:
    """Finds out for one host."""

    calls: Calls
    callers: Callers
    effects: Effects
    _asked: dict[str, _Asked] = field(default_factory=dict)

    async def of(self, effect: Effect) -> Ran | None:
        """How *effect*, which has no outcome, ended; None where nobody knows (yet), as long as a handler may be at it."""
        if effect.claim in self.effects.own:
            return None
        if effect.transaction:
            # One that somebody ended by hand is uncertain after all, and stays so.
            return Ran(refused(_TAKEN_BACK), "failed") if effect.state == "running" else None
        contract = self.calls.assistant.contract(effect.tool)
        if contract is None or contract.reconcile is None or self.effects.clock.now() < effect.lease_until:
            return None
        self.forget_answers()
        asked = self._asked.setdefault(effect.claim, _Asked())
        asked.askers += 1
        try:
            async with asked.lock:
                now = self.effects.clock.monotonic()
                # Whoever has read the record before the first one settled it is told the same, and nobody is asked twice.
                if asked.at is None or now >= asked.at + REST_SECONDS:
                    asked.said = await self._asked_outside(effect, contract)
                    asked.at = self.effects.clock.monotonic()
                return asked.said
        finally:
            asked.askers -= 1

    def forget_answers(self) -> None:
        """Drop the answers that count no longer. Whoever else settled such an effect told nobody here."""
        now = self.effects.clock.monotonic()
        for claim in [claim for claim, asked in self._asked.items() if asked.is_over(now)]:
            del self._asked[claim]

    async def settle_late(self, effect: Effect) -> bool:
        """Find out about *effect* and settle it, as news for its session; whether that was possible."""
        ran = await self.of(effect)
        if ran is None:
            return False
        operations = self.settling(effect, ran, await self._proposal(effect))
        try:
            await self.effects.store.commit(operations, durable=True)
        except CommitRefused as refused_commit:
            if refused_commit.guard in ("session", "proposal"):
                # It was deleted or cut back. The record still protects its key, and what must follow a write still follows it.
                await self._settle_alone(operations)
            _LOG.info("call %s was settled by somebody else, or without its session", effect.call)
        await follow_apart(self.effects, effect)
        return True

    async def _proposal(self, effect: Effect) -> Proposal | None:
        return None if effect.proposal is None else await self.effects.store.proposal(effect.tenant, effect.proposal)

    async def _settle_alone(self, operations: tuple[Operation, ...]) -> None:
        with suppress(CommitRefused):
            await self.effects.store.commit(tuple(each for each in operations if isinstance(each, _ALONE)), durable=True)

    def settling(self, effect: Effect, ran: Ran, proposal: Proposal | None, *, wire: str | None = None) -> tuple[Operation, ...]:
        """What to write for an effect that ended as *ran*: with a *wire* as its call's result, without one as news."""
        now = self.effects.clock.now()
        by = None if effect.transaction else RECONCILED
        told = CallOutcome(
            call=effect.call,
            tool=effect.tool,
            step="effect",
            shown=ran.outcome.shown,
            digest=effect.digest,
            code=ran.outcome.code,
            wire=wire or "",
            next=ran.outcome.next,
            proposal=effect.proposal,
            late=wire is None,
            moved=ran.outcome.moved,
        )
        event = Written(self.effects.ids.new("event"), effect.turn, now, told)
        settle = SettleEffect(effect.tenant, effect.tool, effect.key, effect.claim, ran.state, now, write_outcome(ran.outcome), by)
        workflows = self.effects.workflows
        operations: list[Operation] = [settle, AppendEvent(effect.tenant, effect.session, event), *self._followed(effect, ran)]
        operations += workflows.settling(workflows.machine_of(effect), effect, ran.state, ran.outcome)
        was: ProposalState = "running" if effect.state == "running" else "indeterminate"
        # One that became something else meanwhile is not decided once more.
        if proposal is not None and proposal.state == was:
            operations += self.effects.decided(proposal, was, ran.state, proposal.decided_by)
        return tuple(operations)

    def _followed(self, effect: Effect, ran: Ran) -> tuple[Operation, ...]:
        """What follows a success, however late it is known."""
        contract = self.calls.assistant.contract(effect.tool)
        if ran.state != "done" or contract is None:
            return ()
        hooks = queued_for(effect, contract, ran.outcome.shown, now=self.effects.clock.now(), ids=self.effects.ids)
        seen = ran.outcome.introduced
        return (*((IntroduceSeen(effect.tenant, effect.session, seen),) if seen else ()), *map(QueueHook, hooks))

    async def _asked_outside(self, effect: Effect, contract: Contract) -> Ran | None:
        try:
            ran = self._said(await self._reconciled(effect, contract), effect, contract)
            return ran if ran is None or ran.state != "done" else replace(ran, outcome=await self._moved(ran.outcome, effect))
        except Exception as error:  # noqa: BLE001  # the application's own code may raise anything, and none of it says what happened
            self.effects.incident(error, contract.name, effect.call)
            return None

    async def _moved(self, outcome: Outcome, effect: Effect) -> Outcome:
        workflows = self.effects.workflows
        return await workflows.moved(workflows.machine_of(effect), effect, outcome)

    def _said(self, answer: object, effect: Effect, contract: Contract) -> Ran | None:
        match answer:
            case Result():
                return Ran(self.effects.shape(contract, answer, effect.call), "done")
            case Refusal(code="indeterminate") | None:
                return None
            case Refusal():
                return Ran(refused(answer), "failed")
            case _:
                raise TypeError(f"reconcile answered {type(answer).__name__}; return a Result, a Refusal or None")

    async def _reconciled(self, effect: Effect, contract: Contract) -> object:
        caller = await look_up(self.callers, effect.tenant, effect.user)
        if caller is None or contract.reconcile is None:
            _LOG.warning("nobody can ask about call %s: its caller does not exist any more", effect.call)
            return None
        arguments: Arguments = contract.schema.validate(effect.arguments)
        proposal = await self._proposal(effect)
        place = Place(effect.tenant, effect.user, effect.session, effect.turn)
        attempt = Attempt(effect.call, effect.tool, effect.arguments, caller, place, confirmed=proposal, decided_by=_decider(proposal))
        async with self.calls.bound(attempt, contract, caller) as call:
            _as_it_was(call, effect)
            return await invoke_within(self.effects.seconds(contract), contract.reconcile, view(contract.schema, arguments), call)
        raise BackendError("deps", "closing", hint="They swallowed what reconcile raised.") from RuntimeError(effect.call)


def _as_it_was(call: BoundCall, effect: Effect) -> None:
    call.idempotency_key = effect.key
    call.steps.update(dict(effect.steps))


def _decider(proposal: Proposal | None) -> str | None:
    return proposal.decided_by if proposal else None
