"""What a handler is given: one call, as a Protocol. The boundary makes the real one; handlers, checks and tests see this form."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from typing_extensions import TypeVar

from handgriff.core.caller import Caller
from handgriff.core.result import Result

DepsT_co = TypeVar("DepsT_co", covariant=True, default=Any)
T = TypeVar("T")


class State(Protocol):
    """State by key, for one call: reads are consistent, writes are kept until the call's outcome is committed.

    Keys are `name` (this session) and `temp:name` (this turn). Writing from a place that may only read raises `DefinitionError`.
    """

    def get(self, key: str, default: Any = None) -> Awaitable[Any]:
        """The value, a fresh copy; *default* where the key is absent."""
        ...

    def set(self, key: str, value: Any) -> Awaitable[None]:
        """Put a JSON value."""
        ...

    def delete(self, key: str) -> Awaitable[None]:
        """Remove the key; an absent key stays absent."""
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

    def tool(self, name: str, args: Mapping[str, Any]) -> Awaitable[Result[Any]]:
        """Call another tool, through the boundary, under this call's id.

        Raises:
            Refusal: what the boundary answered; `unconfirmed` where a person would have to confirm.
        """
        ...
