"""Fresh ids, as a port: unguessable in production, countable in tests."""

from typing import Literal, Protocol, TypeAlias

IdKind: TypeAlias = Literal[
    "session", "turn", "event", "call", "request", "proposal", "claim", "nonce", "incident", "hook", "handle", "pseudonym"
]


class Ids(Protocol):
    """Where ids come from."""

    def new(self, kind: IdKind) -> str:
        """An id nobody has and nobody can guess: 128 random bits behind a short prefix."""
        ...
