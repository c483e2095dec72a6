"""Effect records: claimed, continued, settled, asked for as a guard, and removed when nobody needs them any more."""

from dataclasses import replace
from itertools import islice
from typing import TypeAlias, assert_never

from handgriff.core.batch import CheckNothingRuns, ClaimEffect, FollowEffect, SettleEffect, StepEffect, SweepEffects
from handgriff.core.rows import Effect
from handgriff.ports.store import CommitRefused
from handgriff.stores.memory.tables import Tables

EffectOperation: TypeAlias = ClaimEffect | StepEffect | SettleEffect | FollowEffect


def write_effect(tables: Tables, operation: EffectOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: its guard does not hold.
    """
    match operation:
        case ClaimEffect(effect):
            _claim(tables, effect)
        case StepEffect() | SettleEffect():
            _continue(tables, operation)
        case FollowEffect(tenant, tool, key, claim):
            held = tables.effects.get((tenant, tool, key))
            if held is not None and held.claim == claim:
                tables.put(tables.effects, (tenant, tool, key), replace(held, owes=False))
        case _:
            assert_never(operation)


def check_nothing_runs(tables: Tables, guard: CheckNothingRuns) -> None:
    """Whether nothing runs, nothing is owed, and nothing is held that outlives the user, where *guard* looks.

    Raises:
        CommitRefused: something does, or is.
    """
    for effect in tables.effects.values():
        is_meant = effect.tenant == guard.tenant and guard.session in (None, effect.session) and guard.user in (None, effect.user)
        is_running = effect.state == "running" and effect.lease_until > guard.now
        is_holding = guard.user is not None and effect.outlives and effect.state in ("running", "indeterminate")
        if is_meant and (is_running or is_owing(effect) or is_holding):
            raise CommitRefused("effect", effect.key)


def sweep_effects(tables: Tables, sweep: SweepEffects) -> int:
    """Remove what is settled, old and without a session, and say how many."""
    old = sorted(
        (
            effect
            for effect in tables.effects.values()
            if effect.tenant == sweep.tenant
            and effect.state in ("done", "failed")
            and not is_owing(effect)
            and effect.claimed_at < sweep.before
            and (effect.tenant, effect.session) not in tables.sessions
        ),
        key=lambda effect: effect.claimed_at,
    )
    doomed = {(effect.tenant, effect.tool, effect.key) for effect in islice(old, sweep.limit)}
    tables.drop(tables.effects, lambda key, _: key in doomed)
    return len(doomed)


def is_owing(effect: Effect) -> bool:
    """Whether *effect* is a success that an instance outside the store has still to follow."""
    return effect.state == "done" and effect.owes


def _claim(tables: Tables, effect: Effect) -> None:
    key = (effect.tenant, effect.tool, effect.key)
    if tables.add(tables.effects, key, effect):
        return
    held = tables.effects[key]
    if (held.state, held.digest, held.user) != ("failed", effect.digest, effect.user):
        raise CommitRefused("effect", effect.key)
    tables.put(tables.effects, key, replace(effect, steps=held.steps))


def _continue(tables: Tables, operation: StepEffect | SettleEffect) -> None:
    key = (operation.tenant, operation.tool, operation.key)
    held = tables.effects.get(key)
    if held is None or held.claim != operation.claim:
        raise CommitRefused("effect", operation.key)
    match operation:
        case StepEffect(name=name, result=result) if held.state == "running":
            changed = replace(held, steps=(*held.steps, (name, result)))
        case SettleEffect(state=state, at=at, result=result, resolved_by=by) if _is_unsettled(held, only_running=operation.only_running):
            changed = replace(held, state=state, settled_at=at, result=result, resolved_by=by)
        case _:
            raise CommitRefused("effect", operation.key)
    tables.put(tables.effects, key, changed)


def _is_unsettled(held: Effect, *, only_running: bool) -> bool:
    return held.state == "running" or (held.state == "indeterminate" and held.resolved_by is None and not only_running)
