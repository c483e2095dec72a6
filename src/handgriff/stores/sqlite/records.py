"""Hooks, ledger rows and prefixes, written; effect records and proposals are written beside it."""

import sqlite3
from typing import TypeAlias, assert_never

from handgriff.core.batch import (
    ClaimEffect,
    CloseRequest,
    CountTry,
    DecideProposal,
    DeliverHook,
    FollowEffect,
    HoldProposal,
    KeepCode,
    KeepPrefix,
    OpenRequest,
    QueueHook,
    SettleEffect,
    StepEffect,
)
from handgriff.core.rows import QueuedHook, Request
from handgriff.stores.sqlite.columns import Columns
from handgriff.stores.sqlite.effects import EffectOperation, write_effect
from handgriff.stores.sqlite.proposals import ProposalOperation, write_proposal
from handgriff.stores.sqlite.statements import statements

RecordOperation: TypeAlias = EffectOperation | ProposalOperation | QueueHook | DeliverHook | OpenRequest | CloseRequest | KeepPrefix

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
        case ClaimEffect() | StepEffect() | SettleEffect() | FollowEffect():
            write_effect(cursor, operation)
        case HoldProposal() | DecideProposal() | KeepCode() | CountTry():
            write_proposal(cursor, operation)
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
