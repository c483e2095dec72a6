"""Instances moved out of the store, to where a host keeps them from now on. Each is kept there first and removed here behind: none is ever
nowhere; where both are, the one elsewhere counts."""

from handgriff.core.batch import DropWorkflow
from handgriff.core.rows import Workflow
from handgriff.errors import DefinitionError
from handgriff.ports.snapshots import SnapshotKey
from handgriff.ports.store import CommitRefused
from handgriff.runtime.boundary.elsewhere import Elsewhere
from handgriff.runtime.boundary.workflows import Workflows


async def move_out(workflows: Workflows, tenant: str) -> tuple[int, tuple[Workflow, ...]]:
    """Move what the tenant has in the store of known machines; how many, and those that stay: a call holds them, or another is there.

    Raises:
        DefinitionError: this host keeps none elsewhere.
        BackendError: one of the two stores failed. What was moved is moved, and the rest can be moved again.
    """
    elsewhere = workflows.elsewhere
    if elsewhere is None:
        raise DefinitionError("Host", "snapshots", "it keeps all workflows in the store.", mend="give the snapshots= to move them to.")
    rows = [row for row in await workflows.store.workflows(tenant) if workflows.known(row.machine) is not None]
    left = [row for row in rows if row.claim is not None or not await _is_moved(workflows, elsewhere, row)]
    return len(rows) - len(left), tuple(left)


async def _is_moved(workflows: Workflows, elsewhere: Elsewhere, row: Workflow) -> bool:
    if not await elsewhere.adopt(row):
        return False
    try:
        await workflows.store.commit((DropWorkflow(row.tenant, row.machine, row.handle, row.version),), durable=True)
    except CommitRefused:
        # It has moved since it was read, so that it is what counts.
        await elsewhere.replace(SnapshotKey(row.tenant, row.machine, row.handle), None)
        return False
    return True
