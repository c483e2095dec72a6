"""Step 7: claim and run; one unit with one owner. A read just runs. How it ends is `settle`'s.

A write that has begun is not cancelled, and its outcome is always settled by its claim id.
"""

import logging
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from handgriff.core.batch import (
    AppendEvent,
    Batch,
    ClaimEffect,
    DecideProposal,
    IntroduceSeen,
    Operation,
    StepEffect,
)
from handgriff.core.claim import answer_from, unknown
from handgriff.core.contract import Contract
from handgriff.core.events import CallOutcome, Decision, ProposalState, Written
from handgriff.core.jsontext import JsonError
from handgriff.core.lane import Limits
from handgriff.core.outcome import Outcome, refused, succeeded
from handgriff.core.result import Result
from handgriff.core.rows import Effect, EffectState, Fired, Proposal
from handgriff.core.view import view
from handgriff.errors import DefinitionError, Refusal
from handgriff.ports.clock import Clock
from handgriff.ports.ids import Ids
from handgriff.ports.store import CommitRefused, Store
from handgriff.runtime.boundary.attempt import Attempt, Ended, overtaken
from handgriff.runtime.boundary.bound import BoundCall, Steps
from handgriff.runtime.boundary.invoke import explain, explain_effect, failure, invoke_within, required_result
from handgriff.runtime.boundary.ready import Ready
from handgriff.runtime.boundary.workflows import Workflows

