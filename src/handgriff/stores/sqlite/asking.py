"""How the reading half asks: one statement, one consistent view, and its faults as `BackendError`."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from handgriff.stores.sqlite.faults import fault
from handgriff.stores.sqlite.statements import filtered

R = TypeVar("R")
Row: TypeAlias = Sequence[Any]


class Asking:
    """A connection that is only read from. A question takes microseconds, so it is asked on the event loop."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._reading = connection

    def _one(self, record: Callable[[Row], R], statement: str, values: Row | Mapping[str, Any]) -> R | None:
        return next(iter(self._all(record, statement, values)), None)

    def _all(self, record: Callable[[Row], R], statement: str, values: Row | Mapping[str, Any]) -> tuple[R, ...]:
        try:
            return tuple(map(record, self._reading.execute(statement, values).fetchall()))
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise fault("read", error) from error

    def _filtered(self, record: Callable[[Row], R], statement: str, tenant: str, filters: Mapping[str, str | None]) -> tuple[R, ...]:
        given = {column: value for column, value in filters.items() if value is not None}
        return self._all(record, filtered(statement, *given), {"tenant": tenant, **given})


def text_of(row: Row) -> str:
    """The text a row consists of."""
    text: str = row[0]
    return text
