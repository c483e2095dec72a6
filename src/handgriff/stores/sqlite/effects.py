"""Effect records: claimed, continued, settled, asked for as a guard, and removed when nobody needs them any more."""

import sqlite3
from typing import Final, TypeAlias, assert_never

from handgriff.core import jsontext
from handgriff.core.batch import CheckNothingRuns, ClaimEffect, FollowEffect, SettleEffect, StepEffect, SweepEffects
from handgriff.core.codec import unpack
from handgriff.core.rows import Effect
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite.columns import Columns, micros
from handgriff.stores.sqlite.statements import statements

EffectOperation: TypeAlias = ClaimEffect | StepEffect | SettleEffect | FollowEffect

EFFECT = Columns(Effect)
_EFFECTS = statements("effects")
_OF_USER: Final = ("running_of_user", "owing_of_user", "holding_of_user")
_IN_SESSION: Final = ("running_in_session", "owing_in_session", "holding_in_session")


def write_effect(cursor: sqlite3.Cursor, operation: EffectOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: its guard does not hold.
    """
    match operation:
        case ClaimEffect(effect):
            _guarded(cursor, "claim_effect", EFFECT.row(effect), effect.key)
        case StepEffect():
            _step(cursor, operation)
        case SettleEffect(tenant, tool, key, claim, state, at, result, resolved_by, only_running):
            row = {"tenant": tenant, "tool": tool, "key": key, "claim": claim, "state": state, "at": micros(at)}
            _guarded(cursor, "settle_effect", {**row, "result": result, "resolved_by": resolved_by, "only_running": only_running}, key)
        case FollowEffect(tenant, tool, key, claim):
            cursor.execute(_EFFECTS["follow_effect"], {"tenant": tenant, "tool": tool, "key": key, "claim": claim})
        case _:
            assert_never(operation)


def check_nothing_runs(cursor: sqlite3.Cursor, guard: CheckNothingRuns) -> None:
    """Whether nothing runs, nothing is owed, and nothing is held that outlives the user, where *guard* looks.

    Raises:
        CommitRefused: something does, or is.
    """
    whose = {"tenant": guard.tenant, "session": guard.session, "user": guard.user, "now": micros(guard.now)}
    for statement in _OF_USER if guard.session is None else _IN_SESSION:
        found = cursor.execute(_EFFECTS[statement], whose).fetchone()
        if found is not None:
            raise CommitRefused("effect", found[0])


def sweep_effects(cursor: sqlite3.Cursor, sweep: SweepEffects) -> int:
    """Remove what is settled, old and without a session, and say how many."""
    place = {"tenant": sweep.tenant, "before": micros(sweep.before), "limit": sweep.limit}
    return cursor.execute(_EFFECTS["sweep_effects"], place).rowcount


def _guarded(cursor: sqlite3.Cursor, statement: str, row: dict[str, object], subject: str) -> None:
    if cursor.execute(_EFFECTS[statement], row).rowcount == 0:
        raise CommitRefused("effect", subject)


def _step(cursor: sqlite3.Cursor, step: StepEffect) -> None:
    key = {"tenant": step.tenant, "tool": step.tool, "key": step.key}
    found = cursor.execute(_EFFECTS["running_steps"], {**key, "claim": step.claim}).fetchone()
    if found is None:
        raise CommitRefused("effect", step.key)
    steps = unpack(tuple[tuple[str, str], ...], jsontext.loads(found[0]))
    cursor.execute(_EFFECTS["keep_steps"], {**key, "steps": jsontext.admit([*steps, (step.name, step.result)])})
