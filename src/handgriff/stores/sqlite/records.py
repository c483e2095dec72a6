"""Effect records, proposals, hooks, ledger rows and prefixes, written."""

import sqlite3
from typing import TypeAlias, assert_never

from handgriff.core import jsontext
from handgriff.core.batch import (
    ClaimEffect,
    CloseRequest,
    DecideProposal,
    DeliverHook,
    HoldProposal,
    KeepPrefix,
    OpenRequest,
    QueueHook,
    SettleEffect,
    StepEffect,
)
from handgriff.core.codec import unpack
from handgriff.core.rows import Effect, Proposal, QueuedHook, Request
from handgriff.ports.store import CommitRefused, Guard
from handgriff.stores.sqlite.columns import Columns, micros
from handgriff.stores.sqlite.statements import statements

RecordOperation: TypeAlias = (
    ClaimEffect
    | StepEffect
    | SettleEffect
    | HoldProposal
    | DecideProposal
    | QueueHook
    | DeliverHook
    | OpenRequest
    | CloseRequest
    | KeepPrefix
)

EFFECT = Columns(Effect)
PROPOSAL = Columns(Proposal)
HOOK = Columns(QueuedHook)
REQUEST = Columns(Request)
_EFFECTS = statements("effects")
_LEDGER = statements("ledger")


def write_record(cursor: sqlite3.Cursor, operation: RecordOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: its guard does not hold.
    """
    match operation:
        case ClaimEffect(effect):
            _guarded(cursor, "claim_effect", EFFECT.row(effect), "effect", effect.key)
        case StepEffect():
            _step(cursor, operation)
        case SettleEffect(tenant, tool, key, claim, state, at, result, resolved_by):
            row = {"tenant": tenant, "tool": tool, "key": key, "claim": claim, "state": state, "at": micros(at)}
            _guarded(cursor, "settle_effect", {**row, "result": result, "resolved_by": resolved_by}, "effect", key)
        case HoldProposal(proposal):
            _guarded(cursor, "hold_proposal", PROPOSAL.row(proposal), "proposal", proposal.id)
        case DecideProposal(tenant, proposal, expected, state, at, by):
            row = {"tenant": tenant, "proposal": proposal, "expected": expected, "state": state, "at": micros(at), "by": by}
            _guarded(cursor, "decide_proposal", row, "proposal", proposal)
        case QueueHook(hook):
            cursor.execute(_EFFECTS["queue_hook"], HOOK.row(hook))
        case DeliverHook(tenant, hook):
            cursor.execute(_EFFECTS["deliver_hook"], {"tenant": tenant, "id": hook})
        case OpenRequest(request):
            cursor.execute(_LEDGER["open_request"], REQUEST.row(request))
        case CloseRequest(request):
            cursor.execute(_LEDGER["close_request"], REQUEST.row(request))
        case KeepPrefix(tenant, digest, text):
            cursor.execute(_LEDGER["keep_prefix"], {"tenant": tenant, "hash": digest, "text": text})
        case _:
            assert_never(operation)


def _guarded(cursor: sqlite3.Cursor, statement: str, row: dict[str, object], guard: Guard, subject: str) -> None:
    if cursor.execute(_EFFECTS[statement], row).rowcount == 0:
        raise CommitRefused(guard, subject)


def _step(cursor: sqlite3.Cursor, step: StepEffect) -> None:
    key = {"tenant": step.tenant, "tool": step.tool, "key": step.key}
    found = cursor.execute(_EFFECTS["running_steps"], {**key, "claim": step.claim}).fetchone()
    if found is None:
        raise CommitRefused("effect", step.key)
    steps = unpack(tuple[tuple[str, str], ...], jsontext.loads(found[0]))
    cursor.execute(_EFFECTS["keep_steps"], {**key, "steps": jsontext.admit([*steps, (step.name, step.result)])})
