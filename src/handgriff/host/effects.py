"""`host.effects`: the durable traces of calls that change the world, for the operator."""

from collections.abc import Sequence
from typing import Literal

from handgriff.core.batch import AppendEvent, DecideProposal, Operation, SettleEffect
from handgriff.core.caller import is_id
from handgriff.core.claim import write_outcome
from handgriff.core.events import CallOutcome, Decision, OperatorChange, ProposalState, Shown
from handgriff.core.outcome import Outcome, refused
from handgriff.core.rows import Effect, EffectState
from handgriff.errors import Refusal
from handgriff.host.sessions import Opened
from handgriff.ports.store import CommitRefused
from handgriff.runtime.engine import Engine
from handgriff.runtime.recover import recover


class HostEffects:
    """List effect records, and resolve what nobody knows. For operators: nothing here asks whose session it is."""

    def __init__(self, host: Opened) -> None:
        self._host = host

    async def list(self, tenant: str, *, session: str | None = None, state: EffectState | None = None) -> Sequence[Effect]:
        """Records of *tenant*, oldest first."""
        engine = await self._host.engine()
        await _close_what_crashed(engine, await engine.store.effects(tenant, session=session, state="running"))
        return await engine.store.effects(tenant, session=session, state=state)

    async def get(self, tenant: str, tool: str, key: str) -> Effect:
        """One record.

        Raises:
            Refusal: `not_found`.
        """
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
        await _close_what_crashed(engine, [await self.get(tenant, tool, key)])
        effect = await self.get(tenant, tool, key)
        if effect.state != "indeterminate" and not effect.is_abandoned(engine.clock.now()):
            raise Refusal("conflict", f"This effect is {effect.state}.", next="Only an uncertain effect can be resolved.")
        try:
            await engine.store.commit(_resolution(engine, effect, state, by), durable=True)
        except CommitRefused:
            raise Refusal("conflict", "It was settled at the same moment.", next="Look at it again.") from None
        return await self.get(tenant, tool, key)


async def _close_what_crashed(engine: Engine, effects: Sequence[Effect]) -> None:
    """An operator's look is an access too: what has no owner any more becomes indeterminate, and its call gets its answer."""
    now = engine.clock.now()
    for tenant, session in {(effect.tenant, effect.session) for effect in effects if effect.is_abandoned(now)}:
        found = await engine.store.session(tenant, session)
        if found is not None:
            await recover(engine, found)


def _resolution(engine: Engine, effect: Effect, state: Literal["done", "failed"], by: str) -> tuple[Operation, ...]:
    now = engine.clock.now()
    happened = Outcome(Shown("An operator looked into it: it was done."), '{"summary":"An operator looked into it: it was done."}')
    outcome = happened if state == "done" else refused(Refusal("permanent", "An operator looked into it: it was not done."))
    told = CallOutcome(
        call=effect.call, tool=effect.tool, step="effect", shown=outcome.shown, digest=effect.digest, code=outcome.code, late=True
    )
    change = OperatorChange(f"effect of {effect.tool}, call {effect.call}: {state}", by)
    operations: list[Operation] = [
        SettleEffect(effect.tenant, effect.tool, effect.key, effect.claim, state, now, write_outcome(outcome), by),
        AppendEvent(effect.tenant, effect.session, engine.written(None, change)),
        AppendEvent(effect.tenant, effect.session, engine.written(None, told)),
    ]
    if effect.proposal is not None:
        expected: ProposalState = "running" if effect.state == "running" else "indeterminate"
        operations.append(DecideProposal(effect.tenant, effect.proposal, expected, state, now, by))
        operations.append(
            AppendEvent(effect.tenant, effect.session, engine.written(None, Decision(effect.proposal, effect.call, state, by)))
        )
    return tuple(operations)
