"""A batch applied: operations in their order, inside a transaction somebody else began.

It raises `CommitRefused` at the first guard that does not hold, and leaves it to the transaction to take back what was written.
"""

import sqlite3
from typing import assert_never

from handgriff.core.batch import (
    AppendEvent,
    ApplyDelta,
    Batch,
    CheckLease,
    ClaimEffect,
    CloseRequest,
    CreateSession,
    DecideProposal,
    DeleteSession,
    DeliverHook,
    HoldLease,
    HoldProposal,
    IntroduceSeen,
    IntroduceTyped,
    KeepPrefix,
    OpenRequest,
    Operation,
    PinSession,
    QueueHook,
    ReleaseLease,
    RenewLease,
    RequestStop,
    SettleEffect,
    StepEffect,
)
from handgriff.ports.store import Committed
from handgriff.stores.sqlite.conversation import Conversation
from handgriff.stores.sqlite.records import write_record
from handgriff.stores.sqlite.sessions import write_session


def apply(connection: sqlite3.Connection, batch: Batch) -> Committed:
    """Apply *batch*.

    Raises:
        CommitRefused: a guard does not hold; what was written before it must be taken back.
        sqlite3.Error: SQLite could not.
    """
    conversation = Conversation(connection)
    for operation in batch:
        _apply(connection, conversation, operation)
    return Committed(tuple(conversation.seqs))


def _apply(connection: sqlite3.Connection, conversation: Conversation, operation: Operation) -> None:
    match operation:
        case AppendEvent() | ApplyDelta() | IntroduceSeen() | IntroduceTyped():
            conversation.write(operation)
        case CreateSession() | PinSession() | HoldLease() | CheckLease() | RenewLease() | ReleaseLease() | RequestStop():
            write_session(connection, operation)
        case DeleteSession():
            write_session(connection, operation)
            conversation.forget(operation.tenant, operation.session)
        case ClaimEffect() | StepEffect() | SettleEffect() | HoldProposal() | DecideProposal() | QueueHook() | DeliverHook():
            write_record(connection, operation)
        case OpenRequest() | CloseRequest() | KeepPrefix():
            write_record(connection, operation)
        case _:
            assert_never(operation)