_LOG = logging.getLogger("handgriff.boundary")
LEASE_MARGIN = timedelta(seconds=30)
"""How long a claim outlives the tool's time-out (specification 7.1)."""
SLACK = timedelta(seconds=5)
"""What is left of a lease when its handler is given up."""


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
    workflows: Workflows
    own: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Claims whose handlers run in this process, with tenant and session."""

    def is_running(self, effect: Effect) -> bool:
        """Whether a handler may be at it: in this process, whatever clock and record say meanwhile, or in another one with its lease."""
        if effect.claim in self.own:
            return True
        return effect.state == "running" and not effect.is_abandoned(self.clock.now())

    async def read(self, ready: Ready) -> Outcome:
        """Run a read. What it raises leaves through the application's own context as it is; it is explained outside."""
        contract, ready.call.access.is_running = ready.contract, True
        returned = _not_refused(await invoke_within(self.seconds(contract), contract.handler, **ready.parameters()))
        return self._shape(contract, required_result(contract, returned), ready.call.id, must_tell=False)

    def shape(self, contract: Contract, result: Result[object], call: str) -> Outcome:
        """The outcome of what has happened, which is told whatever its data looks like."""
        return self._shape(contract, result, call, must_tell=True)

    async def claim(self, ready: Ready, key: str) -> Effect | Ended:
        """Claim the effect of this *key*, durably, before its handler starts; or what there is to say instead.

        Raises:
            Refusal: the key or the proposal is somebody else's.
        """
        # The lease is counted from here: what came before may have taken its time.
        effect = self._effect(ready, key, self.clock.now())
        self.workflows.check_delays(ready.passage, effect.claimed_at)
        try:
            await self._claim(ready, effect)
        except CommitRefused as taken:
            return await self._second(ready, effect, taken)
        ready.call.idempotency_key = effect.key
        if ready.contract.idempotency_key is not None:
            # Under its own call's id nothing was done before.
            ready.call.steps.update(dict((await self.record(effect)).steps))
        ready.call.record = self._stepper(effect)
        return effect

    async def run(self, ready: Ready, effect: Effect) -> object:
        """Run a claimed handler. What it raises leaves through the application's own context, so that it can roll back."""
        ready.call.access.may = "app" if ready.contract.writes == "app" else "state"
        ready.call.access.is_running = True
        # What claiming took is taken from the handler's time, so that its lease outlives it.
        left = (effect.lease_until - self.clock.now() - SLACK).total_seconds()
        if left <= 0:
            raise Refusal("transient", "It took too long to begin. Nothing was done.", next="Try again in a moment.")
        try:
            seconds = min(self.seconds(ready.contract), left)
            return _not_refused(await invoke_within(seconds, ready.contract.handler, **ready.as_confirmed().parameters()))
        except Exception:
            raise
        except BaseException:
            await ready.call.together.roll_back()
            raise
        finally:
            ready.call.access.is_running = False

    def done(self, ready: Ready, returned: object) -> Ran:
        """A claimed handler has returned: it has happened, whatever its answer looks like."""
        try:
            result = required_result(ready.contract, returned)
        except DefinitionError as error:
            self.incident(error, ready.contract.name, ready.call.id)
            result = Result("It was done, but it gave no readable answer.")
        return Ran(self.shape(ready.contract, result, ready.call.id), "done")

    def failed(self, ready: Ready, error: Exception) -> Ran:
        """A claimed handler raised: a refusal says that nothing happened, unless it says that nobody knows, as anything else does of a
        write."""
        ready.call.forget()
        explained = explain_effect(error, ready.contract)
        if ready.contract.transaction:
            # All it wrote is taken back, whatever it raised.
            refusal = explained if isinstance(explained, Refusal) else self.refusal(error, ready.contract, ready.call.id)
            return Ran(outcome_of(_with_steps(refusal, ready.call)), "failed")
        if isinstance(explained, Refusal):
            state: EffectState = "indeterminate" if explained.code == "indeterminate" else "failed"
            return Ran(outcome_of(_with_steps(explained, ready.call)), state)
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

    def _effect(self, ready: Ready, key: str, now: datetime) -> Effect:
        attempt, contract = ready.attempt, ready.contract
        return Effect(
            tenant=attempt.place.tenant,
            tool=contract.name,
            key=key,
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
            arguments=ready.arguments.canonical,
            transaction=contract.transaction,
            fires=_fired(ready),
            owes=self.workflows.will_owe(ready.passage),
            outlives=self.workflows.will_outlive(ready.passage),
        )

    async def held(self, ready: Ready, key: str) -> Effect | None:
        """What is stored under *key* of this call's tool."""
        return await self.store.effect(ready.attempt.place.tenant, ready.contract.name, key)

    async def record(self, effect: Effect) -> Effect:
        """What is stored under *effect*'s key now."""
        return await self.store.effect(effect.tenant, effect.tool, effect.key) or effect

    async def repeated(self, ready: Ready) -> Ended | None:
        """The answer to a wish that was carried out before, and has itself closed the way to its repetition; None for any other."""
        if ready.contract.idempotency_key is None:
            return None
        try:
            record = await self.held(ready, await self.key(ready))
            if record is None or record.state != "done" or not _is_of_this_session(record, ready):
                return None
            outcome = answer_from(record, ready.digest, ready.attempt.place.user, self.clock.now())
        except Refusal:
            raise
        except Exception as error:  # noqa: BLE001  # the key's function is the application's
            self.incident(error, ready.contract.name, ready.attempt.id)
            return None
        return self.ended(ready.attempt, "effect", outcome, ready.digest, started=ready.started)

    async def key(self, ready: Ready) -> str:
        """The key of the record that this call would claim.

        Raises:
            DefinitionError: its function answers none.
        """
        contract = ready.contract
        if contract.idempotency_key is None:
            return ready.attempt.id
        key = await invoke_within(self.seconds(contract), contract.idempotency_key, view(contract.schema, ready.arguments), ready.call)
        if not isinstance(key, str) or not 0 < len(key) <= 256:  # noqa: PLR2004  # as long as any id
            raise DefinitionError(
                contract.name, "idempotency_key", "it answered no text of 1 to 256 characters.", mend="return such a text."
            )
        return key

    async def _claim(self, ready: Ready, effect: Effect) -> None:
        proposal = ready.attempt.confirmed
        batch: Batch = (*ready.attempt.place.guard, *self.workflows.claiming(ready.passage, effect), ClaimEffect(effect))
        if proposal is not None:
            if self.clock.now() >= proposal.expires_at:
                raise Refusal(
                    "expired", "The confirmation came too late. Nothing was done.", next="Propose it again if it is still wanted."
                )
            batch = (*self.decided(proposal, "pending", "running", ready.attempt.decided_by), *batch)
        await self.workflows.claim_apart(ready.passage, effect)
        try:
            await self.store.commit(batch, durable=True)
        except CommitRefused:
            await self.workflows.let_go_apart(ready.passage, effect)
            raise

    async def _second(self, ready: Ready, effect: Effect, taken: CommitRefused) -> Ended:
        """Somebody was first: at the session, the proposal, or this key."""
        if taken.guard == "lease":
            raise overtaken()
        if taken.guard == "workflow":
            raise Refusal("conflict", "Another call was quicker in this workflow.", next="Look at where it is now.", retry_after=1)
        if taken.guard == "proposal":
            raise Refusal("conflict", "This proposal is decided already.")
        if taken.guard == "session":
            raise Refusal("not_found", "There is no such session.")
        record = await self.record(effect)
        outcome = answer_from(record, effect.digest, effect.user, self.clock.now(), is_here=record.claim in self.own)
        if ready.passage.moving is not None and not outcome.vetoed:
            # The gate has let it pass, so this instance stands before a step that was made: in another session, or before a rewind.
            # A success that vetoed has made none anywhere.
            raise _done_elsewhere(ready.passage.moving.instance.machine.id)
        return self.ended(ready.attempt, "effect", outcome, ready.digest, started=ready.started)

    def _stepper(self, effect: Effect) -> Steps:
        async def record(name: str, result: str) -> None:
            await self.store.commit((StepEffect(effect.tenant, effect.tool, effect.key, effect.claim, name, result),), durable=True)

        return record

    def _shape(self, contract: Contract, result: Result[object], call: str, *, must_tell: bool) -> Outcome:
        limit = contract.limits.result_bytes or self.limits.result_bytes
        try:
            data = None if result.data is None else contract.output.serialise(result.data)
        except JsonError as error:
            if not must_tell:
                raise
            self.incident(error, contract.name, call)
            data, result = None, Result(f"{result.summary} Its data could not be shown.", fires=result.fires)
        introduced = () if data is None else contract.output.introduced(data)
        narrow_by = tuple(argument.name for argument in contract.schema.arguments)
        outcome = succeeded(result, data, introduced, limit=limit, narrow_by=narrow_by, must_tell=must_tell)
        return outcome if result.fires is not None else replace(outcome, vetoed=True)

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
            moved=outcome.moved,
            duration_us=int((self.clock.monotonic() - started) * 1_000_000),
        )
        event = Written(self.ids.new("event"), place.turn, self.clock.now(), body)
        ops: Batch = (AppendEvent(place.tenant, place.session, event),)
        if outcome.introduced:
            ops = (*ops, IntroduceSeen(place.tenant, place.session, outcome.introduced))
        return Ended(outcome, event, body, ops)


