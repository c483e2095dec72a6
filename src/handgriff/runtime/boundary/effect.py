"""Step 7: claim, run, settle; one unit with one owner. A read just runs.

A write that has begun is not cancelled, and its outcome is always settled by its claim id.
"""

import logging
from dataclasses import dataclass, replace
from datetime import timedelta

from handgriff.core.batch import (
    AppendEvent,
    Batch,
    ClaimEffect,
    DecideProposal,
    IntroduceSeen,
    Operation,
    QueueHook,
    SettleEffect,
    StateChange,
    StepEffect,
)
from handgriff.core.claim import answer_from, unknown, write_outcome
from handgriff.core.contract import Contract
from handgriff.core.delta import Delta
from handgriff.core.events import CallOutcome, Decision, ProposalState, Written
from handgriff.core.jsontext import JsonError
from handgriff.core.lane import Limits
from handgriff.core.outcome import Outcome, noted, refused, succeeded
from handgriff.core.result import Result
from handgriff.core.rows import Effect, EffectState, Proposal, QueuedHook
from handgriff.core.view import view
from handgriff.errors import BackendError, DefinitionError, Refusal, RefusalCode
from handgriff.ports.clock import Clock
from handgriff.ports.ids import Ids
from handgriff.ports.store import CommitRefused, Store
from handgriff.runtime.boundary.attempt import Attempt, Ended, overtaken
from handgriff.runtime.boundary.bound import Steps
from handgriff.runtime.boundary.hooks import queued
from handgriff.runtime.boundary.invoke import explain, explain_effect, failure, invoke, invoke_within, required_result
from handgriff.runtime.boundary.ready import Ready
from handgriff.runtime.notebooks import FOLLOWS, Notebooks

_LOG = logging.getLogger("handgriff.boundary")
LEASE_MARGIN = timedelta(seconds=30)
"""How long a claim outlives the tool's time-out (specification 7.1)."""
_TRIES = 3
"""A delta that does not apply and somebody who settles the same effect may both come between."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A claimed call's end: its outcome, and what its record becomes."""

    outcome: Outcome
    state: EffectState
    delta_dropped: str | None = None
    """Why what it wrote was not kept."""


