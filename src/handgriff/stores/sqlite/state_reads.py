"""State read: values by scope, what a scope holds, and scratch records. What the methods promise is said by the store port."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from handgriff.core.delta import Value
from handgriff.core.rows import Record
from handgriff.core.scope import Scope
from handgriff.core.state import Totals
from handgriff.stores.sqlite.asking import Asking, Row, text_of
from handgriff.stores.sqlite.columns import micros, moment
from handgriff.stores.sqlite.statements import listed, statements

_SQL = statements("state")
_PREFIX = statements("ledger")["prefix"]


class StateReads(Asking):
    """The reads of state and scratch."""

    async def values(self, tenant: str, scope: Scope, scope_id: str, keys: Sequence[str] | None = None) -> dict[str, Value]:
        """The values of *keys*, or all; absent keys are absent."""
        if keys is None:
            return dict(self._all(_value, _SQL["all_values"], (tenant, scope, scope_id)))
        return dict(self._all(_value, listed(_SQL["some_values"], len(keys)), (tenant, scope, scope_id, *keys)))

    async def totals(self, tenant: str, scope: Scope, scope_id: str) -> Totals:
        """How much the scope holds."""
        place = {"tenant": tenant, "scope": scope, "scope_id": scope_id}
        return self._one(_totals, _SQL["totals"], place) or Totals()

    async def session_values(self, tenant: str, sessions: Sequence[str]) -> dict[str, dict[str, Value]]:
        """The session scope of each of *sessions* that holds anything."""
        found: dict[str, dict[str, Value]] = {}
        for session, *row in self._all(tuple, listed(_SQL["session_values"], len(sessions)), (tenant, *sessions)):
            key, value = _value(row)
            found.setdefault(session, {})[key] = value
        return found

    async def record(self, tenant: str, session: str, namespace: str, *, now: datetime) -> Record | None:
        """The record of this namespace."""
        place = {"tenant": tenant, "session": session, "namespace": namespace, "now": micros(now)}
        return next(iter(_records(tenant, self._all(tuple, _SQL["record"], place))), None)

    async def records(self, tenant: str, *, session: str | None = None, now: datetime) -> Sequence[Record]:
        """The records of a tenant, or of one session, by session and namespace."""
        statement = _SQL["records_of_tenant" if session is None else "records_of_session"]
        owner = {"tenant": tenant, "now": micros(now), **({} if session is None else {"session": session})}
        return tuple(_records(tenant, self._all(tuple, statement, owner)))

    async def prefix(self, tenant: str, hash: str) -> str | None:  # noqa: A002  # the field's name
        """A kept prefix's text."""
        return self._one(text_of, _PREFIX, {"tenant": tenant, "hash": hash})


def _records(tenant: str, rows: Iterable[tuple[Any, ...]]) -> Iterable[Record]:
    for (session, namespace, expires_at), cells in groupby(rows, key=itemgetter(0, 1, 2)):
        # A record without values is one row without a key.
        values = dict(_value(row[3:]) for row in cells if row[3] is not None)
        yield Record(tenant, session, namespace, moment(expires_at), values)


def _value(row: Row) -> tuple[str, Value]:
    key, text, version = row
    return key, Value(text, version)


def _totals(row: Row) -> Totals:
    return Totals(*row)
