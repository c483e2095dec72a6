"""The end of a claimed call: its outcome and what belongs to it in one commit, whoever holds the session's lease.

Delta, seen values, queued hooks, a workflow's transition and the proposal's state go with the outcome; in a tool with `transaction=True`
so do the application's own rows. It is never lost silently.
"""

import logging
from contextlib import suppress
from dataclasses import dataclass, replace

from handgriff.core.batch import AppendEvent, Batch, Operation, QueueHook, SettleEffect, StateChange
from handgriff.core.claim import read_outcome, unknown, write_outcome
from handgriff.core.delta import Delta
from handgriff.core.events import CallOutcome, ProposalState, Written
from handgriff.core.outcome import noted, refused
from handgriff.core.rows import Effect, QueuedHook
from handgriff.errors import BackendError, Refusal, RefusalCode
from handgriff.ports.store import CommitRefused
from handgriff.ports.transaction import EndedByHandError
from handgriff.runtime.boundary.attempt import Ended
from handgriff.runtime.boundary.effect import Effects, Ran
from handgriff.runtime.boundary.hooks import queued
from handgriff.runtime.boundary.owed import settled_apart
from handgriff.runtime.boundary.ready import Ready
from handgriff.runtime.notebooks import FOLLOWS, Notebooks

_LOG = logging.getLogger("handgriff.boundary")
_TRIES = 3
"""A delta that does not apply and somebody who settles the same effect may both come between."""
_TAKEN_BACK = Refusal("transient", "It could not be committed and was taken back. Nothing was done.", next="Try again once.")


