"""Kept instances of machines: started, held for one call, let go, asked for as a guard, and removed when their time is over."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias, assert_never

from handgriff.core.batch import CheckWorkflow, ClaimWorkflow, DropWorkflow, RewindSession, SettleWorkflow, StartWorkflow, SweepWorkflows
from handgriff.core.rows import Workflow
from handgriff.ports.store import CommitRefused
from handgriff.stores.memory.sessions import known_session
from handgriff.stores.memory.tables import Tables

WorkflowOperation: TypeAlias = StartWorkflow | ClaimWorkflow | SettleWorkflow | CheckWorkflow | DropWorkflow


def write_workflow(tables: Tables, operation: WorkflowOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: its guard does not hold.
    """
    match operation:
        case StartWorkflow(workflow):
            start_workflow(tables, workflow)
        case ClaimWorkflow():
            _claim(tables, operation)
        case SettleWorkflow():
            _settle(tables, operation)
        case CheckWorkflow(tenant, machine, handle, version):
            held = tables.workflows.get((tenant, machine, handle))
            if version != (0 if held is None else held.version):
                raise CommitRefused("workflow", handle)
        case DropWorkflow(tenant, machine, handle, version):
            held = tables.workflows.get((tenant, machine, handle))
            if held is None or held.version != version or held.claim is not None:
                raise CommitRefused("workflow", handle)
            tables.drop(tables.workflows, lambda key, _: key == (tenant, machine, handle))
        case _:
            assert_never(operation)


def start_workflow(tables: Tables, workflow: Workflow) -> None:
    """Add an instance.

    Raises:
        CommitRefused: its session is unknown, or its key exists.
    """
    if workflow.session is not None:
        known_session(tables, workflow.tenant, workflow.session)
    if not tables.add(tables.workflows, key_of(workflow), workflow):
        raise CommitRefused("workflow", workflow.handle)


def rewind_workflows(tables: Tables, operation: RewindSession) -> None:
    """Put what *operation* brings in place of the session's own instances.

    Raises:
        CommitRefused: a call holds one of them, or one that it brings stands where another owner's is.
    """
    own = workflows_of(tables, operation.tenant, operation.session)
    for workflow in own:
        if workflow.claim is not None:
            raise CommitRefused("workflow", workflow.handle)
    stays = {key_of(workflow) for workflow in operation.workflows}
    doomed = {key_of(workflow) for workflow in own} - stays
    tables.drop(tables.workflows, lambda key, _: key in doomed)
    for workflow in operation.workflows:
        held = tables.workflows.get(key_of(workflow))
        if held is not None and held.session != operation.session:
            raise CommitRefused("workflow", workflow.handle)
        version = workflow.version if held is None else held.version + 1
        tables.put(tables.workflows, key_of(workflow), replace(workflow, version=version))


def sweep_workflows(tables: Tables, sweep: SweepWorkflows) -> int:
    """Remove what is expired and held by nobody, longest over first, and say how many."""
    expired = sorted(
        (workflow.expires_at, key_of(workflow))
        for workflow in tables.workflows.values()
        if workflow.tenant == sweep.tenant and workflow.claim is None and workflow.expires_at is not None and workflow.is_expired(sweep.now)
    )
    doomed = {key for _, key in expired[: sweep.limit]}
    tables.drop(tables.workflows, lambda key, _: key in doomed)
    return len(doomed)


def workflows_of(tables: Tables, tenant: str, session: str | None) -> Sequence[Workflow]:
    """A session's own, or the tenant's, by machine and handle."""
    mine = (each for each in tables.workflows.values() if each.tenant == tenant and session in (None, each.session))
    return tuple(sorted(mine, key=key_of))


def key_of(workflow: Workflow) -> tuple[str, str, str]:
    """Where it is kept."""
    return workflow.tenant, workflow.machine, workflow.handle


def _claim(tables: Tables, claim: ClaimWorkflow) -> None:
    held = tables.workflows.get((claim.tenant, claim.machine, claim.handle))
    if held is None or held.version != claim.version or held.claim is not None:
        raise CommitRefused("workflow", claim.handle)
    claimed = replace(held, claim=claim.claim, tool=claim.tool, key=claim.key, next=claim.next, next_hash=claim.next_hash)
    tables.put(tables.workflows, key_of(held), claimed)


def _settle(tables: Tables, settle: SettleWorkflow) -> None:
    held = tables.workflows.get((settle.tenant, settle.machine, settle.handle))
    if held is None or held.claim != settle.claim:
        return
    if settle.moves:
        held = replace(held, snapshot=_given(held.next, held.snapshot), hash=_given(held.next_hash, held.hash))
    if settle.expires_at is not None and held.expires_at is not None:
        held = replace(held, expires_at=max(held.expires_at, settle.expires_at))
    freed = replace(held, version=held.version + 1, claim=None, tool=None, key=None, next=None, next_hash=None)
    tables.put(tables.workflows, key_of(held), freed)


def _given(later: str | None, present: str) -> str:
    return present if later is None else later
