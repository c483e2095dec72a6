"""The suite every scratch passes, ours and yours.

Subclass it in a test module and give the fixture; nothing else is needed::

    class TestMyScratch(ScratchSuite):
        @pytest.fixture
        async def scratch(self) -> AsyncIterator[Scratch]:
            scratch = MyScratch.open(...)
            yield scratch
            await scratch.close()

The scratch of each test is empty at its beginning. A test may have closed it; closing again is nothing. A store passes the suite too, as
`handgriff.testing.scratch.stored.SessionsOnDemand(store)`.
"""

import pytest

# Before the modules are imported, so that a failing assert of theirs shows its values.
pytest.register_assert_rewrite(*(f"{__name__}.{part}" for part in ("writing", "deadlines", "guards", "bounds", "sweeping", "places")))

from handgriff.testing.scratch.bounds import BoundSuite  # noqa: E402  # see above
from handgriff.testing.scratch.deadlines import DeadlineSuite  # noqa: E402  # see above
from handgriff.testing.scratch.guards import GuardSuite  # noqa: E402  # see above
from handgriff.testing.scratch.places import HOSTILE, PlaceSuite  # noqa: E402  # see above
from handgriff.testing.scratch.sweeping import SweepSuite  # noqa: E402  # see above
from handgriff.testing.scratch.writing import WriteSuite  # noqa: E402  # see above

__all__ = ["HOSTILE", "ScratchSuite"]


class ScratchSuite(WriteSuite, DeadlineSuite, GuardSuite, BoundSuite, SweepSuite, PlaceSuite):
    """Everything the scratch port promises."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def anyio_backend(self) -> str:
        """Handgriff runs on asyncio."""
        return "asyncio"
