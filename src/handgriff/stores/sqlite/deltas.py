"""Deltas applied to the file: the cells of a delta's keys are read, the core computes, and what changed is written.

Most deltas change a few keys of a scope, without guards and outside scratch. For those the way is shorter: the core's operations one by
one, and the sums here. A test compares both ways.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, TypeAlias

from handgriff.core import jsontext
from handgriff.core.batch import StateChange
from handgriff.core.cells import BoundReached, Part, computed, first_version, parts
from handgriff.core.delta import Change, ChangeRefused, Clear, Delta, Expect, Renew, Set, changed, encode_delta, is_write
from handgriff.core.scope import Scope, scope_id
from handgriff.core.state import StateLimits, Totals
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite.columns import micros
from handgriff.stores.sqlite.places import (
    AT_ONCE,
    Held,
    Place,
    drop_place,
    read_place,
    read_rows,
    write_cells,
    write_record,
    write_rows,
    write_totals,
)

Changes: TypeAlias = Mapping[Scope, Sequence[Change]]
"""What a delta changes, by scope, in its order."""

_quoted: Final = json.JSONEncoder(ensure_ascii=False).encode
_ABSENT: Final = (None, 0)
_EMPTY: Final = Totals()


def read_delta(delta: Delta) -> tuple[str | None, Changes | None]:
    """What `encode_delta` answers; and what *delta* changes, where it consists of changes to a few keys and of nothing else."""
    changes: dict[Scope, list[Change]] = {}
    sets: list[str] = []
    for each in delta:
        if isinstance(each, (Expect, Renew, Clear)) or each.namespace or len(delta) > AT_ONCE:
            return encode_delta(delta), None
        if type(each) is Set:
            sets.append(f'["set","{each.scope}",{_quoted(each.key)},{_quoted(each.value)},""]')
        of_scope = changes.get(each.scope)
        if of_scope is None:
            changes[each.scope] = [each]
        else:
            of_scope.append(each)
    text = jsontext.clean(f"[{','.join(sets)}]") if sets and len(sets) == len(delta) else encode_delta(delta)
    return text, changes or None


def apply_changes(cursor: sqlite3.Cursor, tenant: str, session: str, change: StateChange, changes: Changes) -> None:
    """Apply *change*, which consists of *changes*.

    Raises:
        CommitRefused: an operation can't work on what it finds (`state`), or a bound is passed (`limit`).
    """
    # In the order of `parts`: shared places first.
    for scope, of_scope in changes.items() if len(changes) == 1 else sorted(changes.items(), key=itemgetter(0)):
        place: Place = (tenant, scope, scope_id(scope, change.user, session), "")
        try:
            _change(cursor, place, of_scope, change.limits)
        except ChangeRefused as refused:
            raise CommitRefused("state", refused.key) from refused


def apply_change(cursor: sqlite3.Cursor, tenant: str, session: str, change: StateChange) -> None:
    """Apply *change*.

    Raises:
        CommitRefused: a guard does not hold or an operation can't work on what it finds (`state`), or a bound is passed (`limit`).
    """
    try:
        for part in parts(change.delta):
            place: Place = (tenant, part.scope, scope_id(part.scope, change.user, session), part.namespace)
            _apply(cursor, place, part, change.limits)
    except ChangeRefused as refused:
        raise CommitRefused("state", refused.key) from refused
    except BoundReached as reached:
        raise CommitRefused("limit", reached.subject) from reached


def _change(cursor: sqlite3.Cursor, place: Place, changes: Sequence[Change], limits: StateLimits) -> None:
    before: dict[str, tuple[str | None, int]] = {}
    totals = None
    for key, number, value, *_ in read_rows(cursor, place, tuple(dict.fromkeys([change.key for change in changes]))):
        if key is None:
            totals = Totals(number, value)
        else:
            before[key] = (value, number)
    after: dict[str, tuple[str | None, int]] = {}
    for change in changes:
        key = change.key
        old, version = after.get(key) or before.get(key) or _ABSENT
        if type(change) is Set:
            after[key] = (change.value, version + 1)
        elif is_write(change, old, text := changed(change, old)):
            after[key] = (text, version + 1)
    if after:
        _write(cursor, place, before, after, totals, limits)


def _write(
    cursor: sqlite3.Cursor,
    place: Place,
    before: Mapping[str, tuple[str | None, int]],
    after: Mapping[str, tuple[str | None, int]],
    totals: Totals | None,
    limits: StateLimits,
) -> None:
    rows: list[Any] = []
    keys = size = 0
    for key, (text, version) in after.items():
        old, _ = before.get(key, _ABSENT)
        grown = (0 if text is None else _bytes(text)) - (0 if old is None else _bytes(old))
        if grown > 0 and text is not None and _bytes(text) > limits.value_bytes:
            raise CommitRefused("limit", key)
        more = (text is not None) - (old is not None)
        keys += more
        size += grown + more * _bytes(key)
        rows += key, version, text
    write_rows(cursor, place, rows)
    if keys or size or totals is None:
        held = totals or _EMPTY
        total = Totals(held.keys + keys, held.bytes + size)
        if total.exceeds(limits.keys, limits.scope_bytes, held):
            raise CommitRefused("limit", place[1])
        write_totals(cursor, place, total.keys, total.bytes)


def _apply(cursor: sqlite3.Cursor, place: Place, part: Part, limits: StateLimits) -> None:
    held = read_place(cursor, place, part.keys)
    expires_at = held.expires_at
    if part.renew is not None and expires_at is not None and expires_at <= micros(part.renew.at):
        drop_place(cursor, place)
        held, expires_at = Held(), None
    begins = expires_at is None or part.clears
    began = 0 if part.renew is None else first_version(part.renew.at) if begins else held.first_version
    result = computed(part, held.cells, held.totals, limits, first_version=began)
    if part.clears:
        drop_place(cursor, place)
    if result.cells:
        write_cells(cursor, place, result.cells)
    if part.renew is not None and not part.removes:
        until = micros(part.renew.until)
        write_record(cursor, place, result.totals, until if begins else max(until, expires_at or 0), began)
    elif result.cells and (result.totals != held.totals or not held.is_known):
        write_totals(cursor, place, result.totals.keys, result.totals.bytes)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
