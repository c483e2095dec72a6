"""A turn that runs here: what its driver works with, and what has happened so far."""

from dataclasses import dataclass, field

from handgriff.core.batch import Operation
from handgriff.core.caller import Caller
from handgriff.core.events import Event, RequestedCall
from handgriff.core.lane import Lane
from handgriff.core.message import Message
from handgriff.core.rows import Pinned, Request, Session
from handgriff.core.turn import Turn
from handgriff.ports.model import Model
from handgriff.ports.store import SessionReads
from handgriff.runtime.boundary.attempt import Ended, Passed
from handgriff.runtime.live import Live


@dataclass(slots=True)
class RunningTurn:
    """One turn: who asked, on which lane, with which history, under which lease."""

    id: str
    caller: Caller
    """The request's grant, an upper bound for the turn's life."""
    session: Session
    epoch: int
    pinned: Pinned
    lane: Lane
    model: Model
    prefix: str
    parallel: bool
    machine: Turn
    live: Live
    messages: list[Message]
    temp: dict[str, str]
    detach: bool = False
    row: Request | None = None
    """The ledger row that is open."""
    body: bytes = b""
    """The request it was opened for."""
    rows: list[Request] = field(default_factory=list)
    """Closed rows."""
    calls: dict[str, RequestedCall] = field(default_factory=dict)
    """The calls of the present round, in order."""
    passed: dict[str, Passed] = field(default_factory=dict)
    """How they ended, by id."""
    wire_ids: set[str] = field(default_factory=set)
    """The provider's ids of every call so far; none may come twice in a history."""
    result_bytes: int = 0
    pending: list[Operation] = field(default_factory=list)

    def parked_calls(self) -> tuple[Passed, ...]:
        """The calls of this round that wait for a person."""
        return tuple(passed for passed in self.passed.values() if not isinstance(passed, Ended))

    def request(self, *, final: bool) -> bytes:
        """The next request, by concatenation."""
        return self.model.wire.request(
            lane=self.lane, prefix=self.prefix, context=self.pinned.context, messages=self.messages, parallel=self.parallel, final=final
        )


async def show(store: SessionReads, turn: RunningTurn, event: Event) -> None:
    """Show a stored event, behind whatever else was stored before it: inner calls, a quick decision, an operator's change."""
    live, session = turn.live, turn.session
    between = event.seq - live.last_seq - 1
    if between > 0:
        for earlier in await store.events(session.tenant, session.id, after=live.last_seq, limit=between):
            live.store(earlier)
    live.store(event)
