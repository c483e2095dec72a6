"""The suite every snapshot store passes, ours and yours.

Subclass it in a test module and give the fixture; nothing else is needed::

    class TestMySnapshots(SnapshotSuite):
        @pytest.fixture
        async def snapshots(self) -> AsyncIterator[SnapshotStore]:
            client = ...
            yield MySnapshots(client)
            await client.aclose()

The store of each test is empty at its beginning.
"""

import pytest

# Before the modules are imported, so that a failing assert of theirs shows its values.
pytest.register_assert_rewrite(*(f"{__name__}.{part}" for part in ("storing", "texts", "keys", "racing")))

from handgriff.testing.snapshots.keys import HOSTILE, KeySuite  # noqa: E402  # see above
from handgriff.testing.snapshots.racing import RaceSuite  # noqa: E402  # see above
from handgriff.testing.snapshots.storing import StoreSuite  # noqa: E402  # see above
from handgriff.testing.snapshots.texts import TextSuite  # noqa: E402  # see above

__all__ = ["HOSTILE", "SnapshotSuite"]


class SnapshotSuite(StoreSuite, TextSuite, KeySuite, RaceSuite):
    """Everything the snapshot port promises."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def anyio_backend(self) -> str:
        """Handgriff runs on asyncio."""
        return "asyncio"
