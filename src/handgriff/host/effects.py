"""`host.effects`: the durable traces of calls that change the world, for the operator."""

from collections.abc import Sequence
from datetime import datetime
from math import ceil
from typing import Literal

from handgriff.core.batch import AppendEvent, DecideProposal, IntroduceSeen, Operation, QueueHook, SettleEffect
from handgriff.core.caller import is_id
from handgriff.core.claim import write_outcome
from handgriff.core.events import CallOutcome, Decision, OperatorChange, Shown
from handgriff.core.outcome import Outcome, refused
from handgriff.core.rows import Effect, EffectState
from handgriff.errors import Refusal
from handgriff.host.sessions import Opened
from handgriff.ports.store import CommitRefused
from handgriff.runtime.boundary.hooks import queued_for
from handgriff.runtime.boundary.owed import follow_apart
from handgriff.runtime.engine import Engine
from handgriff.runtime.recover import recover, recover_deleted

_HAPPENED = Outcome(Shown("An operator looked into it: it was done."), '{"summary":"An operator looked into it: it was done."}')
_TRIES = 3
"""A rewind and a deletion may both come between."""


class HostEffects:
    """List effect records, and resolve what nobody knows. For operators: nothing here asks whose session it is."""

    def __init__(self, host: Opened) -> None:
        self._host = host

    async def list(self, tenant: str, *, session: str | None = None, state: EffectState | None = None) -> Sequence[Effect]:
        """Records of *tenant*, oldest first."""
        engine = await self._host.engine()
        await _find_out(engine, await engine.store.unsettled(tenant, session=session))
        return await engine.store.effects(tenant, session=session, state=state)

    async def get(self, tenant: str, tool: str, key: str) -> Effect:
        """One record; where it is uncertain, its tool's `reconcile` is asked first.

        Raises:
            Refusal: `not_found`.
        """
        engine = await self._host.engine()
        await _find_out(engine, [await self._get(tenant, tool, key)])
        return await self._get(tenant, tool, key)

    async def _get(self, tenant: str, tool: str, key: str) -> Effect:
        engine = await self._host.engine()
        found = await engine.store.effect(tenant, tool, key) if is_id(tool) and is_id(key) else None
        if found is None:
            raise Refusal("not_found", "There is no such effect.")
        return found

    async def resolve(self, tenant: str, tool: str, key: str, state: Literal["done", "failed"], *, by: str) -> Effect:
        """Say what became of an uncertain effect. The model is told with the next message.

        Raises:
            Refusal: `not_found`; `conflict` where it is settled already, or still runs.
        """
        engine = await self._host.engine()
        effect = await self.get(tenant, tool, key)
        if engine.boundary.effects.is_running(effect):
            raise _running(effect, engine.clock.now())
        if effect.state not in ("running", "indeterminate"):
            raise Refusal("conflict", f"This effect is {effect.state}.", next="Only an uncertain effect can be resolved.")
        for _ in range(_TRIES):
            try:
                await engine.store.commit(await _resolution(engine, effect, state, by), durable=True)
                break
            except CommitRefused as refused_commit:
                if refused_commit.guard == "effect":
                    raise Refusal("conflict", "It was settled at the same moment.", next="Look at it again.") from None
                # Its session or its proposal went in between; what is left of them is looked at once more.
        else:
            raise Refusal("conflict", "Its session and its proposal change just now.", next="Look at it again.", retry_after=1)
        await follow_apart(engine.boundary.effects, effect)
        return await self.get(tenant, tool, key)


async def _find_out(engine: Engine, effects: Sequence[Effect]) -> None:
    """An operator's look is an access too: what has no owner any more gets its answer, and what is uncertain is asked about."""
    open_ones = [
        effect for effect in effects if effect.state in ("running", "indeterminate") and not engine.boundary.effects.is_running(effect)
    ]
    for tenant, session in sorted({(effect.tenant, effect.session) for effect in open_ones}):
        found = await engine.store.session(tenant, session)
        await (recover_deleted(engine, tenant, session) if found is None else recover(engine, found))


def _running(effect: Effect, now: datetime) -> Refusal:
    left = ceil((effect.lease_until - now).total_seconds())
    until = (
        f"its call has until {effect.lease_until.isoformat(timespec='seconds')}" if left > 0 else "its handler is at work in this process"
    )
    return Refusal(
        "conflict",
        f"This effect is running: {until}.",
        next="Wait for its outcome. If there is none then, it can be resolved.",
        retry_after=max(1, left),
    )


async def _resolution(engine: Engine, effect: Effect, state: Literal["done", "failed"], by: str) -> tuple[Operation, ...]:
    """What to write: the record's end and what must follow it, and as far as session and proposal still exist, what is said of it there."""
    now = engine.clock.now()
    outcome = _HAPPENED if state == "done" else refused(Refusal("permanent", "An operator looked into it: it was not done."))
    workflows = engine.workflows
    machine = workflows.machine_of(effect)
    if state == "done":
        outcome = await workflows.moved(machine, effect, outcome)
    settle = SettleEffect(effect.tenant, effect.tool, effect.key, effect.claim, state, now, write_outcome(outcome), by)
    operations: list[Operation] = [settle, *(_followed(engine, effect) if state == "done" else ())]
    operations += workflows.settling(machine, effect, state, outcome)
    if await engine.store.session(effect.tenant, effect.session) is None:
        # Only the record has outlived its session, for its key.
        return tuple(operations)
    told = CallOutcome(
        call=effect.call,
        tool=effect.tool,
        step="effect",
        shown=outcome.shown,
        digest=effect.digest,
        code=outcome.code,
        late=True,
        moved=outcome.moved,
    )
    if outcome.introduced:
        operations.append(IntroduceSeen(effect.tenant, effect.session, outcome.introduced))
    change = OperatorChange(f"effect of {effect.tool}, call {effect.call}: {state}", by)
    operations += [AppendEvent(effect.tenant, effect.session, engine.written(None, body)) for body in (change, told)]
    proposal = None if effect.proposal is None else await engine.store.proposal(effect.tenant, effect.proposal)
    if proposal is not None and proposal.state in ("running", "indeterminate"):
        decision = Decision(proposal.id, effect.call, state, by)
        operations.append(DecideProposal(effect.tenant, proposal.id, proposal.state, state, now, by))
        operations.append(AppendEvent(effect.tenant, effect.session, engine.written(None, decision)))
    return tuple(operations)


def _followed(engine: Engine, effect: Effect) -> tuple[Operation, ...]:
    """What follows a success, whoever found out about it."""
    contract = engine.assistant.contract(effect.tool)
    if contract is None:
        return ()
    return tuple(map(QueueHook, queued_for(effect, contract, _HAPPENED.shown, now=engine.clock.now(), ids=engine.ids)))
