"""Dictionaries that can take back what was last written to them. Their values never change; they are replaced."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, TypeAlias, TypeVar

from handgriff.core.cells import Cell
from handgriff.core.events import Event
from handgriff.core.rows import Effect, Proposal, QueuedHook, Request, Session, Workflow
from handgriff.core.scope import Scope

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

Cells: TypeAlias = dict[str, Cell]
"""The values of one place, by key."""


class Place(NamedTuple):
    """One scope of one owner, or one scratch record."""

    tenant: str
    scope: Scope
    owner: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a scratch record is over, and where the versions of its keys begin: behind those of any record that stood there before."""

    at: datetime
    first_version: int


@dataclass(slots=True)
class Tables:
    """Everything a memory store holds, each table by its whole key; tenant comes first."""

    sessions: dict[tuple[str, str], Session] = field(default_factory=dict)
    events: dict[tuple[str, str, int], Event] = field(default_factory=dict)
    bodies: dict[tuple[str, str, str], tuple[int, str, str, str | None]] = field(default_factory=dict)
    """Seq, kind, text and delta of an event, by its id."""
    state: dict[Place, Cells] = field(default_factory=dict)
    deadlines: dict[Place, Deadline] = field(default_factory=dict)
    """Of scratch records."""
    introduced: dict[tuple[str, str, str, str], int] = field(default_factory=dict)
    """The seq of the event that a value came with."""
    typed: dict[tuple[str, str], tuple[tuple[int, str], ...]] = field(default_factory=dict)
    """Seq and text."""
    effects: dict[tuple[str, str, str], Effect] = field(default_factory=dict)
    proposals: dict[tuple[str, str], Proposal] = field(default_factory=dict)
    codes: dict[tuple[str, str], tuple[datetime, ...]] = field(default_factory=dict)
    """When codes were kept for a user; they outlive their proposals."""
    workflows: dict[tuple[str, str, str], Workflow] = field(default_factory=dict)
    hooks: dict[tuple[str, str], QueuedHook] = field(default_factory=dict)
    requests: dict[tuple[str, str], Request] = field(default_factory=dict)
    prefixes: dict[tuple[str, str], str] = field(default_factory=dict)
    _undo: list[Callable[[], object]] = field(default_factory=list)

    def put(self, table: dict[K, V], key: K, value: V) -> None:
        """Put *value* at *key*."""
        if key in table:
            old = table[key]
            self._undo.append(lambda: table.update({key: old}))
        else:
            self._undo.append(lambda: table.pop(key))
        table[key] = value

    def add(self, table: dict[K, V], key: K, value: V) -> bool:
        """Put *value* at *key* where nothing is, and say whether it was put."""
        if key in table:
            return False
        self.put(table, key, value)
        return True

    def drop(self, table: dict[K, V], is_doomed: Callable[[K, V], bool]) -> None:
        """Remove what *is_doomed*."""
        doomed = [key for key, value in table.items() if is_doomed(key, value)]
        if not doomed:
            return
        # The order of a dictionary is the order of arrival, so all of it is put back.
        before = dict(table)

        def put_back() -> None:
            table.clear()
            table.update(before)

        self._undo.append(put_back)
        for key in doomed:
            del table[key]

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Within it everything is written, or nothing."""
        try:
            yield
        except BaseException:
            for take_back in reversed(self._undo):
                take_back()
            raise
        finally:
            self._undo.clear()
