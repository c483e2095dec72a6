"""The price port: what a model costs at a moment."""

from datetime import datetime
from typing import Protocol

from handgriff.core.money import Prices


class PriceBook(Protocol):
    """Knows prices. A pure look-up: no network, no clock, and no exception for a model it doesn't know."""

    def prices(self, provider: str, model: str, at: datetime) -> Prices | None:
        """The prices of *provider*'s *model* for a request sent *at* (aware), or None: the row is unpriced, never free."""
        ...
