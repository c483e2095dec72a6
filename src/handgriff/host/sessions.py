"""`host.sessions`: conversations of one caller. Ids are ours; a client's thread id is an alias."""

from collections.abc import Coroutine, Mapping, Sequence
from datetime import timedelta
from typing import Any, Protocol, TypeVar

from handgriff.core.batch import AppendEvent, CheckNothingRuns, CreateSession, DeleteSession, StateChange
from handgriff.core.caller import Caller, is_id
from handgriff.core.events import Event, SessionCreated
from handgriff.core.rows import Effect, Session
from handgriff.errors import BackendError, Refusal
from handgriff.host.branches import Rewound, copy_of, cut_back, happened_after, rewound_workflows, up_to, workflows_at
from handgriff.host.values import initial_delta, shared_values, stored_json
from handgriff.ports.store import CommitRefused
from handgriff.runtime.boundary.owed import pay
from handgriff.runtime.engine import Engine, require
from handgriff.runtime.recover import recover, refuse_busy, refuse_writing

PAGE = 50
EFFECTS_KEPT = timedelta(hours=24)
"""How long an effect's key protects although its session was deleted (specification 7.1)."""
REWIND_HELD = timedelta(seconds=60)
"""How long a rewind may take before workflows outside the store, which it holds meanwhile, are let go by others."""


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
    """Create, find, list, copy, cut back and delete sessions. What is not the caller's own is `not_found`, like what does not exist."""

    def __init__(self, host: Opened) -> None:
        self._host = host

    async def create(
        self, caller: Caller, *, alias: str | None = None, title: str | None = None, state: Mapping[str, Any] | None = None
    ) -> Session:
        """A new session, with `state` by key: `app:` and `user:` values are set in the same commit, `temp:` ones are dropped.

        Raises:
            Refusal: `invalid` for an impossible alias, `conflict` where the alias is taken, `limit` where a scope is full.
            DefinitionError: a key or value of `state` can be none.
        """
        _check_names(alias, title)
        engine = await self._host.engine()
        delta = initial_delta(engine.assistant, state or {})
        change = StateChange(caller.user, delta, engine.assistant.limits.state) if delta else None
        session = Session(caller.tenant, caller.user, engine.ids.new("session"), engine.clock.now(), title=title, alias=alias)
        created = AppendEvent(session.tenant, session.id, engine.written(None, SessionCreated(caller.user)), change)
        try:
            await engine.store.commit((CreateSession(session), created), durable=True)
        except CommitRefused as refused:
            if refused.guard in ("state", "limit"):
                raise Refusal("limit", f"The state of the new session does not fit: {refused.subject}.") from None
            raise Refusal("conflict", f"There is a session with this {refused.guard} already.") from None
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
        """The caller's own session; what a crash left of it has been closed. Its history is not read.

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

    async def state(self, caller: Caller, session: str) -> dict[str, Any]:
        """What the session sees now: `app:`, `user:` and its own keys, by key with its prefix.

        Raises:
            Refusal: `not_found`.
        """
        engine = await self._host.engine()
        found = await require(engine, caller, session)
        own = await engine.store.values(found.tenant, "session", found.id)
        return await shared_values(engine.store, found.tenant, found.user) | stored_json(own)

    async def states(self, caller: Caller, sessions: Sequence[Session]) -> dict[str, dict[str, Any]]:
        """The own keys of each of these sessions of the caller's, by session id; for lists."""
        engine = await self._host.engine()
        mine = [session.id for session in sessions if (session.tenant, session.user) == (caller.tenant, caller.user)]
        found = await engine.store.session_values(caller.tenant, mine)
        return {session: stored_json(found.get(session, {})) for session in mine}

    async def events(self, caller: Caller, session: str, *, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Events of the caller's own session with a seq greater than *after*.

        Raises:
            Refusal: `not_found`.
        """
        found = await self.get(caller, session)
        engine = await self._host.engine()
        return await engine.store.events(found.tenant, found.id, after=after, limit=limit)

    async def fork(
        self, caller: Caller, session: str, *, at: int | None = None, alias: str | None = None, title: str | None = None
    ) -> Session:
        """A new session that begins as a copy of this one up to the event *at*, the last one by default: its events, its lane and prefix,
        its own state as it was then. Proposals, effects and scratch stay with the old one.

        Raises:
            Refusal: `not_found`; `invalid` where there is no such event, or an impossible alias; `conflict` where the alias is taken.
        """
        _check_names(alias, title)
        engine = await self._host.engine()
        old = await self.get(caller, session)
        kept = await up_to(engine, old, old.head if at is None else at)
        new, copied = await copy_of(engine, old, kept, by=caller.user, alias=alias, title=title)
        # What lives beside the store first: a copy without it would begin anew, and nobody knows its id yet.
        await engine.workflows.restore(new.tenant, new.id, workflows_at(engine, kept, new))
        try:
            await engine.store.commit(copied, durable=True)
        except CommitRefused as refused:
            await engine.workflows.restore(new.tenant, new.id, ())
            if refused.guard == "alias":
                raise Refusal("conflict", "There is a session with this alias already.") from None
            raise Refusal("not_found", "There is no such session.") from None
        return await require(engine, caller, new.id)

    async def rewind(self, caller: Caller, session: str, to: int) -> Rewound:
        """Remove what came after the event *to*, really: events, seen values, proposals, and what they changed of the session's state.

        Raises:
            Refusal: `not_found`; `invalid` where there is no such event; `conversation_busy` while a turn or a write runs; `conflict` where
                an uncertain call holds a workflow of the session.
        """
        engine = await self._host.engine()
        found = await self.get(caller, session)
        kept = await up_to(engine, found, to)
        effects = await engine.store.effects(found.tenant, session=found.id)
        happened = await happened_after(engine, found, effects, after=to)
        refuse_busy(engine, found)
        refuse_writing([effect for effect in effects if effect.state == "running"])
        await pay(engine.boundary.effects, found.tenant, session=found.id)
        own = await engine.workflows.own_rows(found.tenant, found.id)
        if any(row.claim is not None for row in own):
            raise _uncertain()
        workflows = rewound_workflows(engine, found, kept, own)
        said, batch = await cut_back(engine, found, kept, engine.workflows.stored(workflows), by=caller.user)
        # What lives beside the store is claimed before and follows behind, also if this process dies in between.
        if not await engine.workflows.claim_back(workflows, said.id, engine.clock.now() + REWIND_HELD):
            raise _uncertain()
        try:
            await engine.store.commit(batch, durable=True)
        except CommitRefused as refused:
            await engine.workflows.settle_back(workflows, said.id, moves=False)
            if refused.guard == "effect":
                raise _writing() from None
            if refused.guard == "workflow":
                raise _uncertain() from None
            raise Refusal("conversation_busy", "Something was said in this conversation meanwhile.", retry_after=1) from None
        try:
            await engine.workflows.settle_back(workflows, said.id, moves=True)
        except BackendError as error:
            engine.log.warning("the workflows of session %s follow its rewind when they are next looked at", found.id, exc_info=error)
        return Rewound(await require(engine, caller, found.id), happened)

    async def happened(self, caller: Caller, session: str, *, after: int) -> Sequence[Effect]:
        """What happened in the world behind the event *after*: what a rewind to it could not take back.

        Raises:
            Refusal: `not_found`; `invalid` where there is no such event.
        """
        engine = await self._host.engine()
        found = await self.get(caller, session)
        await up_to(engine, found, after)
        return await happened_after(engine, found, await engine.store.effects(found.tenant, session=found.id), after=after)

    async def delete(self, caller: Caller, session: str) -> None:
        """Remove the session and everything of it but its ledger rows, and effect records of the last day, whose keys still protect, or of
        which nobody knows yet what became. Those go later, when garbage is collected.

        Raises:
            Refusal: `not_found`; `conversation_busy` while a turn or a write runs.
            BackendError: what lives beside the store could not be removed.
        """
        found = await self.get(caller, session)
        engine = await self._host.engine()
        refuse_busy(engine, found)
        # With its record the trace of what happens just now would be gone.
        refuse_writing(await engine.store.effects(found.tenant, session=found.id, state="running"))
        await pay(engine.boundary.effects, found.tenant, session=found.id)
        now = engine.clock.now()
        # What lives beside the store first: if that fails, the session is still there to be deleted again.
        await engine.notebooks.forget(found.tenant, found.id)
        delete = DeleteSession(found.tenant, found.id, now - EFFECTS_KEPT)
        try:
            # Asked once more in the commit itself: a write may have begun meanwhile.
            await engine.store.commit((CheckNothingRuns(found.tenant, now, found.id), delete), durable=True)
        except CommitRefused:
            raise _writing() from None
        # Only now: a session that stays would begin its workflows anew.
        await engine.workflows.restore(found.tenant, found.id, ())


def _writing() -> Refusal:
    return Refusal(
        "conversation_busy", "A write of this session is being carried out.", next="Wait until it has ended, then try again.", retry_after=1
    )


def _uncertain() -> Refusal:
    return Refusal(
        "conflict",
        "A call whose outcome nobody knows holds a workflow of this session.",
        next="Resolve it first: handgriff effects resolve.",
    )


def _check_names(alias: object, title: object) -> None:
    if alias is not None and not is_id(alias):
        raise Refusal("invalid", "alias: expected text of 1 to 256 bytes.", fields={"alias": "expected text of 1 to 256 bytes"})
    if title is not None and not is_id(title):
        raise Refusal("invalid", "title: expected text of 1 to 256 bytes.", fields={"title": "expected text of 1 to 256 bytes"})
