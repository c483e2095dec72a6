"""A mailbox for codes: what tests read them from, as a person would from their mail."""

import re
from dataclasses import dataclass, field

from handgriff.core.caller import Caller

_CODE = re.compile(r"\b\d{6}\b")


@dataclass(slots=True)
class Mailbox:
    """A `CodeSender` that keeps what it was given, oldest first."""

    sent: list[tuple[Caller, str]] = field(default_factory=list)

    async def send(self, caller: Caller, text: str) -> None:
        """Keep *text* for *caller*."""
        self.sent.append((caller, text))

    def code(self, user: str | None = None) -> str:
        """The code in the last text, to *user* where one is named."""
        for caller, text in reversed(self.sent):
            if user in (None, caller.user) and (found := _CODE.search(text)):
                return found[0]
        raise AssertionError("no code was sent")
