"""Time and ids as the machine has them."""

import secrets
import time
from datetime import UTC, datetime

import anyio

from handgriff.ports.ids import IdKind

_PREFIXES: dict[IdKind, str] = {
    "session": "s",
    "turn": "t",
    "event": "e",
    "call": "c",
    "request": "r",
    "proposal": "p",
    "claim": "k",
    "nonce": "",
    "incident": "i",
    "hook": "h",
    "handle": "w",
    "pseudonym": "erased",
}


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await anyio.sleep(seconds)


class RandomIds:
    """128 random bits, behind a letter that tells people what the id is of."""

    def new(self, kind: IdKind) -> str:
        """A fresh id."""
        prefix = _PREFIXES[kind]
        return f"{prefix}_{secrets.token_hex(16)}" if prefix else secrets.token_hex(16)
