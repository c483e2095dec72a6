"""What a handler is given: one call, as a Protocol. The boundary makes the real one; handlers, checks and tests see this form."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Final, Literal, Protocol

from typing_extensions import TypeVar

from handgriff.core.caller import Caller
from handgriff.core.result import Result

DepsT_co = TypeVar("DepsT_co", covariant=True, default=Any)
T = TypeVar("T")


class _Absent(Enum):
    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent.ABSENT
"""What a key holds that holds nothing, for `compare_and_set`; None is null, which is a value."""


class Reading(Protocol):
    """Values by key. What is read can't be changed in place; it says so when it is tried."""

    def get(self, key: str, default: Any = None) -> Awaitable[Any]:
        """The value; *default* where the key is absent."""
        ...

    def all(self) -> Awaitable[Mapping[str, Any]]:
        """Every value by key."""
        ...


class State(Reading, Protocol):
    """State by key, for one call: reads are consistent, writes are kept until the call's outcome is committed.

    Keys are `name` (this session), `user:name`, `app:name` and `temp:name` (this turn); `all` merges them. Writing where a call may only
    read, and what could not be kept (no JSON, too large, shaped like a credential), raises `DefinitionError` where it is written.
    """

    def set(self, key: str, value: Any) -> Awaitable[None]:
        """Put a JSON value."""
        ...

    def delete(self, key: str) -> Awaitable[None]:
        """Remove the key; an absent key stays absent."""
        ...

    def increment(self, key: str, by: int = 1) -> Awaitable[int]:
        """Add to a whole number (an absent key counts as 0), and answer the sum as this call sees it."""
        ...

    def append(self, key: str, value: Any) -> Awaitable[None]:
        """Put *value* at the end of a list."""
        ...

    def pop(self, key: str, default: Any = None) -> Awaitable[Any]:
        """Remove the last item of a list and answer it; *default* where there is none. The list must not change until it is stored."""
        ...

    def add(self, key: str, value: Any) -> Awaitable[None]:
        """`append`, unless the list holds an equal item."""
        ...

    def remove(self, key: str, value: Any) -> Awaitable[None]:
        """Take every equal item out of a list."""
        ...

    def compare_and_set(self, key: str, expected: Any, value: Any) -> Awaitable[None]:
        """Put *value* where the key holds *expected* (`ABSENT` for nothing), now and when the call's outcome is stored.

        Raises:
            Refusal: `conflict`; it is something else.
        """
        ...

    def merge(self, key: str, patch: Mapping[str, Any]) -> Awaitable[None]:
        """Merge an object by RFC 7396: null removes a member. For data that holds nulls it is the wrong operation."""
        ...


class Scratch(Reading, Protocol):
    """One notebook of the session, with one deadline: each write moves it to now + *ttl* (24 hours), never earlier.

    *ttl* is a timedelta or seconds. The operations are those of `State`.
    """

    def set(self, key: str, value: Any, *, ttl: timedelta | float | None = None) -> Awaitable[None]:
        """Put a JSON value."""
        ...

    def delete(self, key: str, *, ttl: timedelta | float | None = None) -> Awaitable[None]:
        """Remove the key."""
        ...

    def increment(self, key: str, by: int = 1, *, ttl: timedelta | float | None = None) -> Awaitable[int]:
        """Add to a whole number, and answer the sum as this call sees it."""
        ...

    def append(self, key: str, value: Any, *, ttl: timedelta | float | None = None) -> Awaitable[None]:
        """Put *value* at the end of a list: the way to collect."""
        ...

    def pop(self, key: str, default: Any = None, *, ttl: timedelta | float | None = None) -> Awaitable[Any]:
        """Remove the last item of a list and answer it; *default* where there is none."""
        ...

    def add(self, key: str, value: Any, *, ttl: timedelta | float | None = None) -> Awaitable[None]:
        """`append`, unless the list holds an equal item."""
        ...

    def remove(self, key: str, value: Any, *, ttl: timedelta | float | None = None) -> Awaitable[None]:
        """Take every equal item out of a list."""
        ...

    def compare_and_set(self, key: str, expected: Any, value: Any, *, ttl: timedelta | float | None = None) -> Awaitable[None]:
        """Put *value* where the key holds *expected* (`ABSENT` for nothing), now and when the call's outcome is stored."""
        ...

    def merge(self, key: str, patch: Mapping[str, Any], *, ttl: timedelta | float | None = None) -> Awaitable[None]:
        """Merge an object by RFC 7396."""
        ...

    def clear(self) -> Awaitable[None]:
        """Remove the record."""
        ...


@dataclass(frozen=True, slots=True)
class ConfirmedProposal:
    """The proposal a person confirmed. `before` is the plan's before values by label, or its version under "version"."""

    id: str
    before: Mapping[str, Any]
    decided_by: str


class Call(Protocol[DepsT_co]):
    """One use of a tool: who calls, in which session, with which of the application's objects."""

    @property
    def id(self) -> str:
        """The call's id."""
        ...

    @property
    def session(self) -> str:
        """The session's id."""
        ...

    @property
    def turn(self) -> str | None:
        """The turn's id; None outside a turn."""
        ...

    @property
    def caller(self) -> Caller:
        """Who calls, with the rights of this moment."""
        ...

    @property
    def deps(self) -> DepsT_co:
        """The application's own objects, opened for this call."""
        ...

    @property
    def state(self) -> State:
        """Session and turn state."""
        ...

    def scratch(self, namespace: str, *, renew: Literal["access"] | None = None, ttl: timedelta | float | None = None) -> Scratch:
        """The notebook of *namespace* (letters, digits, _ and -); with `renew="access"` reads prolong it too. *ttl* (24 hours) is how long
        it lives after an access that does not say."""
        ...

    @property
    def idempotency_key(self) -> str:
        """The effect's key, to hand on to systems that accept one."""
        ...

    @property
    def proposal(self) -> ConfirmedProposal | None:
        """The confirmed proposal this call carries out."""
        ...

    @property
    def now(self) -> datetime:
        """When this call began."""
        ...

    @property
    def log(self) -> logging.LoggerAdapter[logging.Logger]:
        """A logger that names the call."""
        ...

    def progress(self, done: int, total: int | None = None, text: str | None = None) -> Awaitable[None]:
        """Tell whoever watches how far it is."""
        ...

    def step(self, name: str, fn: Callable[[], Awaitable[T]]) -> Awaitable[T]:
        """Run *fn* once in this effect's life: a repeat answers what the finished step returned (JSON)."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Any]:
        """The application's database, where it is also the store's: a connection whose writes are committed with this call's outcome, once
        the handler has returned, or not at all. Once a call, in a tool with `transaction=True`. The connection is the driver's own
        (asyncpg, sqlite3); leave committing to the boundary, and what leaves the database out of it.

        Raises:
            DefinitionError: the tool does not declare it, or it is opened twice.
            BackendError: the database could not be reached.
        """
        ...

    def tool(self, name: str, args: Mapping[str, Any]) -> Awaitable[Result[Any]]:
        """Call another tool, through the boundary, under this call's id.

        Raises:
            Refusal: what the boundary answered; `unconfirmed` where a person would have to confirm.
        """
        ...
