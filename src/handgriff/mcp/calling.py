"""One call that its client may take back: what only reads ends then, what writes is carried through.

Below are the host and the boundary, which shields what it has begun to write; above, the handler. A client that leaves costs a write
nothing, not even its outcome's row.
"""

from collections.abc import Awaitable, Mapping
from typing import Any

import anyio

from handgriff.core import jsontext
from handgriff.core.caller import Caller
from handgriff.core.outcome import Outcome
from handgriff.errors import Refusal
from handgriff.host.host import Host
from handgriff.mcp.results import LOG
from handgriff.ports.store import CommitRefused
from handgriff.runtime.boundary.attempt import Attempt, Ended, Place

NAME_CHARACTERS = 65
"""One more than a tool's name may have; the rest of a longer one tells nobody anything."""


async def called(host: Host, caller: Caller, tool: str, arguments: Mapping[str, Any], session: str) -> Outcome:
    """The outcome of one call, whose arguments a model wrote.

    Raises:
        Refusal: `not_found`; there is no such session any more.
        BackendError: the store failed.
    """
    scope = anyio.CancelScope()
    name = jsontext.clean(tool)[:NAME_CHARACTERS]
    try:
        outcome = await host.uncut(_within(scope, _call(host, caller, name, arguments, session, scope)))
    except anyio.get_cancelled_exc_class():
        scope.cancel()
        raise
    if outcome is None:
        raise AssertionError("only a caller that was cancelled itself gets no outcome")
    return outcome


async def _within(scope: anyio.CancelScope, work: Awaitable[Outcome]) -> Outcome | None:
    with scope:
        return await work
    return None


async def _call(host: Host, caller: Caller, tool: str, arguments: Mapping[str, Any], session: str, scope: anyio.CancelScope) -> Outcome:
    engine = await host.engine()
    place = Place(caller.tenant, caller.user, session, can_park=False, is_typed_in=False)
    call = engine.ids.new("call")
    passed = await engine.boundary.pass_through(Attempt(call, tool, arguments, caller, place))
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
        LOG.warning("call %s of %r was carried through although its client took it back: %s", call, tool, passed.outcome.code or "done")
    return passed.outcome
