from datetime import UTC, datetime

from handgriff.prices.chained import chained
from handgriff.prices.table import Entry, PriceTable

AT = datetime(2026, 11, 29, tzinfo=UTC)
ENTRY: Entry = {"input": "3", "cache_read": "0.30", "cache_write_5m": "3.75", "cache_write_1h": "6", "output": "15"}


def test_the_first_book_that_knows_the_model_answers() -> None:
    own = PriceTable({"a": ENTRY}, version="own")
    public = PriceTable({"a": ENTRY, "b": ENTRY}, version="public")
    book = chained(own, public)

    assert book.prices("p", "a", AT) == own.prices("p", "a", AT)
    assert book.prices("p", "b", AT) == public.prices("p", "b", AT)
    assert book.prices("p", "c", AT) is None
