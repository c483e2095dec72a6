"""What is done with one tenant's records, as plain functions that a worker thread runs.

They raise `BackendError` where a file or a folder fails.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from handgriff.core.cells import BoundReached, parts
from handgriff.core.delta import ChangeRefused, Delta, in_scopes
from handgriff.core.rows import Record
from handgriff.core.scratch import renewed, written
from handgriff.core.state import StateLimits
from handgriff.ports.store import CommitRefused
from handgriff.stores.files.folder import made, opened
from handgriff.stores.files.names import folder_name
from handgriff.stores.files.records import each, file_of, files_of, over, put, read, remove_over
from handgriff.stores.files.text import Name

SWEPT: Final = ".last_gc"
"""Holds the moment of the last sweep."""


def read_record(root: Path, name: Name, now: datetime) -> Record | None:
    """The record, if it lives; one that is over is removed."""
    with opened(root, folder_name(name.tenant), "read") as folder:
        found = read(folder, file_of(name)) if folder else None
        if folder is None or found is None:
            return None
        if not found.kept.is_over(now):
            return found.record()
        with folder.locked():
            remove_over(folder, [file_of(name)], now)
        return None


def read_tenant(root: Path, tenant: str, session: str | None, now: datetime) -> tuple[Record, ...]:
    """The records that live, by session and namespace."""
    with opened(root, folder_name(tenant), "read") as folder:
        every = each(folder, files_of(folder, session)) if folder else ()
        living = [found.record() for found in every if not found.kept.is_over(now)]
        return tuple(sorted(living, key=lambda record: (record.session, record.namespace)))


def write_delta(root: Path, tenant: str, session: str, delta: Delta, limits: StateLimits) -> None:
    """Apply the scratch operations of *delta*, one record after another.

    Raises:
        CommitRefused: a guard does not hold, or a bound is passed.
    """
    for part in parts(in_scopes(delta, scratch=True)):
        name = Name(tenant, session, part.namespace)
        with made(root, folder_name(tenant), "write") as folder, folder.locked():
            found = read(folder, file_of(name))
            try:
                kept = written(found.kept if found else None, part, limits)
            except ChangeRefused as refused:
                raise CommitRefused("state", refused.key) from refused
            except BoundReached as reached:
                raise CommitRefused("limit", reached.subject) from reached
            put(folder, name, kept)


def renew_record(root: Path, name: Name, *, now: datetime, until: datetime) -> None:
    """Prolong a record that lives."""
    with opened(root, folder_name(name.tenant), "renew") as folder:
        if folder is None:
            return
        with folder.locked():
            found = read(folder, file_of(name))
            if found is not None and (kept := renewed(found.kept, now=now, until=until)) is not found.kept:
                put(folder, name, kept)


def sweep_tenant(root: Path, tenant: str, *, now: datetime, limit: int) -> int:
    """Remove at most *limit* records that are over, and what killed writers left; say how many records."""
    with opened(root, folder_name(tenant), "sweep") as folder:
        if folder is None:
            return 0
        files, fault = over(folder, now)
        with folder.locked():
            folder.remove_begun()
            removed = remove_over(folder, files[:limit], now)
            folder.write(SWEPT, f"{now.astimezone(UTC).isoformat()}\n")
        if fault is not None:
            raise fault
        return removed


def forget_records(root: Path, tenant: str, session: str | None) -> None:
    """Remove the records of a session or a tenant, damaged ones too."""
    with opened(root, folder_name(tenant), "forget") as folder:
        if folder is None:
            return
        with folder.locked():
            for file in files_of(folder, session):
                folder.remove(file)
