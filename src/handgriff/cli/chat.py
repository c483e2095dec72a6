"""`chat`: a conversation in the terminal, with plan, diff and confirmation.

    main thread:   read a line -> wait for the turn (Ctrl-C stops it) -> ask about each proposal -> follow what goes on -> read a line …
    its portal:    the host, its turns, and the drawing of what they yield

The two are apart so that a person's typing never holds up the event loop, and Ctrl-C is an exception only where it can be answered.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Annotated, Final

import typer
from anyio.from_thread import BlockingPortal, start_blocking_portal

from handgriff.cli.catalogue import NO, YES
from handgriff.cli.faults import DONE, REFUSED
from handgriff.cli.given import Given, command
from handgriff.cli.lines import Lines
from handgriff.cli.opening import Stage, staged
from handgriff.cli.output import terminal
from handgriff.cli.screen import JsonScreen, Screen, TextScreen
from handgriff.core.events import Item, ParkedCall, TurnEnded, position
from handgriff.core.proposal import parked
from handgriff.core.rows import Proposal, Session
from handgriff.errors import Refusal
from handgriff.runtime.live import Position

_PROMPT: Final = "> "
_FAILED: Final = frozenset({"failed", "aborted", "interrupted", "budget"})
"""Ends of a turn after which a program that piped its lines in must know that it was not answered."""


def chat(
    given: Given,
    *,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Go on with this session.", show_default=False)] = None,
) -> int:
    """Talk with an assistant. Ctrl-C stops an answer, Ctrl-D leaves. Piped in, each line is a message or answers a question."""
    console = terminal()
    lines = Lines(console, is_quiet=given.as_json)
    with start_blocking_portal("asyncio") as portal, portal.wrap_async_context_manager(staged(given)) as stage:
        screen: Screen = JsonScreen() if given.as_json else TextScreen(console, stage.caller.locale)
        found = portal.call(_found, stage, session)
        conversation = Conversation(portal, stage, found.id, screen, lines, (found.head, 0))
        screen.session(found.id)
        conversation.take_up()
        while (text := conversation.listen()) is not None:
            conversation.say(text)
        screen.farewell(found.id)
    return REFUSED if conversation.has_failed and not lines.is_typed else DONE


def attach(app: typer.Typer) -> None:
    """Make it a command of *app*."""
    command(
        app,
        "chat",
        "handgriff chat shop:assistant --dev --as acme/ada --can orders.cancel",
        "handgriff chat shop:host --as acme/ada --session s_17",
    )(chat)


@dataclass(slots=True)
class Conversation:
    """One session at a terminal."""

    portal: BlockingPortal
    stage: Stage
    session: str
    screen: Screen
    lines: Lines
    after: Position
    has_failed: bool = False
    _is_stopping: bool = False
    _parked: Sequence[ParkedCall] = field(default=())

    def take_up(self) -> None:
        """See a turn through that still runs, and ask about what still waits."""
        self._watch(self._follow)
        waiting = self.portal.call(self._waiting)
        self._settle([parked(proposal) for proposal in waiting])

    def listen(self) -> str | None:
        """The next message; None when the person leaves."""
        while True:
            try:
                text = self.lines.read(_PROMPT)
            except KeyboardInterrupt:
                self.screen.hint("leave")
                continue
            if text is None or text.strip():
                return text

    def say(self, text: str) -> None:
        """One message, its turn, and whatever waits for a person then."""
        self._parked = ()
        self._watch(self._turn, text)
        self._settle(self._parked)

    def _settle(self, waiting: Sequence[ParkedCall]) -> None:
        """Ask about each proposal. The last decision lets the turn go on, which may propose more."""
        while waiting:
            self._parked = ()
            for number, call in enumerate(waiting):
                self.screen.card(call)
                is_approved = self._ask()
                if is_approved is None:
                    self.screen.left_pending([left.proposal for left in waiting[number:]])
                    return
                self._watch(self._decide, call.proposal, is_approved)
            waiting = self._parked

    def _ask(self) -> bool | None:
        """What the person decides; None if they don't."""
        while True:
            try:
                answer = self.lines.ask(self.screen.question)
            except KeyboardInterrupt:
                return None
            if answer is None:
                return None
            said = answer.strip().casefold()
            if said in YES or said in NO:
                return said in YES
            self.screen.hint("yes_or_no")

    def _watch(self, work: Callable[..., Awaitable[None]], *arguments: object) -> None:
        """Wait for *work*; Ctrl-C stops the turn it watches, and its end is still shown."""
        self._is_stopping = False
        future = self.portal.start_task_soon(work, *arguments)
        while True:
            try:
                future.result()
            except KeyboardInterrupt:
                self._is_stopping = True
                self.screen.hint("stopping")
                self.portal.call(self.stage.host.stop, self.stage.caller, self.session)
            except Refusal as refusal:
                self.has_failed = True
                self.screen.refusal(refusal)
                return
            else:
                return

    async def _turn(self, text: str) -> None:
        async with aclosing(self.stage.host.turn(self.stage.caller, self.session, text)) as items:
            async for item in items:
                await self._show(item)

    async def _decide(self, proposal: str, approved: bool) -> None:  # noqa: FBT001  # handed on as the host takes it
        try:
            await self.stage.host.proposals.decide(self.stage.caller, proposal, approved)
        finally:
            # Also where it had been decided elsewhere: what came of it is in the session.
            await self._follow()

    async def _follow(self) -> None:
        async with aclosing(self.stage.host.follow(self.stage.caller, self.session, after=self.after)) as items:
            async for item in items:
                await self._show(item)

    async def _show(self, item: Item) -> None:
        self.after = position(item)
        self.screen.item(item)
        if isinstance(item.body, TurnEnded):
            self._parked = item.body.parked
            self.has_failed = self.has_failed or item.body.status in _FAILED
        elif self._is_stopping:
            # Ctrl-C may come before the turn has begun; then there was nothing to stop yet.
            self._is_stopping = False
            await self.stage.host.stop(self.stage.caller, self.session)

    async def _waiting(self) -> Sequence[Proposal]:
        return await self.stage.host.proposals.list(self.stage.caller, session=self.session)


async def _found(stage: Stage, session: str | None) -> Session:
    sessions = stage.host.sessions
    return await sessions.create(stage.caller) if session is None else await sessions.get(stage.caller, session)
