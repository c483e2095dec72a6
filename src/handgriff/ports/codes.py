"""The port of codes that are sent out of band: a way to a person that no model, transcript or log lies on."""

from typing import Protocol

from handgriff.core.caller import Caller


class CodeSender(Protocol):
    """Sends a short text to a person by mail, by message, or wherever only they read."""

    async def send(self, caller: Caller, text: str) -> None:
        """Send *text*, which holds a code, to *caller*. It must be kept nowhere else. What it raises is logged; the person asks again."""
        ...
