"""Server-sent events, as much of them as a model's stream uses: bytes in, the data of whole events out.

Above, the adapter makes JSON of the data. Names, ids and comments are skipped, because every payload names its own type, and space around
data, because it is JSON; an event that was cut off before its blank line does not count.
"""

from typing import Final

_DATA: Final = b"data:"
_BLANK: Final = (b"", b"\r")


class EventReader:
    """Cuts a stream into events, however the bytes are chunked."""

    __slots__ = ("_data", "_rest")

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of every event that *chunk* completes."""
        lines = (self._rest + chunk).split(b"\n")
        self._rest = lines.pop()
        events = []
        for line in lines:
            if line.startswith(_DATA):
                self._data.append(line[len(_DATA) :].strip())
            elif self._data and line in _BLANK:
                events.append(b"\n".join(self._data))
                self._data.clear()
        return events
