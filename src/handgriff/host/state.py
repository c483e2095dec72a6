"""`host.state`: the state of a session, for the operator. A change from outside is an event like every other."""

from typing import Any

from handgriff.core.batch import AppendEvent, StateChange
from handgriff.core.caller import is_id
from handgriff.core.delta import Delete, Operation, Set
from handgriff.core.events import OperatorChange
from handgriff.core.rows import Session
from handgriff.core.scope import parse_key
from handgriff.errors import DefinitionError, Refusal
from handgriff.host.sessions import Opened
from handgriff.host.values import shared_values, stored_json, stored_text
from handgriff.ports.store import CommitRefused
from handgriff.runtime.engine import Engine


class HostState:
    """Read and change the state a session sees. For operators: nothing here asks whose session it is."""

    def __init__(self, host: Opened) -> None:
        self._host = host

    async def get(self, tenant: str, session: str) -> dict[str, Any]:
        """`app:`, `user:` and the session's own keys, by key with its prefix.

        Raises:
            Refusal: `not_found`.
        """
        engine = await self._host.engine()
        found = await find_session(engine, tenant, session)
        own = await engine.store.values(tenant, "session", found.id)
        return await shared_values(engine.store, tenant, found.user) | stored_json(own)

    async def set(self, tenant: str, session: str, key: str, value: Any, *, by: str) -> None:
        """Put a JSON value; the event says who did.

        Raises:
            Refusal: `not_found`; `limit` where the scope is full.
            DefinitionError: key or value can be none.
        """
        engine = await self._host.engine()
        scope, name = _stored_key(key)
        await self._change(engine, tenant, session, Set(scope, name, stored_text(engine.assistant, key, value)), f"state {key} set", by)

    async def delete(self, tenant: str, session: str, key: str, *, by: str) -> None:
        """Remove a key; the event says who did.

        Raises:
            Refusal: `not_found`; there is no such session, or key in it.
        """
        engine = await self._host.engine()
        scope, name = _stored_key(key)
        if key not in await self.get(tenant, session):
            raise Refusal("not_found", f"There is no key {key!r} in this session.")
        await self._change(engine, tenant, session, Delete(scope, name), f"state {key} deleted", by)

    async def _change(self, engine: Engine, tenant: str, session: str, operation: Operation, what: str, by: str) -> None:
        check_by(by)
        found = await find_session(engine, tenant, session)
        change = StateChange(found.user, (operation,), engine.assistant.limits.state)
        try:
            event = engine.written(None, OperatorChange(what, by))
            await engine.store.commit((AppendEvent(tenant, found.id, event, change),), durable=True)
        except CommitRefused as refused:
            if refused.guard == "session":
                raise Refusal("not_found", "There is no such session.") from None
            raise Refusal("limit", f"{refused.subject} may hold no more.") from None


def check_by(by: object) -> None:
    """Whether *by* names somebody, as the session's event will.

    Raises:
        Refusal: `invalid`.
    """
    if not is_id(by):
        raise Refusal("invalid", "by: expected the name of whoever does it.", fields={"by": "expected text of 1 to 256 bytes"})


async def find_session(engine: Engine, tenant: str, session: str) -> Session:
    """The session, of whichever user.

    Raises:
        Refusal: `not_found`.
    """
    found = await engine.store.session(tenant, session) if is_id(tenant) and is_id(session) else None
    if found is None:
        raise Refusal("not_found", "There is no such session.")
    return found


def _stored_key(key: str) -> tuple[Any, str]:
    parsed = parse_key(key)
    if parsed.scope == "temp":
        raise DefinitionError("state", repr(key), "temporary values are never stored.", mend="name a session, user: or app: key.")
    return parsed.scope, parsed.name