def begun_again(ready: Ready, record: Effect) -> Ready:
    """*ready*, with the handle of *record* where that is of the same wish and failed: what was done then may know it already."""
    starts, fires = ready.contract.starts, record.fires
    if starts is None or fires is None or fires.event or fires.machine != starts.id:
        return ready
    is_tried_again = (record.state, record.digest, record.user) == ("failed", ready.digest, ready.attempt.place.user)
    beginning = ready.passage.beginning
    if beginning is None or not is_tried_again:
        return ready
    return ready.passed(replace(ready.passage, beginning=replace(beginning, handle=fires.handle)))


def outcome_of(refusal: Refusal) -> Outcome:
    """The outcome of *refusal*, under the incident it names."""
    incident = refusal.facts.get("incident")
    return refused(refusal, incident=incident if isinstance(incident, str) else None)


def _is_of_this_session(record: Effect, ready: Ready) -> bool:
    """Whether what *record* has moved is what this call is about: each session has an instance of its own."""
    fires, contract = record.fires, ready.contract
    if fires is None or contract.fires is None or contract.fires.machine.instance != "session":
        return True
    return fires.handle == ready.attempt.place.session


def _done_elsewhere(machine: str) -> Refusal:
    return Refusal(
        "conflict",
        f"The same was done before under the same key, and is not repeated; this {machine} has not moved.",
        next="Tell the user; it can't be done again here.",
    )


def _not_refused(returned: object) -> object:
    """What a handler returned. A refusal says the same whether it is raised or returned."""
    if isinstance(returned, Refusal):
        raise returned
    return returned


def _fired(ready: Ready) -> Fired | None:
    moving, begins = ready.passage.moving, ready.passage.beginning
    if moving is not None:
        return Fired(moving.instance.row.machine, moving.instance.row.handle, moving.event)
    return None if begins is None else Fired(begins.machine.id, begins.handle, "", begins.text, begins.machine.hash)


def _with_steps(refusal: Refusal, call: BoundCall) -> Refusal:
    """A refusal names what is done already and where it failed, so that nobody believes that nothing was done."""
    if not call.steps and call.step_begun is None:
        return refusal
    facts = {**refusal.facts, "done_steps": tuple(call.steps), "failed_step": call.step_begun}
    return Refusal(refusal.code, refusal.message, next=refusal.next, **facts)
