"""How commands that list and show answer: tables and lines for people, or one JSON document a call.

Below are Rich and inert text; above, the operator's commands.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from datetime import datetime
from typing import Final, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from handgriff.cli.inert import inert, inert_json, one_line

_WIDE = 200
"""Columns where nobody looks at a terminal, so that ids stay in one piece."""
_DOCUMENTS: Final[list[TextIO]] = []
"""Where JSON documents go while the application's own printing goes elsewhere."""


def terminal() -> Console:
    """The console commands print to; it takes every text as it is."""
    is_wide = not sys.stdout.isatty() and not os.environ.get("COLUMNS")
    return Console(highlight=False, markup=False, emoji=False, width=_WIDE if is_wide else None)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Within it a terminal shows that something is being done."""
    with Console(stderr=True, highlight=False).status(Text(f"{what} …")):
        yield


@contextmanager
def documents_only(*, as_json: bool) -> Iterator[None]:
    """Within it, where the answer is JSON, nothing else comes to stdout: what the application prints goes to stderr."""
    if not as_json:
        yield
        return
    _DOCUMENTS.append(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _DOCUMENTS.pop()


def print_json(value: object) -> None:
    """One JSON document, in one line."""
    stream = _DOCUMENTS[-1] if _DOCUMENTS else sys.stdout
    stream.write(inert_json(value) + "\n")
    stream.flush()


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Rows under their headings; the first column is an id and is never cut."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    for number, heading in enumerate(headings):
        table.add_column(heading, no_wrap=number == 0, overflow="fold")
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    terminal().print(table if table.row_count else Text("None.", style="dim"))


def print_fields(fields: Iterable[tuple[str, str | None]]) -> None:
    """Names and values, a line each; what is absent is left out."""
    console = terminal()
    for name, value in fields:
        if value:
            console.print(Text.assemble((f"{name}: ", "bold"), inert(value)), soft_wrap=True)


def moment(at: datetime | None) -> str:
    """A time as the person's clock shows it."""
    return "" if at is None else f"{at.astimezone():%Y-%m-%d %H:%M:%S}"
