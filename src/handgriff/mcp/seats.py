"""The MCP sessions of the 2025 revisions that this process serves: what each was shown, and whether it can be told something unasked.

Below is the SDK's session; above, the app, which knows when a stream is open, and the watch. They live in this process alone, as the SDK's
sessions do; a seat that is forgotten costs its client one look at the list before its next call.
"""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from mcp.server.session import ServerSession
from mcp.server.streamable_http_manager import DEFAULT_MAX_SESSIONS, DEFAULT_SESSION_IDLE_TIMEOUT

from handgriff.core.caller import Caller
from handgriff.mcp.asking import Asking, Principal
from handgriff.mcp.shown import NOTHING, Last, Withheld

IDLE_SECONDS: Final = DEFAULT_SESSION_IDLE_TIMEOUT
MAX_SESSIONS: Final = DEFAULT_MAX_SESSIONS
"""When the SDK forgets a session of its own, and how many it keeps."""


@dataclass(slots=True, eq=False)
class Seat:
    """One MCP session of one principal."""

    principal: Principal
    alias: str
    last: Last = field(default_factory=Last)
    withheld: Withheld = NOTHING
    grant: Caller | None = None
    """Of the last request; with whom `withheld` was found out."""
    session: ServerSession | None = None
    """The SDK's, by which it is told."""
    streams: int = 0
    """Open streams that carry what nobody has asked for."""
    used: float = 0.0
    is_being_told: bool = False


class Seats:
    """All of them, by whose they are and which."""

    def __init__(self) -> None:
        self._seats: OrderedDict[tuple[Principal, str], Seat] = OrderedDict()

    def take(self, asking: Asking, session: ServerSession, now: float) -> Seat:
        """The seat of a request, which is in use *now*."""
        seat = self._seat(asking.principal, asking.alias, now)
        seat.session = session
        return seat

    @contextmanager
    def streaming(self, principal: Principal, alias: str, now: float) -> Iterator[None]:
        """While the client holds a stream open for what nobody has asked for."""
        seat = self._seat(principal, alias, now)
        seat.streams += 1
        try:
            yield
        finally:
            seat.streams -= 1

    def leave(self, principal: Principal, alias: str) -> None:
        """The client has ended its session."""
        self._seats.pop((principal, alias), None)

    def within_reach(self, tenant: str | None) -> tuple[Seat, ...]:
        """The seats of *tenant*, or of all, that can be told something."""
        return tuple(
            seat for seat in self._seats.values() if seat.streams and seat.session is not None and tenant in (None, seat.principal[0])
        )

    def _seat(self, principal: Principal, alias: str, now: float) -> Seat:
        key = (principal, alias)
        seat = self._seats.get(key)
        if seat is None:
            self._forget(now)
            seat = self._seats[key] = Seat(principal, alias)
        seat.used = now
        self._seats.move_to_end(key)
        return seat

    def _forget(self, now: float) -> None:
        """Forget those whose sessions the SDK has forgotten, and the oldest where there are too many."""
        for key, seat in list(self._seats.items()):
            is_idle = now - seat.used > IDLE_SECONDS and not seat.streams
            if not is_idle and len(self._seats) < MAX_SESSIONS:
                break
            del self._seats[key]
