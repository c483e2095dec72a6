"""`host.sessions`: conversations of one caller. Ids are ours; a client's thread id is an alias."""

from collections.abc import Coroutine, Sequence
from datetime import timedelta
from typing import Any, Protocol, TypeVar

from handgriff.core.batch import AppendEvent, CreateSession, DeleteSession
from handgriff.core.caller import Caller, is_id
from handgriff.core.events import Event, SessionCreated
from handgriff.core.rows import Session
from handgriff.errors import Refusal
from handgriff.ports.store import CommitRefused
from handgriff.runtime.engine import Engine, require
from handgriff.runtime.recover import recover, refuse_busy, refuse_writing

PAGE = 50
EFFECTS_KEPT = timedelta(hours=24)
"""How long an effect's key protects although its session was deleted (specification 7.1)."""


T = TypeVar("T")


class Opened(Protocol):
    """What these parts need of the host."""

    async def engine(self) -> Engine:
        """The runtime."""
        ...

    async def go_on(self, caller: Caller, session: Session) -> bool:
        """Begin the turn that follows the last decision."""
        ...

    async def uncut(self, work: Coroutine[Any, Any, T]) -> T:
        """Carry *work* through, also when whoever waits for it is cancelled."""
        ...


class HostSessions:
    """Create, find, list and delete sessions. Whatever is not the caller's own is `not_found`, like what does not exist."""

    def __init__(self, host: Opened) -> None:
        self._host = host

    async def create(self, caller: Caller, *, alias: str | None = None, title: str | None = None) -> Session:
        """A new session.

        Raises:
            Refusal: `invalid` for an impossible alias, `conflict` where the alias is taken.
        """
        if alias is not None and not is_id(alias):
            raise Refusal("invalid", "alias: expected text of 1 to 256 bytes.", fields={"alias": "expected text of 1 to 256 bytes"})
        engine = await self._host.engine()
        session = Session(caller.tenant, caller.user, engine.ids.new("session"), engine.clock.now(), title=title, alias=alias)
        created = AppendEvent(session.tenant, session.id, engine.written(None, SessionCreated(caller.user)))
        try:
            await engine.store.commit((CreateSession(session), created), durable=True)
        except CommitRefused as taken:
            raise Refusal("conflict", f"There is a session with this {taken.guard} already.") from None
        return await require(engine, caller, session.id)

    async def open(self, caller: Caller, alias: str) -> Session:
        """The session of this alias, created where there is none."""
        engine = await self._host.engine()
        found = await engine.store.session_by_alias(caller.tenant, caller.user, alias) if is_id(alias) else None
        if found is not None:
            return found
        try:
            return await self.create(caller, alias=alias)
        except Refusal as refusal:
            # Two requests created it at once; the other one's is as good.
            again = await engine.store.session_by_alias(caller.tenant, caller.user, alias) if refusal.code == "conflict" else None
            if again is None:
                raise
            return again

    async def get(self, caller: Caller, session: str) -> Session:
        """The caller's own session; what a crash left of it has been closed.

        Raises:
            Refusal: `not_found`.
        """
        engine = await self._host.engine()
        return await recover(engine, await require(engine, caller, session))

    async def list(self, caller: Caller, *, before: str | None = None, limit: int = PAGE) -> Sequence[Session]:
        """The caller's sessions, newest first; `before` is the id of the last one already seen."""
        engine = await self._host.engine()
        if before is not None and not is_id(before):
            return ()
        return await engine.store.sessions(caller.tenant, caller.user, before=before, limit=max(1, min(limit, PAGE)))

    async def events(self, caller: Caller, session: str, *, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Events of the caller's own session with a seq greater than *after*.

        Raises:
            Refusal: `not_found`.
        """
        found = await self.get(caller, session)
        engine = await self._host.engine()
        return await engine.store.events(found.tenant, found.id, after=after, limit=limit)

    async def delete(self, caller: Caller, session: str) -> None:
        """Remove the session and everything of it but its ledger rows, and effect records of the last day: their keys still protect.

        Raises:
            Refusal: `not_found`; `conversation_busy` while a turn or a write runs.
        """
        found = await self.get(caller, session)
        engine = await self._host.engine()
        refuse_busy(engine, found)
        # With its record the trace of what happens just now would be gone.
        refuse_writing(await engine.store.effects(found.tenant, session=found.id, state="running"))
        kept = engine.clock.now() - EFFECTS_KEPT
        await engine.store.commit((DeleteSession(found.tenant, found.id, kept),), durable=True)
