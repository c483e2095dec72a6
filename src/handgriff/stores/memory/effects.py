"""Effect records: claimed, continued, settled, asked for as a guard, and removed when nobody needs them any more."""

from dataclasses import replace
from itertools import islice
from typing import TypeAlias, assert_never

from handgriff.core.batch import CheckNothingRuns, ClaimEffect, SettleEffect, StepEffect, SweepEffects
from handgriff.core.rows import Effect
from handgriff.ports.store import CommitRefused
from handgriff.stores.memory.tables import Tables

EffectOperation: TypeAlias = ClaimEffect | StepEffect | SettleEffect


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
        case _:
            assert_never(operation)


def check_nothing_runs(tables: Tables, guard: CheckNothingRuns) -> None:
    """Whether nothing runs where *guard* looks.

    Raises:
        CommitRefused: something does.
    """
    for effect in tables.effects.values():
        is_meant = effect.tenant == guard.tenant and guard.session in (None, effect.session) and guard.user in (None, effect.user)
        if is_meant and effect.state == "running" and effect.lease_until > guard.now:
            raise CommitRefused("effect", effect.key)


def sweep_effects(tables: Tables, sweep: SweepEffects) -> int:
    """Remove what is settled, old and without a session, and say how many."""
    old = sorted(
        (
            effect
            for effect in tables.effects.values()
            if effect.tenant == sweep.tenant
            and effect.state in ("done", "failed")
            and effect.claimed_at < sweep.before
            and (effect.tenant, effect.session) not in tables.sessions
        ),
        key=lambda effect: effect.claimed_at,
    )
    doomed = {(effect.tenant, effect.tool, effect.key) for effect in islice(old, sweep.limit)}
    tables.drop(tables.effects, lambda key, _: key in doomed)
    return len(doomed)


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
    is_unresolved = held.state == "indeterminate" and held.resolved_by is None
    match operation:
        case StepEffect(name=name, result=result) if held.state == "running":
            changed = replace(held, steps=(*held.steps, (name, result)))
        case SettleEffect(state=state, at=at, result=result, resolved_by=by) if held.state == "running" or is_unresolved:
            changed = replace(held, state=state, settled_at=at, result=result, resolved_by=by)
        case _:
            raise CommitRefused("effect", operation.key)
    tables.put(tables.effects, key, changed)
