"""The suite every store passes, ours and yours.

Subclass it in a test module and give the fixture; nothing else is needed::

    class TestMyStore(StoreSuite):
        @pytest.fixture
        async def store(self) -> AsyncIterator[Store]:
            store = await MyStore.open(...)
            yield store
            await store.close()

The store of each test is empty at its beginning. A test may have closed it; closing again is nothing.

A store that shares its database with the application passes the `TransactionSuite` as well.
"""

import pytest

# Before the modules are imported, so that a failing assert of theirs shows its values.
pytest.register_assert_rewrite(
    *(
        f"{__name__}.{part}"
        for part in (
            "batches",
            "clearing",
            "codes",
            "contention",
            "deltas",
            "effects",
            "erasure",
            "events",
            "forks",
            "guards",
            "ids",
            "leases",
            "ledger",
            "limits",
            "operations",
            "outliving",
            "overview",
            "places",
            "proposals",
            "rewinds",
            "running",
            "scratch",
            "seen",
            "sessions",
            "state",
            "sweeping",
            "texts",
            "totals",
            "transactions",
            "workflow_copies",
            "workflow_races",
            "workflow_removal",
            "workflows",
        )
    )
)

from handgriff.testing.stores.batches import BatchSuite  # noqa: E402  # see above
from handgriff.testing.stores.clearing import ClearSuite  # noqa: E402
from handgriff.testing.stores.codes import CodeSuite  # noqa: E402
from handgriff.testing.stores.contention import ContentionSuite  # noqa: E402
from handgriff.testing.stores.deltas import DeltaSuite  # noqa: E402
from handgriff.testing.stores.effects import EffectSuite  # noqa: E402
from handgriff.testing.stores.erasure import EraseSuite  # noqa: E402
from handgriff.testing.stores.events import EventSuite  # noqa: E402
from handgriff.testing.stores.forks import ForkSuite  # noqa: E402
from handgriff.testing.stores.guards import GuardSuite  # noqa: E402
from handgriff.testing.stores.ids import HOSTILE, IdSuite  # noqa: E402
from handgriff.testing.stores.leases import LeaseSuite  # noqa: E402
from handgriff.testing.stores.ledger import LedgerSuite  # noqa: E402
from handgriff.testing.stores.limits import LimitSuite  # noqa: E402
from handgriff.testing.stores.operations import OperationSuite  # noqa: E402
from handgriff.testing.stores.outliving import OutlivingSuite  # noqa: E402
from handgriff.testing.stores.overview import OverviewSuite  # noqa: E402
from handgriff.testing.stores.places import PlaceSuite  # noqa: E402
from handgriff.testing.stores.proposals import ProposalSuite  # noqa: E402
from handgriff.testing.stores.rewinds import RewindSuite  # noqa: E402
from handgriff.testing.stores.running import RunningSuite  # noqa: E402
from handgriff.testing.stores.scratch import ScratchSuite  # noqa: E402
from handgriff.testing.stores.seen import SeenSuite  # noqa: E402
from handgriff.testing.stores.sessions import SessionSuite  # noqa: E402
from handgriff.testing.stores.state import StateSuite  # noqa: E402
from handgriff.testing.stores.sweeping import SweepSuite  # noqa: E402
from handgriff.testing.stores.texts import TextSuite  # noqa: E402
from handgriff.testing.stores.totals import TotalsSuite  # noqa: E402
from handgriff.testing.stores.transactions import TransactingStore, TransactionSuite  # noqa: E402
from handgriff.testing.stores.workflow_copies import WorkflowCopySuite  # noqa: E402
from handgriff.testing.stores.workflow_races import WorkflowRaceSuite  # noqa: E402
from handgriff.testing.stores.workflow_removal import WorkflowRemovalSuite  # noqa: E402
from handgriff.testing.stores.workflows import WorkflowSuite  # noqa: E402

__all__ = ["HOSTILE", "StoreSuite", "TransactingStore", "TransactionSuite"]


class StoreSuite(
    SessionSuite,
    LeaseSuite,
    EventSuite,
    StateSuite,
    OperationSuite,
    TextSuite,
    GuardSuite,
    DeltaSuite,
    LimitSuite,
    TotalsSuite,
    ContentionSuite,
    ScratchSuite,
    ClearSuite,
    SweepSuite,
    ForkSuite,
    RewindSuite,
    EraseSuite,
    OverviewSuite,
    SeenSuite,
    EffectSuite,
    RunningSuite,
    OutlivingSuite,
    ProposalSuite,
    CodeSuite,
    WorkflowSuite,
    WorkflowRaceSuite,
    WorkflowCopySuite,
    WorkflowRemovalSuite,
    LedgerSuite,
    BatchSuite,
    IdSuite,
    PlaceSuite,
):
    """Everything the store port promises."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def anyio_backend(self) -> str:
        """Handgriff runs on asyncio."""
        return "asyncio"