@dataclass(frozen=True, slots=True)
class Effects:
    """Performs the last step for one host."""

    store: Store
    clock: Clock
    ids: Ids
    limits: Limits
    notebooks: Notebooks

    async def read(self, ready: Ready) -> Outcome:
        """Run a read. What it raises leaves through the application's own context as it is; it is explained outside."""
        contract = ready.contract
        returned = await invoke_within(self.seconds(contract), contract.handler, **_parameters(ready))
        return self._shape(ready, required_result(contract, returned), must_tell=False)

    async def claim(self, ready: Ready) -> Effect | Ended:
        """Claim the effect, durably, before its handler starts; or what there is to say instead.

        Raises:
            Refusal: the key or the proposal is somebody else's.
        """
        effect = await self._effect(ready)
        try:
            await self._claim(ready, effect)
        except CommitRefused as taken:
            return await self._second(ready, effect, taken)
        ready.call.idempotency_key = effect.key
        ready.call.steps.update(dict((await self._record(effect)).steps))
        ready.call.record = self._stepper(effect)
        return effect

    async def run(self, ready: Ready) -> object:
        """Run a claimed handler. What it raises leaves through the application's own context, so that it can roll back."""
        ready.call.access.may = "app" if ready.contract.writes == "app" else "state"
        return await invoke_within(self.seconds(ready.contract), ready.contract.handler, **_parameters(ready))

    def done(self, ready: Ready, returned: object) -> Ran:
        """A claimed handler has returned: it has happened, whatever its answer looks like."""
        try:
            result = required_result(ready.contract, returned)
        except DefinitionError as error:
            self.incident(error, ready.contract.name, ready.call.id)
            result = Result("It was done, but it gave no readable answer.")
        return Ran(self._shape(ready, result, must_tell=True), "done")

    def failed(self, ready: Ready, error: Exception) -> Ran:
        """A claimed handler raised: a refusal says that nothing happened, unless it says that nobody knows, as anything else does of a
        write."""
        ready.call.forget()
        explained = explain_effect(error, ready.contract)
        if isinstance(explained, Refusal):
            state: EffectState = "indeterminate" if explained.code == "indeterminate" else "failed"
            return Ran(outcome_of(_with_steps(explained, tuple(ready.call.steps))), state)
        if ready.contract.effect == "read":
            # It changes nothing but state, and what it wrote there is dropped.
            return Ran(outcome_of(self.refusal(error, ready.contract, ready.call.id)), "failed")
        incident = self.incident(explained.error, ready.contract.name, ready.call.id)
        return Ran(refused(unknown(incident), incident=incident), "indeterminate")

    def seconds(self, contract: Contract) -> float:
        """The tool's time-out."""
        return contract.limits.seconds or self.limits.call_seconds

    def refusal(self, error: Exception, contract: Contract, call: str) -> Refusal:
        """What *error* says to the model where no effect is at stake; its trace goes to the log."""
        explained = explain(error, contract)
        if isinstance(explained, Refusal):
            return explained
        return failure(explained.error, contract.name, self.incident(explained.error, contract.name, call))

    def incident(self, error: Exception, tool: str, call: str) -> str:
        """Log *error* under a new incident id."""
        incident = self.ids.new("incident")
        _LOG.error("%s: tool %s, call %s", incident, tool, call, exc_info=error)
        return incident

    async def _effect(self, ready: Ready) -> Effect:
        attempt, contract, now = ready.attempt, ready.contract, self.clock.now()
        return Effect(
            tenant=attempt.place.tenant,
            tool=contract.name,
            key=await self._key(ready),
            digest=ready.digest,
            claim=self.ids.new("claim"),
            session=attempt.place.session,
            user=attempt.place.user,
            turn=attempt.place.turn,
            call=attempt.id,
            state="running",
            lease_until=now + timedelta(seconds=self.seconds(contract)) + LEASE_MARGIN,
            claimed_at=now,
            proposal=attempt.confirmed.id if attempt.confirmed else None,
        )

    async def _key(self, ready: Ready) -> str:
        contract = ready.contract
        if contract.idempotency_key is None:
            return ready.attempt.id
        key = await invoke(contract.idempotency_key, view(contract.schema, ready.arguments), ready.call)
        if not isinstance(key, str) or not 0 < len(key) <= 256:  # noqa: PLR2004  # as long as any id
            raise DefinitionError(
                contract.name, "idempotency_key", "it answered no text of 1 to 256 characters.", mend="return such a text."
            )
        return key

    async def _claim(self, ready: Ready, effect: Effect) -> None:
        proposal = ready.attempt.confirmed
        batch: Batch = (*ready.attempt.place.guard, ClaimEffect(effect))
        if proposal is not None:
            if self.clock.now() >= proposal.expires_at:
                raise Refusal(
                    "expired", "The confirmation came too late. Nothing was done.", next="Propose it again if it is still wanted."
                )
            batch = (*self.decided(proposal, "pending", "running", ready.attempt.grant.user), *batch)
        await self.store.commit(batch, durable=True)

    async def _second(self, ready: Ready, effect: Effect, taken: CommitRefused) -> Ended:
        """Somebody was first: at the session, the proposal, or this key."""
        if taken.guard == "lease":
            raise overtaken()
        if taken.guard == "proposal":
            raise Refusal("conflict", "This proposal is decided already.")
        if taken.guard == "session":
            raise Refusal("not_found", "There is no such session.")
        outcome = answer_from(await self._record(effect), effect.digest, effect.user, self.clock.now())
        return self.ended(ready.attempt, "effect", outcome, ready.digest, started=ready.started)

    async def _record(self, effect: Effect) -> Effect:
        return await self.store.effect(effect.tenant, effect.tool, effect.key) or effect

    def _stepper(self, effect: Effect) -> Steps:
        async def record(name: str, result: str) -> None:
            await self.store.commit((StepEffect(effect.tenant, effect.tool, effect.key, effect.claim, name, result),), durable=True)

        return record

    def _shape(self, ready: Ready, result: Result[object], *, must_tell: bool) -> Outcome:
        contract = ready.contract
        limit = contract.limits.result_bytes or self.limits.result_bytes
        try:
            data = None if result.data is None else contract.output.serialise(result.data)
        except JsonError as error:
            if not must_tell:
                raise
            self.incident(error, contract.name, ready.call.id)
            return succeeded(Result(f"{result.summary} Its data could not be shown."), None, (), limit=limit, narrow_by=(), must_tell=True)
        introduced = () if data is None else contract.output.introduced(data)
        narrow_by = tuple(argument.name for argument in contract.schema.arguments)
        return succeeded(result, data, introduced, limit=limit, narrow_by=narrow_by, must_tell=must_tell)

    async def settle(self, ready: Ready, effect: Effect, ran: Ran) -> Ended:
        """Commit the outcome and what belongs to it, whoever holds the session's lease. It is never lost silently."""
        delta, ended = ready.call.delta() if ran.state == "done" else (), None
        try:
            for _ in range(_TRIES):
                ended = await self._ended_now(ready, effect, ran)
                try:
                    return await self._commit(ready, effect, ran, ended, delta)
                except CommitRefused as refusal:
                    if refusal.guard in ("state", "limit"):
                        ran, delta = _without_delta(ready, ran, refusal), ()
                    # Otherwise somebody found the claim in between; what they made of it is looked at once more.
        except BackendError as error:
            # The claim is on disk without an outcome, which is what indeterminate means; the next access finds it.
            incident = self.incident(error, ready.contract.name, ready.call.id)
            return self.ended(ready.attempt, "effect", refused(unknown(incident), incident=incident), ready.digest, started=ready.started)
        # The session is gone, or somebody resolved the effect: the record of that decision stands, and the event says what we saw.
        _LOG.warning("call %s settled after its session or its effect was gone", ready.call.id)
        return ended or await self._ended_now(ready, effect, ran)

    async def _ended_now(self, ready: Ready, effect: Effect, ran: Ran) -> Ended:
        """The end of *ran*. Whoever found its claim while it ran has told the model "unknown" already; the truth then comes as news."""
        is_late = (await self._record(effect)).state == "indeterminate"
        return self.ended(
            ready.attempt, "effect", ran.outcome, ready.digest, started=ready.started, late=is_late, delta_dropped=ran.delta_dropped
        )

    async def _commit(self, ready: Ready, effect: Effect, ran: Ran, ended: Ended, delta: Delta) -> Ended:
        now, proposal = self.clock.now(), ready.attempt.confirmed
        settle = SettleEffect(effect.tenant, effect.tool, effect.key, effect.claim, ran.state, now, write_outcome(ran.outcome))
        here, follows = self.notebooks.split(delta)
        hooks = queued(ready, ran.outcome, now=now, ids=self.ids) if ran.state == "done" else ()
        later = self._queued(ready, follows)
        batch: list[Operation] = [settle, *self._with_delta(ready, ended.ops, here), *map(QueueHook, later), *hooks]
        if proposal is not None:
            batch += self.decided(proposal, "indeterminate" if ended.body.late else "running", ran.state, ready.attempt.grant.user)
        committed = await self.store.commit(tuple(batch))
        if ran.state == "done":
            ready.call.state.keep_temp()
        if later:
            # At once, because the next call must read it. What fails here is delivered with the hooks: the outcome stands already.
            try:
                await self.notebooks.follow_up(effect.tenant, effect.session)
            except BackendError as error:
                self.incident(error, ready.contract.name, ready.call.id)
        return Ended(ended.outcome, ended.event, ended.body, seq=committed.seqs[0])

    def _with_delta(self, ready: Ready, ops: Batch, delta: Delta) -> Batch:
        if not delta:
            return ops
        change = StateChange(ready.attempt.place.user, delta, self.limits.state)
        return tuple(replace(each, change=change) if isinstance(each, AppendEvent) else each for each in ops)

    def _queued(self, ready: Ready, delta: Delta) -> tuple[QueuedHook, ...]:
        if not delta:
            return ()
        place, payload = ready.attempt.place, self.notebooks.payload(delta)
        return (
            QueuedHook(place.tenant, self.ids.new("hook"), place.session, place.user, ready.call.id, FOLLOWS, payload, self.clock.now()),
        )

    def decided(self, proposal: Proposal, expected: ProposalState, state: ProposalState, by: str | None) -> tuple[Operation, ...]:
        """Move *proposal* and say so."""
        now = self.clock.now()
        event = Written(self.ids.new("event"), proposal.turn, now, Decision(proposal.id, proposal.call, state, by))
        return (
            DecideProposal(proposal.tenant, proposal.id, expected, state, now, by),
            AppendEvent(proposal.tenant, proposal.session, event),
        )

    def ended(
        self,
        attempt: Attempt,
        step: str,
        outcome: Outcome,
        digest: str,
        *,
        started: float,
        late: bool = False,
        delta_dropped: str | None = None,
    ) -> Ended:
        """The outcome with its event and what has to be committed for it."""
        place = attempt.place
        body = CallOutcome(
            call=attempt.id,
            tool=attempt.tool,
            step=step,
            shown=outcome.shown,
            digest=digest,
            code=outcome.code,
            wire="" if attempt.parent else place.wire(outcome),
            next=outcome.next,
            incident=outcome.incident,
            proposal=attempt.confirmed.id if attempt.confirmed else None,
            parent=attempt.parent,
            replayed=outcome.replayed,
            late=late,
            delta_dropped=delta_dropped,
            duration_us=int((self.clock.monotonic() - started) * 1_000_000),
        )
        event = Written(self.ids.new("event"), place.turn, self.clock.now(), body)
        ops: Batch = (AppendEvent(place.tenant, place.session, event),)
        if outcome.introduced:
            ops = (*ops, IntroduceSeen(place.tenant, place.session, outcome.introduced))
        return Ended(outcome, event, body, ops)


