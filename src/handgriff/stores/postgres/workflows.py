"""Operations on kept instances of machines as words."""

from collections.abc import Sequence
from typing import TypeAlias, assert_never

from handgriff.core.batch import CheckWorkflow, ClaimWorkflow, DropWorkflow, SettleWorkflow, StartWorkflow, SweepWorkflows
from handgriff.stores.postgres.columns import WORKFLOW, Word, moment

WorkflowOperation: TypeAlias = StartWorkflow | ClaimWorkflow | SettleWorkflow | CheckWorkflow | DropWorkflow | SweepWorkflows


def workflow_words(operation: WorkflowOperation) -> Sequence[Word]:
    """The words of *operation*."""
    match operation:
        case StartWorkflow(workflow):
            return "workflow start", workflow.tenant, WORKFLOW.text(workflow)
        case ClaimWorkflow(tenant, machine, handle, version, claim, tool, key, snapshot, digest):
            return "workflow claim", tenant, machine, handle, str(version), claim, tool, key, snapshot, digest
        case SettleWorkflow(tenant, machine, handle, claim, moves, expires_at):
            return "workflow settle", tenant, machine, handle, claim, str(moves), moment(expires_at)
        case CheckWorkflow(tenant, machine, handle, version):
            return "workflow check", tenant, machine, handle, str(version)
        case DropWorkflow(tenant, machine, handle, version):
            return "workflow drop", tenant, machine, handle, str(version)
        case SweepWorkflows(tenant, now, limit):
            return "sweep workflows", tenant, moment(now), str(limit)
        case _:
            assert_never(operation)
