"""Proposals written: held, decided, and what is sent and tried as their code."""

import sqlite3
from typing import TypeAlias, assert_never

from handgriff.core.batch import CountTry, DecideProposal, HoldProposal, KeepCode
from handgriff.core.rows import Proposal
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite.columns import Columns, micros
from handgriff.stores.sqlite.statements import statements

ProposalOperation: TypeAlias = HoldProposal | DecideProposal | KeepCode | CountTry

PROPOSAL = Columns(Proposal)
_SQL = statements("effects")


def write_proposal(cursor: sqlite3.Cursor, operation: ProposalOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: its guard does not hold.
    """
    match operation:
        case HoldProposal(proposal):
            _guarded(cursor, "hold_proposal", PROPOSAL.row(proposal), proposal.id)
        case DecideProposal(tenant, proposal, expected, state, at, by):
            row = {"tenant": tenant, "proposal": proposal, "expected": expected, "state": state, "at": micros(at), "by": by}
            _guarded(cursor, "decide_proposal", row, proposal)
        case KeepCode():
            _keep_code(cursor, operation)
        case CountTry(tenant, proposal, tries):
            _guarded(cursor, "count_try", {"tenant": tenant, "proposal": proposal, "tries": tries}, proposal)
        case _:
            assert_never(operation)


def _guarded(cursor: sqlite3.Cursor, statement: str, row: dict[str, object], subject: str) -> None:
    if cursor.execute(_SQL[statement], row).rowcount == 0:
        raise CommitRefused("proposal", subject)


def _keep_code(cursor: sqlite3.Cursor, keep: KeepCode) -> None:
    place = {"tenant": keep.tenant, "proposal": keep.proposal}
    owner = cursor.execute(_SQL["owner_of_code"], {**place, "sent": keep.sent}).fetchone()
    if owner is None:
        raise CommitRefused("proposal", keep.proposal)
    whose = {"tenant": keep.tenant, "user": owner[0], "since": micros(keep.since), "at": micros(keep.at)}
    cursor.execute(_SQL["forget_codes"], whose)
    if cursor.execute(_SQL["codes_of_user"], whose).fetchone()[0] >= keep.most:
        raise CommitRefused("limit", keep.proposal)
    cursor.execute(_SQL["code_of_user"], whose)
    cursor.execute(_SQL["keep_code"], {**place, "code": keep.code, "at": micros(keep.at)})
