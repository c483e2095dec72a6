"""Plays the conversation on a host, as a chat window and its people would: says a line, shows what comes, clicks on what waits.

Below are the host, the terminal's renderer and the provider's switch; above, the demo's program. It knows no tool.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import anyio
import httpx2
from rich.text import Text

from examples.refunds.assistant import PEOPLE
from examples.refunds.script import OWNER, Click, Line
from handgriff import Caller, Host, Refusal
from handgriff.cli.render import Renderer
from handgriff.core.events import Event, Item, ParkedCall, TurnEnded, position
from handgriff.testing.clock import StillClock
from handgriff.testing.mailbox import Mailbox

PATIENCE = 30.0
"""Seconds for the provider to be asked what became of an uncertain refund."""


@dataclass(slots=True)
class Stage:
    """What a play is played on: `mailbox` receives the codes, `clock` is the host's."""

    host: Host
    provider_url: str
    mailbox: Mailbox
    clock: StillClock
    renderer: Renderer


@dataclass(slots=True)
class Shown:
    """What has come of it: every event, and what each click was answered that decided nothing."""

    session: str
    events: list[Event] = field(default_factory=list)
    refused_clicks: list[tuple[str, str]] = field(default_factory=list)


async def play(stage: Stage, lines: Sequence[Line]) -> Shown:
    """Play *lines* in a new session of Ada's."""
    session = await stage.host.sessions.create(PEOPLE[OWNER])
    player = _Player(stage, PEOPLE[OWNER], Shown(session.id))
    for line in lines:
        await player.say(line)
    return player.shown


class _Player:
    """Ada at her session, with her colleagues at theirs."""

    def __init__(self, stage: Stage, owner: Caller, shown: Shown) -> None:
        self._stage, self._owner, self.shown = stage, owner, shown
        self._host = stage.host
        self._at = (0, 0)

    async def say(self, line: Line) -> None:
        """One line, and the clicks on whatever waits then."""
        if line.minutes:
            await self._wait(line.minutes)
        if line.fault is not None:
            await self._arm(line.fault)
        self._print(f"\n{self._owner.user.title()}> {line.text}")
        clicks = iter(line.clicks)
        waiting = await self._watch(self._host.turn(self._owner, self.shown.session, line.text))
        for parked in waiting:
            self._stage.renderer.proposal_card(parked)
            while not await self._click(parked, next(clicks, Click(approved=False))):
                pass
            await self._watch(self._after())

    async def _click(self, parked: ParkedCall, click: Click) -> bool:
        """Whether *click* decided it."""
        code = self._code(click)
        verb = "confirms" if click.approved else "declines"
        self._print(f"{click.by.title()} {verb}{f' with the code {code}' if code else ''}.")
        try:
            await self._host.proposals.decide(PEOPLE[click.by], parked.proposal, click.approved, code)
        except Refusal as refusal:
            self.shown.refused_clicks.append((click.by, refusal.code))
            self._stage.renderer.refusal(refusal)
            return False
        return True

    def _code(self, click: Click) -> str | None:
        if click.code is None:
            return None
        sent = self._stage.mailbox.code(click.by)
        if click.code == "sent":
            self._stage.renderer.note(f"On {click.by.title()}'s phone: {self._stage.mailbox.sent[-1][1]}")
            return sent
        return f"{(int(sent) + 1) % 1_000_000:06}"

    async def _wait(self, minutes: int) -> None:
        """Let time pass, and the provider be asked what became of what is uncertain."""
        self._stage.renderer.note(f"\n({minutes} minute later. Nobody has it in hand any more, so the payment provider is asked.)")
        self._stage.clock.move(60 * minutes)
        with anyio.fail_after(PATIENCE):
            while await self._host.effects.list(self._owner.tenant, state="indeterminate"):  # noqa: ASYNC110  # the host may be asking itself
                await anyio.sleep(0.01)
        await self._watch(self._after())

    async def _arm(self, fault: str) -> None:
        """As somebody at the provider's would trip over a cable."""
        async with httpx2.AsyncClient(base_url=self._stage.provider_url) as provider:
            (await provider.post("/fault", json={"fault": fault})).raise_for_status()

    def _after(self) -> AsyncIterator[Item]:
        return self._host.follow(self._owner, self.shown.session, after=self._at)

    async def _watch(self, items: AsyncIterator[Item]) -> Sequence[ParkedCall]:
        """Show *items* to the last; what waits for a person then."""
        waiting: Sequence[ParkedCall] = ()
        async for item in items:
            self._at = position(item)
            self._stage.renderer.render(item)
            if isinstance(item, Event):
                self.shown.events.append(item)
            if isinstance(item.body, TurnEnded):
                waiting = item.body.parked
        return waiting

    def _print(self, text: str) -> None:
        self._stage.renderer.console.print(Text(text, style="bold"), soft_wrap=True)
