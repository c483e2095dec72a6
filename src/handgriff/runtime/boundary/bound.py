"""The call a handler is given, bound to its session, its effect record and the application's objects."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol, TypeVar

from handgriff.core import jsontext
from handgriff.core.call import ConfirmedProposal
from handgriff.core.caller import Caller
from handgriff.core.delta import Delta
from handgriff.core.events import FrameBody, Progress
from handgriff.core.result import Result
from handgriff.runtime.boundary.access import Access
from handgriff.runtime.boundary.scratch import BoundScratch, Scratches
from handgriff.runtime.boundary.state import BoundState
from handgriff.runtime.boundary.together import Together

T = TypeVar("T")
Steps = Callable[[str, str], Awaitable[None]]


class InnerCall(Protocol):
    """How a call makes another one."""

    def __call__(self, name: str, args: Mapping[str, Any], *, may_write: bool) -> Awaitable[Result[Any]]:
        """Make it; one that writes only where *may_write*."""
        ...


@dataclass(slots=True)
class BoundCall:
    """`Call`, for real. What a step returned is kept by `record`; `inner` leads back to the boundary's first step."""

    id: str
    session: str
    turn: str | None
    caller: Caller
    deps: Any
    state: BoundState
    scratches: Scratches
    access: Access
    now: datetime
    log: logging.LoggerAdapter[logging.Logger]
    say: Callable[[FrameBody], None]
    inner: InnerCall
    idempotency_key: str
    together: Together
    proposal: ConfirmedProposal | None = None
    steps: dict[str, str] = field(default_factory=dict)
    step_begun: str | None = None
    """The step that was begun last, while it has not finished."""
    record: Steps | None = None

    def scratch(self, namespace: str, *, renew: Literal["access"] | None = None, ttl: timedelta | float | None = None) -> BoundScratch:
        """The notebook of *namespace*."""
        return self.scratches.open(namespace, renew=renew, ttl=ttl)

    def delta(self) -> Delta:
        """What this call wrote, to be stored with its outcome."""
        return (*self.state.delta(), *self.scratches.delta())

    def forget(self) -> None:
        """Drop what it wrote: it has failed."""
        self.state.forget()
        self.scratches.forget()

    async def progress(self, done: int, total: int | None = None, text: str | None = None) -> None:
        """Tell whoever watches how far it is."""
        self.say(Progress(self.id, done, total, None if text is None else jsontext.clean(text)))

    async def step(self, name: str, fn: Callable[[], Awaitable[T]]) -> T:
        """Run *fn* once in this effect's life."""
        if name in self.steps:
            return jsontext.loads(self.steps[name])  # type: ignore[return-value]  # the JSON of what fn returned
        self.access.check_running("call.step")
        self.together.check_nothing_else("call.step")
        self.step_begun = name
        returned = await fn()
        text = jsontext.dumps(returned)  # refused by name and type where it is not JSON
        if self.record is not None:
            await self.record(name, text)
        self.steps[name], self.step_begun = text, None
        return returned

    def transaction(self) -> AbstractAsyncContextManager[Any]:
        """The application's database, committed with this call's outcome."""
        return self.together.use()

    async def tool(self, name: str, args: Mapping[str, Any]) -> Result[Any]:
        """Call another tool."""
        self.together.check_nothing_else("call.tool")
        return await self.inner(name, args, may_write=self.access.is_running)
