"""The port of a scratch that lives beside the store (Redis, files): records with a deadline, written after the commit of their call."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from handgriff.core.delta import Delta
from handgriff.core.rows import Record
from handgriff.core.state import StateLimits


class Scratch(Protocol):
    """Notebooks with a deadline, one record per (tenant, session, namespace). A record that is expired at *now* is absent everywhere."""

    async def record(self, tenant: str, session: str, namespace: str, *, now: datetime) -> Record | None:
        """The record of this namespace."""
        ...

    async def records(self, tenant: str, *, session: str | None = None, now: datetime) -> Sequence[Record]:
        """The records of a tenant, or of one session, by session and namespace."""
        ...

    async def write(self, tenant: str, session: str, delta: Delta, *, now: datetime, limits: StateLimits) -> None:
        """Apply the scratch operations of *delta*, each record whole or not at all, however many write it at once.

        Raises:
            CommitRefused: a guard does not hold (`state`, the key), a bound is passed (`limit`).
            BackendError: the scratch could not be reached.
        """
        ...

    async def renew(self, tenant: str, session: str, namespace: str, *, now: datetime, until: datetime) -> None:
        """Prolong a record that lives; its deadline never comes earlier, and nothing is made where there is none."""
        ...

    async def sweep(self, tenant: str, *, now: datetime, limit: int) -> int:
        """Remove at most *limit* records that are expired when they are removed, and say how many."""
        ...

    async def forget(self, tenant: str, session: str | None = None) -> None:
        """Remove every record of a session, or of the whole tenant."""
        ...

    async def close(self) -> None:
        """Let go of what the adapter opened itself."""
        ...
