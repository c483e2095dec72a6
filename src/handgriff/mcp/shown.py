"""What a client was shown last, so that it is told of a change once, and only of a change.

Below are contracts and callers; above, the seats of MCP sessions and the ears of those who listen. Nothing here asks anybody anything.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from handgriff.core.caller import Caller
from handgriff.core.contract import Contract
from handgriff.host.workflows import Offered

Visible: TypeAlias = tuple[tuple[str, str], ...]
"""A list as far as a change of it is worth telling: names and descriptions."""


def visible(offered: Iterable[Offered]) -> Visible:
    """What is visible of a varying list."""
    return tuple((each.contract.name, each.description) for each in offered)


def visible_menu(contracts: Iterable[Contract]) -> Visible:
    """What is visible of the constant list."""
    return tuple((each.name, each.description.text) for each in contracts)


@dataclass(frozen=True, slots=True)
class Withheld:
    """Rights that somebody had, but not the request they showed: a token can grant less than its owner may.

    Who has asked for nothing just now is looked at with their rights of today without these.
    """

    permissions: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()

    @classmethod
    def of(cls, today: Caller, grant: Caller) -> "Withheld":
        """What *grant* lacks of *today*."""
        return cls(
            frozenset(today.permissions - grant.permissions),
            frozenset(today.roles - grant.roles),
            frozenset(today.modules - grant.modules),
        )

    def from_(self, today: Caller) -> Caller:
        """*today* without them."""
        return replace(
            today,
            permissions=today.permissions - self.permissions,
            roles=today.roles - self.roles,
            modules=today.modules - self.modules,
        )


NOTHING: Final = Withheld()


@dataclass(slots=True)
class Last:
    """What was shown and told last. A look takes a ticket before it reads anything, and who took theirs later knows more."""

    shown: Visible | None = None
    """What was listed, or told on the stream of a call."""
    told: Visible | None = None
    """The same, or what was told on a stream of which nobody knows whether it is read."""
    _given: int = 0
    _used: int = 0

    def ticket(self) -> int:
        """A number, to be taken before looking."""
        self._given += 1
        return self._given

    def listed(self, ticket: int, now: Visible) -> None:
        """The client has been given this list."""
        if self._is_newest(ticket):
            self.shown = self.told = now

    def is_news(self, ticket: int, now: Visible) -> bool:
        """Whether a call's client must be told, on the call's own stream; then it counts as told."""
        if not self._is_newest(ticket):
            return False
        is_news = self.shown is not None and self.shown != now
        self.shown = self.told = now
        return is_news

    def is_news_by_the_way(self, ticket: int, now: Visible) -> bool:
        """Whether a client must be told that has not called; what was shown to it stays what it was."""
        if self.told is None or not self._is_newest(ticket):
            return False
        is_news = self.told != now
        self.told = now
        return is_news

    def _is_newest(self, ticket: int) -> bool:
        if ticket < self._used:
            return False
        self._used = ticket
        return True
