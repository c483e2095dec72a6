"""What was received and what became of it: one immutable record a request, replaced as the answer goes out.

Below is `cache` for the counts; above, the application writes the journal, and tests read it. It knows no provider and sends nothing.
"""

from asyncio import Event
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from handgriff.testing.loopback.cache import InputUsage


@dataclass(frozen=True, slots=True)
class Request:
    """One request and its answer so far."""

    number: int
    """Counted from zero, over all paths."""
    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    raw: bytes
    """The body exactly as received."""
    body: Mapping[str, Any]
    """The body parsed; empty if it was not a JSON object."""
    violations: tuple[str, ...] = ()
    """The rules it broke; answered with status 400."""
    usage: InputUsage | None = None
    """What the simulated cache made of it, if it was answered by a message."""
    status: int | None = None
    """The status it was answered with; None while there is no answer, or if the connection was dropped before."""
    sent: int = 0
    """Events handed to the connection so far."""
    completed: bool = False
    """Whether the whole answer was sent, an error's body included; a stream with a fault never completes."""
    disconnected_after: int | None = None
    """How many events had been sent when the client was seen to have left; None if it stayed."""
    ended: bool = False
    """Whether nothing more will be sent."""


class Journal:
    """The requests in order of arrival. Only the last *keep* are held, if that is given."""

    def __init__(self, *, keep: int | None = None) -> None:
        self._keep = keep
        self._requests: dict[int, Request] = {}
        self._count = 0
        self._changed = Event()

    @property
    def requests(self) -> tuple[Request, ...]:
        """What is held, oldest first."""
        return tuple(self._requests.values())

    @property
    def count(self) -> int:
        """How many have arrived."""
        return self._count

    def get(self, number: int) -> Request | None:
        """Request *number*, if it is held."""
        return self._requests.get(number)

    def open(self, *, method: str, path: str, headers: Mapping[str, str], raw: bytes, body: Mapping[str, Any]) -> Request:
        """Enter a request that has arrived."""
        request = Request(self._count, method, path, headers, raw, body)
        self._count += 1
        self._put(request)
        if self._keep is not None:
            for number in [number for number in self._requests if number < self._count - self._keep]:
                del self._requests[number]
        return request

    def revise(self, number: int, **changes: Any) -> None:  # the fields of Request
        """Replace fields of a request that is still held."""
        if number in self._requests:
            self._put(replace(self._requests[number], **changes))

    async def arrived(self, number: int) -> Request:
        """Wait until request *number* has arrived.

        Raises:
            KeyError: it is no longer held.
        """
        while number >= self._count:
            await self._changed.wait()
        return self._requests[number]

    async def ended(self, number: int) -> Request:
        """Wait until nothing more will be sent to request *number*: it is complete, cut, or its client has left."""
        while not (await self.arrived(number)).ended:
            await self._changed.wait()
        return self._requests[number]

    def _put(self, request: Request) -> None:
        self._requests[request.number] = request
        self._changed.set()
        # Whoever waits now has been woken; the next to wait waits for the next change.
        self._changed.clear()
