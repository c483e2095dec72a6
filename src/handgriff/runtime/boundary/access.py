"""What one call may write, and how much of it."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from handgriff.core.scope import Lifetime
from handgriff.core.state import StateLimits
from handgriff.errors import DefinitionError
from handgriff.runtime.boundary.pad import Pad

May: TypeAlias = Literal["read", "state", "app"]


@dataclass(slots=True)
class Access:
    """One call's right to write, over all of its places."""

    limits: StateLimits
    may: May = "read"
    is_running: bool = False
    """Whether its handler runs. Before that, checks and the plan only look."""
    holds_store: bool = False
    """Whether its transaction is open, which on SQLite every other commit waits for."""
    pads: list[Pad] = field(default_factory=list)

    def check_write(self, key: str, lifetime: Lifetime | Literal["scratch"]) -> None:
        """Whether this call may write there.

        Raises:
            DefinitionError: it may not.
        """
        if self.may == "read":
            raise DefinitionError(
                _subject(lifetime),
                repr(key),
                "this place may only read.",
                mend="write in the handler of a tool that writes, or give the read writes='state'.",
            )
        if lifetime == "app" and self.may != "app":
            raise DefinitionError(
                _subject(lifetime),
                repr(key),
                "this tool may not write what the whole tenant shares.",
                mend="use a session or user key, or declare writes='app'.",
            )

    def check_running(self, what: str) -> None:
        """Whether *what*, which does something, may be done now.

        Raises:
            DefinitionError: a check or a plan asks for it.
        """
        if not self.is_running:
            raise DefinitionError(what, "place", "a check or a plan only looks.", mend="do it in the handler.")

    def check_room(self, key: str, grown: int) -> None:
        """Whether what the call writes still fits in one delta.

        Raises:
            DefinitionError: it does not.
        """
        if sum(pad.size() for pad in self.pads) + grown > self.limits.delta_bytes:
            problem = f"this call writes more than {self.limits.delta_bytes} bytes."
            raise DefinitionError("call.state", repr(key), problem, mend="keep large data in your database.")


def _subject(lifetime: str) -> str:
    return "call.scratch" if lifetime == "scratch" else "call.state"