def _without_delta(ready: Ready, ran: Ran, refusal: CommitRefused) -> Ran:
    """*ran*, whose delta can't be applied any more. A read has done nothing else, so it may as well not have happened."""
    why = f"{refusal.subject} has changed meanwhile" if refusal.guard == "state" else f"{refusal.subject} may hold no more"
    if ready.contract.effect == "read":
        code: RefusalCode = "conflict" if refusal.guard == "state" else "limit"
        step = "Call it again, with what holds now." if code == "conflict" else "Tell the user that no more can be kept."
        return Ran(refused(Refusal(code, f"Nothing was kept: {why}.", next=step)), "failed", why)
    return Ran(noted(ran.outcome, f"It was done, but what it wanted to remember was not kept: {why}."), ran.state, why)


def outcome_of(refusal: Refusal) -> Outcome:
    """The outcome of *refusal*, under the incident it names."""
    incident = refusal.facts.get("incident")
    return refused(refusal, incident=incident if isinstance(incident, str) else None)


def _parameters(ready: Ready) -> dict[str, object]:
    parameters = dict(ready.arguments.values)
    if ready.contract.call_parameter is not None:
        parameters[ready.contract.call_parameter] = ready.call
    return parameters


def _with_steps(refusal: Refusal, done: tuple[str, ...]) -> Refusal:
    """A refusal names what is done already, so that nobody believes that nothing was."""
    if not done:
        return refusal
    return Refusal(refusal.code, refusal.message, next=refusal.next, **{**refusal.facts, "done_steps": done})
