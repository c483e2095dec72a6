"""One call of a person or a program, which whoever waits for it may take back.

Below is the boundary, which shields what it has begun to write; above, the host. What only reads ends when nobody waits any more; a write
is carried through, with its outcome's event.
"""

from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

import anyio

from handgriff.core.caller import Caller
from handgriff.core.outcome import Outcome
from handgriff.core.rows import Session
from handgriff.errors import Refusal
from handgriff.ports.store import CommitRefused
from handgriff.runtime.boundary.attempt import Attempt, Ended, Place
from handgriff.runtime.engine import Engine

T = TypeVar("T")


async def call(
    engine: Engine,
    caller: Caller,
    session: Session,
    tool: str,
    args: Mapping[str, Any] | str,
    *,
    typed: bool,
    scope: anyio.CancelScope,
) -> Outcome:
    """The outcome of one call inside *scope*, its event stored and its hooks told.

    Raises:
        Refusal: `not_found`; there is no such session any more.
        BackendError: the store failed.
    """
    place = Place(caller.tenant, caller.user, session.id, can_park=False, is_typed_in=False)
    attempt = Attempt(engine.ids.new("call"), tool, args, caller, place, is_typed=typed)
    passed = await engine.boundary.pass_through(attempt)
    if not isinstance(passed, Ended):
        raise AssertionError("a call that can't be parked is refused")  # noqa: TRY004  # a promise of the boundary
    with anyio.CancelScope(shield=True):
        try:
            if passed.ops:
                await engine.store.commit(passed.ops)
        except CommitRefused:
            raise Refusal("not_found", "There is no such session.") from None
        await engine.outbox.deliver(caller.tenant)
    if scope.cancel_called:
        engine.log.warning("call %s was carried through although nobody waits for it: %s", attempt.id, passed.outcome.code or "done")
    return passed.outcome


async def within(scope: anyio.CancelScope, work: Awaitable[T]) -> T | None:
    """What *work* answers; None where *scope* was cancelled before."""
    with scope:
        return await work
    return None
