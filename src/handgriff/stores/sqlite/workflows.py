"""Kept instances of machines: started, held for one call, let go, asked for as a guard, and removed when their time is over."""

import sqlite3
from typing import TypeAlias, assert_never

from handgriff.core.batch import CheckWorkflow, ClaimWorkflow, DropWorkflow, RewindSession, SettleWorkflow, StartWorkflow, SweepWorkflows
from handgriff.core.rows import Workflow
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite.columns import Columns, micros
from handgriff.stores.sqlite.statements import statements

WorkflowOperation: TypeAlias = StartWorkflow | ClaimWorkflow | SettleWorkflow | CheckWorkflow | DropWorkflow

WORKFLOW = Columns(Workflow)
_SQL = statements("workflows")
_CLAIM, _VERSION = _SQL["claim_workflow"], _SQL["workflow_version"]
_SETTLE, _SETTLE_AND_PROLONG = _SQL["settle_workflow"], _SQL["settle_and_prolong_workflow"]
_KNOWN = statements("sessions")["session_exists"]


def write_workflow(cursor: sqlite3.Cursor, operation: WorkflowOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: its guard does not hold.
    """
    match operation:
        case StartWorkflow(workflow):
            start_workflow(cursor, workflow)
        case ClaimWorkflow(tenant, machine, handle, version, claim, tool, key, snapshot, digest):
            held = (claim, tool, key, snapshot, digest)
            if cursor.execute(_CLAIM, (*held, tenant, machine, handle, version)).rowcount == 0:
                raise CommitRefused("workflow", handle)
        case SettleWorkflow(tenant, machine, handle, claim, moves, expires_at):
            settled = (moves, tenant, machine, handle, claim)
            if expires_at is None:
                cursor.execute(_SETTLE, settled)
            else:
                cursor.execute(_SETTLE_AND_PROLONG, (*settled, micros(expires_at)))
        case CheckWorkflow(tenant, machine, handle, version):
            found = cursor.execute(_VERSION, (tenant, machine, handle)).fetchone()
            if version != (0 if found is None else found[0]):
                raise CommitRefused("workflow", handle)
        case DropWorkflow(tenant, machine, handle, version):
            if cursor.execute(_SQL["drop_free_workflow"], (tenant, machine, handle, version)).rowcount == 0:
                raise CommitRefused("workflow", handle)
        case _:
            assert_never(operation)


def start_workflow(cursor: sqlite3.Cursor, workflow: Workflow) -> None:
    """Add an instance.

    Raises:
        CommitRefused: its session is unknown, or its key exists.
    """
    if cursor.execute(_SQL["start_workflow"], WORKFLOW.row(workflow)).rowcount:
        return
    tenant, session = workflow.tenant, workflow.session
    if session is not None and cursor.execute(_KNOWN, {"tenant": tenant, "session": session}).fetchone() is None:
        raise CommitRefused("session", session)
    raise CommitRefused("workflow", workflow.handle)


def rewind_workflows(cursor: sqlite3.Cursor, operation: RewindSession) -> None:
    """Put what *operation* brings in place of the session's own instances.

    Raises:
        CommitRefused: a call holds one of them, or one that it brings stands where another owner's is.
    """
    tenant, session = operation.tenant, operation.session
    stays = {(workflow.machine, workflow.handle) for workflow in operation.workflows}
    for machine, handle, claim in cursor.execute(_SQL["own_workflows"], (tenant, session)).fetchall():
        if claim is not None:
            raise CommitRefused("workflow", handle)
        if (machine, handle) not in stays:
            cursor.execute(_SQL["drop_workflow"], (tenant, machine, handle))
    for workflow in operation.workflows:
        if cursor.execute(_SQL["put_workflow"], {**WORKFLOW.row(workflow), "own": session}).rowcount == 0:
            raise CommitRefused("workflow", workflow.handle)


def sweep_workflows(cursor: sqlite3.Cursor, sweep: SweepWorkflows) -> int:
    """Remove what is expired and held by nobody, longest over first, and say how many."""
    place = {"tenant": sweep.tenant, "now": micros(sweep.now), "limit": sweep.limit}
    return cursor.execute(_SQL["sweep_workflows"], place).rowcount
