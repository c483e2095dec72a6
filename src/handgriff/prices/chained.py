"""Several price books asked one after the other, usually the operator's own contract before the published list."""

from dataclasses import dataclass
from datetime import datetime

from handgriff.core.money import Prices
from handgriff.ports.prices import PriceBook


@dataclass(frozen=True, slots=True)
class Chained:
    """The first book that knows the model answers."""

    books: tuple[PriceBook, ...]

    def prices(self, provider: str, model: str, at: datetime) -> Prices | None:
        """The first answer, or None when no book has one."""
        for book in self.books:
            found = book.prices(provider, model, at)
            if found is not None:
                return found
        return None


def chained(*books: PriceBook) -> Chained:
    """*books* as one, the first taking precedence."""
    return Chained(books)
