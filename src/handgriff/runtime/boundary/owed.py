"""What an instance outside the store owes an effect: to go where its outcome says, behind the commit of that outcome.

Below are the effect's record, which remembers the debt, and the instances; above, whoever settles an effect, and whoever removes records.
"""

from handgriff.core.batch import FollowEffect
from handgriff.core.claim import read_outcome
from handgriff.core.outcome import Outcome
from handgriff.core.rows import Effect, EffectState
from handgriff.errors import BackendError, DefinitionError
from handgriff.runtime.boundary.effect import Effects


async def settled_apart(effects: Effects, effect: Effect, state: EffectState, outcome: Outcome) -> None:
    """An instance outside the store follows *effect*. What fails here is finished when the instance is next looked at, or before the record
    goes."""
    try:
        await _followed(effects, effect, state, outcome)
    except BackendError as error:
        effects.incident(error, effect.tool, effect.call)


async def follow_apart(effects: Effects, effect: Effect) -> None:
    """The same, by what the record of *effect* says, whoever settled it."""
    if effects.workflows.moves_apart(effect):
        record = await effects.record(effect)
        if record.claim == effect.claim and record.result is not None:
            await settled_apart(effects, record, record.state, read_outcome(record.result))


async def pay(effects: Effects, tenant: str, *, session: str | None = None, user: str | None = None) -> None:
    """See that every instance outside the store has followed its effect, before the records of these go.

    Raises:
        BackendError: the snapshot store failed.
        DefinitionError: this host has none.
    """
    for effect in await effects.store.owing(tenant, session=session, user=user):
        if not await _followed(effects, effect, effect.state, None if effect.result is None else read_outcome(effect.result)):
            problem = f"{effect.tool} has moved a workflow that is kept elsewhere, and this host keeps none there."
            raise DefinitionError("Host", "snapshots", problem, mend="give the snapshots= that it was called with.")


async def _followed(effects: Effects, effect: Effect, state: EffectState, outcome: Outcome | None) -> bool:
    """Let an instance outside the store follow *effect*; whether it could be reached."""
    workflows = effects.workflows
    followed = await workflows.settled_apart(workflows.machine_of(effect), effect, state, outcome)
    if followed and effect.owes and state == "done":
        await effects.store.commit((FollowEffect(effect.tenant, effect.tool, effect.key, effect.claim),))
    return followed
