"""The sheet of an order: what the depot's label printer reads, and what people open in a spreadsheet."""

import csv
from collections.abc import Iterable
from io import StringIO
from typing import Final

from examples.relabeling.directions import Direction

COLUMNS: Final = ("code", "from", "to")
_BEGINS_FORMULA: Final = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")
"""Spreadsheets take the full-width forms for the same."""


def sheet(codes: Iterable[str], direction: Direction) -> str:
    """The codes of one order as CSV (RFC 4180), a line each, with the carriers they go from and to."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([inert(code), inert(direction.origin), inert(direction.target)] for code in codes)
    return text.getvalue()


def inert(cell: str) -> str:
    """*cell* as a spreadsheet shows it and does not calculate it: an apostrophe goes in front of what would begin a formula."""
    begins = cell.lstrip()[:1]
    return f"'{cell}" if begins in _BEGINS_FORMULA or cell[:1] in {"\t", "\r", "\n"} else cell
