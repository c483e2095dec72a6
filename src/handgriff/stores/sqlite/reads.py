"""The reading half: sessions, events, records, and what an operator asks. State is read beside it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from handgriff.core.delta import decode_delta
from handgriff.core.events import Event, ProposalState, decode
from handgriff.core.rows import Effect, EffectState, Proposal, QueuedHook, Request, Session, Workflow
from handgriff.core.seen import SHORTEST, stands_alone
from handgriff.stores.sqlite.asking import Row, text_of
from handgriff.stores.sqlite.columns import day, micros, moment, session_record
from handgriff.stores.sqlite.effects import EFFECT
from handgriff.stores.sqlite.proposals import PROPOSAL
from handgriff.stores.sqlite.records import HOOK, REQUEST
from handgriff.stores.sqlite.state_reads import StateReads
from handgriff.stores.sqlite.statements import listed, statements
from handgriff.stores.sqlite.workflows import WORKFLOW

_SESSIONS = statements("sessions")
_EVENTS = statements("events")
_EFFECTS = statements("effects")
_WORKFLOWS = statements("workflows")
_LEDGER = statements("ledger")
_OPERATOR = statements("operator")


class Reads(StateReads):
    """The reads of the store port. What they promise is said there."""

    async def session(self, tenant: str, session: str) -> Session | None:
        """The session, of whichever user."""
        return self._one(session_record, _SESSIONS["session"], {"tenant": tenant, "session": session})

    async def session_by_alias(self, tenant: str, user: str, alias: str) -> Session | None:
        """The session a client's thread id stands for."""
        return self._one(session_record, _SESSIONS["session_by_alias"], {"tenant": tenant, "user": user, "alias": alias})

    async def sessions(self, tenant: str, user: str, *, before: str | None = None, limit: int = 50) -> Sequence[Session]:
        """A user's sessions, newest first."""
        statement = _SESSIONS["newest_sessions" if before is None else "older_sessions"]
        return self._all(session_record, statement, {"tenant": tenant, "user": user, "before": before, "limit": limit})

    async def events(self, tenant: str, session: str, *, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Events with a seq greater than *after*, in order."""
        place = {"tenant": tenant, "session": session, "after": after, "limit": -1 if limit is None else limit}
        return self._all(_event, _EVENTS["events"], place)

    async def seen(self, tenant: str, session: str, kind: str, value: str) -> Literal["introduced", "typed"] | None:
        """Whether *value* was introduced as *kind*, or stands in a typed text by itself."""
        place = {"tenant": tenant, "session": session, "kind": kind, "value": value}
        if self._one(text_of, _EVENTS["introduced"], place) is not None:
            return "introduced"
        if len(value) < SHORTEST:
            return None
        # SQLite finds the value, as bytes; whether it stands alone is decided above. The texts are one session's.
        return "typed" if any(stands_alone(value, text) for text in self._all(text_of, _EVENTS["typed_with"], place)) else None

    async def effect(self, tenant: str, tool: str, key: str) -> Effect | None:
        """The record of this key."""
        return self._one(EFFECT.record, _EFFECTS["effect"], {"tenant": tenant, "tool": tool, "key": key})

    async def effects(self, tenant: str, *, session: str | None = None, state: EffectState | None = None) -> Sequence[Effect]:
        """Records, oldest claim first."""
        return self._filtered(EFFECT.record, _EFFECTS["effects"], tenant, {"session": session, "state": state})

    async def unsettled(self, tenant: str, *, session: str | None = None) -> Sequence[Effect]:
        """Records that are running or indeterminate, oldest claim first."""
        return self._filtered(EFFECT.record, _EFFECTS["unsettled"], tenant, {"session": session})

    async def owing(self, tenant: str, *, session: str | None = None, user: str | None = None) -> Sequence[Effect]:
        """Records that are done, and that an instance outside the store has still to follow; oldest claim first."""
        return self._filtered(EFFECT.record, _EFFECTS["owing"], tenant, {"session": session, "user": user})

    async def proposal(self, tenant: str, proposal: str) -> Proposal | None:
        """The proposal, of whichever user."""
        return self._one(PROPOSAL.record, _EFFECTS["proposal"], {"tenant": tenant, "proposal": proposal})

    async def proposals(
        self, tenant: str, *, user: str | None = None, session: str | None = None, state: ProposalState | None = None
    ) -> Sequence[Proposal]:
        """Proposals, oldest first."""
        return self._filtered(PROPOSAL.record, _EFFECTS["proposals"], tenant, {"user": user, "session": session, "state": state})

    async def for_second_person(self, tenant: str, now: datetime) -> Sequence[Proposal]:
        """Pending proposals that another person must confirm, oldest first."""
        return self._all(PROPOSAL.record, _EFFECTS["for_second_person"], {"tenant": tenant, "now": micros(now)})

    async def waiting(self, tenant: str, user: str, now: datetime, *, session: str | None = None) -> Sequence[Proposal]:
        """A user's pending proposals that are not expired, oldest first."""
        mine = {"tenant": tenant, "user": user, "session": session, "now": micros(now)}
        return self._all(PROPOSAL.record, _EFFECTS["waiting"], mine)

    async def hooks(self, tenant: str) -> Sequence[QueuedHook]:
        """Queued hooks, oldest first."""
        return self._all(HOOK.record, _EFFECTS["hooks"], {"tenant": tenant})

    async def workflow(self, tenant: str, machine: str, handle: str) -> Workflow | None:
        """The instance of this key, of whichever user."""
        return self._one(WORKFLOW.record, _WORKFLOWS["workflow"], {"tenant": tenant, "machine": machine, "handle": handle})

    async def workflows(self, tenant: str, *, session: str | None = None) -> Sequence[Workflow]:
        """A session's own instances, or all of the tenant's; by machine and handle."""
        return self._filtered(WORKFLOW.record, _WORKFLOWS["workflows"], tenant, {"session": session})

    async def requests(self, tenant: str, *, session: str | None = None, turn: str | None = None) -> Sequence[Request]:
        """Ledger rows, oldest first."""
        return self._filtered(REQUEST.record, _LEDGER["requests"], tenant, {"session": session, "turn": turn})

    async def tenants(self) -> Sequence[str]:
        """Every tenant that has a session, state, effects, workflows or ledger rows, in order."""
        return self._all(text_of, _OPERATOR["tenants"], ())

    async def interrupted(self, now: datetime, *, limit: int = 100) -> Sequence[tuple[str, str]]:
        """Sessions whose lease is over and still names a turn."""
        return self._all(_pair, _OPERATOR["interrupted"], {"now": micros(now), "limit": limit})

    async def abandoned(self, now: datetime, *, limit: int = 100) -> Sequence[tuple[str, str]]:
        """Sessions with an effect that runs by its record and whose lease is over, oldest lease first."""
        return self._all(_pair, _OPERATOR["abandoned"], {"now": micros(now), "limit": limit})

    async def uncertain(self, tools: Sequence[str], *, after: tuple[str, str] = ("", ""), limit: int = 100) -> Sequence[tuple[str, str]]:
        """Sessions with an indeterminate effect of one of *tools*, in order."""
        # Of no tool there is nothing to plan for, which SQLite calls an error.
        return self._all(_pair, listed(_OPERATOR["uncertain"], len(tools)), (*after, *tools, limit)) if tools else ()

    async def queueing(self, *, after: str = "", limit: int = 100) -> Sequence[str]:
        """Tenants for which hooks are queued, in order."""
        return self._all(text_of, _OPERATOR["queueing"], {"after": after, "limit": limit})

    async def idle(self, tenant: str, before: datetime, *, limit: int = 100) -> Sequence[str]:
        """Ids of the tenant's sessions without an event since *before*, longest idle first."""
        bounds = {"before": micros(before), "day": day(micros(before)), "limit": limit}
        return self._all(text_of, _OPERATOR["idle"], {"tenant": tenant, **bounds})


def _event(row: Row) -> Event:
    seq, id_, turn, at, kind, body, delta = row
    return Event(seq, id_, turn, moment(at), decode(kind, body), decode_delta(delta))


def _pair(row: Row) -> tuple[str, str]:
    first, second = row
    return first, second
