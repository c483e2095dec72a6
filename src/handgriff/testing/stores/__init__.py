"""The suite every store passes, ours and yours.

Subclass it in a test module and give the fixture; nothing else is needed::

    class TestMyStore(StoreSuite):
        @pytest.fixture
        async def store(self) -> AsyncIterator[Store]:
            store = await MyStore.open(...)
            yield store
            await store.close()

The store of each test is empty at its beginning. A test may have closed it; closing again is nothing.
"""

import pytest

# Before the modules are imported, so that a failing assert of theirs shows its values.
pytest.register_assert_rewrite(
    *(f"{__name__}.{part}" for part in ("sessions", "leases", "events", "state", "seen", "effects", "ledger", "batches", "ids"))
)

from handgriff.testing.stores.batches import BatchSuite  # noqa: E402  # see above
from handgriff.testing.stores.effects import EffectSuite, ProposalSuite  # noqa: E402
from handgriff.testing.stores.events import EventSuite  # noqa: E402
from handgriff.testing.stores.ids import HOSTILE, IdSuite  # noqa: E402
from handgriff.testing.stores.leases import LeaseSuite  # noqa: E402
from handgriff.testing.stores.ledger import LedgerSuite  # noqa: E402
from handgriff.testing.stores.seen import SeenSuite  # noqa: E402
from handgriff.testing.stores.sessions import SessionSuite  # noqa: E402
from handgriff.testing.stores.state import StateSuite  # noqa: E402

__all__ = ["HOSTILE", "StoreSuite"]


class StoreSuite(
    SessionSuite,
    LeaseSuite,
    EventSuite,
    StateSuite,
    SeenSuite,
    EffectSuite,
    ProposalSuite,
    LedgerSuite,
    BatchSuite,
    IdSuite,
):
    """Everything the store port promises."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def anyio_backend(self) -> str:
        """Handgriff runs on asyncio."""
        return "asyncio"
