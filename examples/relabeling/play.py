"""Plays lines in a session, as a chat window would: sends one, shows what comes, and decides what waits for a person.

Below are the host and the terminal's renderer; above, the demo's program. It knows no tool.
"""

from collections.abc import AsyncIterator, Iterable, Sequence

from rich.text import Text

from examples.relabeling.gs1 import FNC1
from examples.relabeling.script import Line
from handgriff import Caller, Host
from handgriff.cli.render import Renderer
from handgriff.core.events import Event, Item, ParkedCall, TurnEnded, position

_VISIBLE_FNC1 = "\N{SYMBOL FOR GROUP SEPARATOR}"


async def play(host: Host, caller: Caller, session: str, lines: Iterable[Line], renderer: Renderer) -> tuple[Event, ...]:
    """Play *lines* in *session*, and return every event that was shown."""
    player = _Player(host, caller, session, renderer)
    for line in lines:
        await player.say(line)
    return tuple(player.events)


class _Player:
    """One person at one session."""

    def __init__(self, host: Host, caller: Caller, session: str, renderer: Renderer) -> None:
        self._host, self._caller, self._session, self._renderer = host, caller, session, renderer
        self._name = caller.user.title()
        self._at = (0, 0)
        self.events: list[Event] = []

    async def say(self, line: Line) -> None:
        """One line, and a decision for each proposal, in order, until nothing waits."""
        self._print(f"\n{self._name}> {line.text}")
        decisions = iter(line.decisions)
        waiting = await self._watch(self._host.turn(self._caller, self._session, line.text))
        while waiting:
            for parked in waiting:
                self._renderer.proposal_card(parked)
                approved = next(decisions, False)
                self._print(f"{self._name} {'confirms' if approved else 'declines'}.")
                await self._host.proposals.decide(self._caller, parked.proposal, approved)
            waiting = await self._watch(self._host.follow(self._caller, self._session, after=self._at))

    async def _watch(self, items: AsyncIterator[Item]) -> Sequence[ParkedCall]:
        """Show *items* to the last; what waits for a person then."""
        waiting: Sequence[ParkedCall] = ()
        async for item in items:
            self._at = position(item)
            self._renderer.render(item)
            if isinstance(item, Event):
                self.events.append(item)
            if isinstance(item.body, TurnEnded):
                waiting = item.body.parked
        return waiting

    def _print(self, text: str) -> None:
        self._renderer.console.print(Text(text.replace(FNC1, _VISIBLE_FNC1), style="bold"), soft_wrap=True)
