"""An event on its way through a machine: its type at once, the rest frozen when a guard or an action wants to see it."""

from collections.abc import Mapping
from typing import Any

from handgriff.core.machine.held import hold


class Event:
    """What a machine is sent, and what it sends itself."""

    __slots__ = ("_given", "_seen", "type")
    type: str

    def __init__(self, given: Mapping[str, Any]) -> None:
        if not isinstance(given.get("type"), str):
            raise TypeError("an event is a mapping with a 'type'")
        self.type = given["type"]
        self._given = given
        self._seen: Mapping[str, Any] | None = None

    @property
    def seen(self) -> Mapping[str, Any]:
        """The event as guards and actions may see it."""
        if self._seen is None:
            self._seen = hold(dict(self._given))
        return self._seen