@dataclass(frozen=True, slots=True)
class Settlements:
    """Settles the claimed calls of one host."""

    effects: Effects
    notebooks: Notebooks

    async def settle(self, ready: Ready, effect: Effect, ran: Ran) -> Ended:
        """Commit how *effect* ended."""
        together = ready.call.together
        try:
            if together.is_open and ran.state == "done":
                ended = await self._together(ready, effect, ran)
                if ended is not None:
                    return ended
                ready.call.forget()
                ran = Ran(refused(_TAKEN_BACK), "failed")
        finally:
            # Also where this is cancelled: a transaction that is forgotten holds up everybody who writes.
            await together.roll_back()
        return await self._apart(ready, effect, self._known(ready, ran))

    def _known(self, ready: Ready, ran: Ran) -> Ran:
        """*ran*, unless its handler had ended the transaction by hand before it failed: then only it knows what stands."""
        if ran.state != "failed" or not ready.call.together.was_ended:
            return ran
        incident = self._incident(ready, RuntimeError("the handler ended call.transaction() by hand"))
        return Ran(refused(unknown(incident), incident=incident), "indeterminate")

    async def _together(self, ready: Ready, effect: Effect, ran: Ran) -> Ended | None:
        """Commit the application's rows with the outcome; None where they were taken back."""
        delta = ready.call.delta()
        for _ in range(_TRIES):
            ended = self._ended(ready, ran)
            try:
                return await self._commit(ready, effect, ran, ended, delta)
            except CommitRefused as refusal:
                if refusal.guard not in ("state", "limit"):
                    # Its claim is not good any more, so nothing of it may be kept.
                    _LOG.warning("call %s was taken back: its %s is not its own any more", ready.call.id, refusal.guard)
                    break
                ran, delta = _without_delta(ready, ran, refusal), ()
            except EndedByHandError as error:
                # Somebody committed, or took back, what was written; only they know which.
                incident = self._incident(ready, error)
                ready.call.forget()
                await ready.call.together.roll_back()
                return await self._apart(ready, effect, Ran(refused(unknown(incident), incident=incident), "indeterminate"))
            except BackendError as error:
                # Whether it was committed is asked by settling it as failed, which one of the two can do.
                self._incident(ready, error)
                break
        await ready.call.together.roll_back()
        return None

    async def _apart(self, ready: Ready, effect: Effect, ran: Ran) -> Ended:
        delta, ended, decides = ready.call.delta() if ran.state == "done" else (), None, True
        try:
            for tried in range(_TRIES):
                # Nearly always it still runs; the commit sees whether it does.
                ended = await self._ended_now(ready, effect, ran) if tried else self._ended(ready, ran)
                try:
                    return await self._commit(ready, effect, ran, ended, delta, decides=decides)
                except CommitRefused as refusal:
                    if refusal.guard in ("state", "limit"):
                        ran, delta = _without_delta(ready, ran, refusal), ()
                    elif (committed := await self._committed(ready, effect)) is not None:
                        return committed
                    elif refusal.guard == "proposal":
                        decides = await self._is_open(ready)
                    elif refusal.guard == "session":
                        return await self._alone(ready, effect, ran)
                    # Otherwise somebody found the claim in between; what they made of it is looked at once more.
        except BackendError as error:
            # The claim is on disk without an outcome, which is what indeterminate means; the next access finds it.
            incident = self._incident(ready, error)
            with suppress(BackendError):
                if (committed := await self._committed(ready, effect)) is not None:
                    return committed
            return self._ended(ready, Ran(refused(unknown(incident), incident=incident), "indeterminate"))
        # Somebody resolved the effect: the record of that decision stands, and the event says what we saw.
        _LOG.warning("call %s settled after its effect was resolved", ready.call.id)
        return ended or await self._ended_now(ready, effect, ran)

    async def _is_open(self, ready: Ready) -> bool:
        """Whether the proposal of this call can still be moved. A rewind removes it, and what happened has happened all the same."""
        asked = ready.attempt.confirmed
        held = None if asked is None else await self.effects.store.proposal(asked.tenant, asked.id)
        return held is not None and held.state in ("running", "indeterminate")

    async def _alone(self, ready: Ready, effect: Effect, ran: Ran) -> Ended:
        """Settle *effect* whose session is gone: what is known stays known, and what must follow a write follows it. Nothing is left to be
        stored of the answer, so nobody takes it for one that was not carried out."""
        try:
            await self.effects.store.commit((*self._settling(effect, ran), *self._hooks(ready, ran)))
            await settled_apart(self.effects, effect, ran.state, ran.outcome)
        except CommitRefused:
            _LOG.warning("call %s settled after its session and its effect were gone", ready.call.id)
        return _unstored(self._ended(ready, ran, late=True))

    async def _committed(self, ready: Ready, effect: Effect) -> Ended | None:
        """The end of a call whose commit had arrived although its answer was lost. What the model reads must be what is stored."""
        record = await self.effects.record(effect)
        is_ours = record.claim == effect.claim and record.resolved_by is None and record.result is not None
        if not is_ours or record.state == "running" or (effect.transaction and record.state == "failed") or record.result is None:
            return None
        outcome = read_outcome(record.result)
        for event in reversed(await self.effects.store.events(effect.tenant, effect.session)):
            if isinstance(body := event.body, CallOutcome) and (body.call, body.step) == (effect.call, "effect"):
                return Ended(outcome, Written(event.id, event.turn, event.at, body), body, seq=event.seq)
        return _unstored(self._ended(ready, Ran(outcome, record.state), late=True))

    async def _ended_now(self, ready: Ready, effect: Effect, ran: Ran) -> Ended:
        """The end of *ran*. Whoever found its claim while it ran has answered the model already; the truth then comes as news."""
        record = await self.effects.record(effect)
        is_late = record.claim != effect.claim or record.state != "running"
        return self._ended(ready, ran, late=is_late)

    def _ended(self, ready: Ready, ran: Ran, *, late: bool = False) -> Ended:
        return self.effects.ended(
            ready.attempt, "effect", ran.outcome, ready.digest, started=ready.started, late=late, delta_dropped=ran.delta_dropped
        )

    async def _commit(self, ready: Ready, effect: Effect, ran: Ran, ended: Ended, delta: Delta, *, decides: bool = True) -> Ended:
        effects, proposal, together = self.effects, ready.attempt.confirmed, ready.call.together
        here, follows = self.notebooks.split(delta)
        later = self._queued(ready, follows)
        told = self._with_delta(ready, ended.ops, here)
        batch: list[Operation] = [
            *self._settling(effect, ran, only_running=not ended.body.late),
            *told,
            *map(QueueHook, later),
            *self._hooks(ready, ran),
        ]
        if proposal is not None and decides:
            was: ProposalState = "indeterminate" if ended.body.late else "running"
            batch += effects.decided(proposal, was, ran.state, ready.attempt.decided_by)
        committed = await (together.commit(tuple(batch)) if together.is_open else effects.store.commit(tuple(batch)))
        await settled_apart(self.effects, effect, ran.state, ran.outcome)
        if ran.state == "done":
            ready.call.state.keep_temp()
        if later:
            # At once, because the next call must read it. What fails here is delivered with the hooks: the outcome stands already.
            try:
                await self.notebooks.follow_up(effect.tenant, effect.session)
            except BackendError as error:
                self._incident(ready, error)
        return Ended(ended.outcome, ended.event, ended.body, seq=committed.seqs[0])

    def _settling(self, effect: Effect, ran: Ran, *, only_running: bool = False) -> tuple[Operation, ...]:
        at, workflows, result = self.effects.clock.now(), self.effects.workflows, write_outcome(ran.outcome)
        claimed = (effect.tenant, effect.tool, effect.key, effect.claim)
        settled = SettleEffect(*claimed, ran.state, at, result, only_running=only_running)
        return (settled, *workflows.settling(workflows.machine_of(effect), effect, ran.state, ran.outcome))

    def _hooks(self, ready: Ready, ran: Ran) -> tuple[QueueHook, ...]:
        return queued(ready, ran.outcome, now=self.effects.clock.now(), ids=self.effects.ids) if ran.state == "done" else ()

    def _with_delta(self, ready: Ready, ops: Batch, delta: Delta) -> Batch:
        if not delta:
            return ops
        change = StateChange(ready.attempt.place.user, delta, self.effects.limits.state)
        return tuple(replace(each, change=change) if isinstance(each, AppendEvent) else each for each in ops)

    def _queued(self, ready: Ready, delta: Delta) -> tuple[QueuedHook, ...]:
        if not delta:
            return ()
        effects, place, payload = self.effects, ready.attempt.place, self.notebooks.payload(delta)
        at, hook = effects.clock.now(), effects.ids.new("hook")
        return (QueuedHook(place.tenant, hook, place.session, place.user, ready.call.id, FOLLOWS, payload, at),)

    def _incident(self, ready: Ready, error: Exception) -> str:
        return self.effects.incident(error, ready.contract.name, ready.call.id)


def _unstored(ended: Ended) -> Ended:
    """*ended*, whose session is gone: its event has no place and no number any more."""
    return replace(ended, ops=(), seq=0)


def _without_delta(ready: Ready, ran: Ran, refusal: CommitRefused) -> Ran:
    """*ran*, whose delta can't be applied any more. A read has done nothing else, so it may as well not have happened."""
    why = f"{refusal.subject} has changed meanwhile" if refusal.guard == "state" else f"{refusal.subject} may hold no more"
    if ready.contract.effect == "read":
        code: RefusalCode = "conflict" if refusal.guard == "state" else "limit"
        step = "Call it again, with what holds now." if code == "conflict" else "Tell the user that no more can be kept."
        return Ran(refused(Refusal(code, f"Nothing was kept: {why}.", next=step)), "failed", why)
    return Ran(noted(ran.outcome, f"It was done, but what it wanted to remember was not kept: {why}."), ran.state, why)
