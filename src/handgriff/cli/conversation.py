"""One session at a terminal: messages, the turns they begin, and the proposals a person is asked about between them.

Below are the screen, the lines and the host; above, the command `chat`. Everything but the waiting happens in the portal.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, TypeAlias, assert_never

from anyio.from_thread import BlockingPortal

from handgriff.cli.lines import Lines
from handgriff.cli.opening import Stage
from handgriff.cli.questions import Question, ask_code, ask_yes_or_no
from handgriff.cli.screen import Screen
from handgriff.cli.words import may_try_again, still_waits
from handgriff.core.events import Item, ParkedCall, TurnEnded, position
from handgriff.core.proposal import parked
from handgriff.core.rows import Proposal
from handgriff.errors import BackendError, Refusal
from handgriff.runtime.live import Position

_PROMPT: Final = "> "
_FAILED: Final = frozenset({"failed", "aborted", "interrupted", "budget"})
"""Ends of a turn after which a program that piped its lines in must know that it was not answered."""

_Became: TypeAlias = Literal["decided", "left", "another", "silent"]
"""Of a proposal that was asked about: decided, still to be decided, left to a second person, or nobody answers any more."""


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
    _awaits_another: bool = False
    _parked: Sequence[ParkedCall] = field(default=())

    def take_up(self) -> None:
        """See a turn through that still runs, and ask about what still waits."""
        self._tell(self._watch(self._follow))
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
            if self._awaits_another:
                self.take_up()

    def say(self, text: str) -> None:
        """One message, its turn, and whatever waits for a person then."""
        if self._awaits_another:
            # What a second person has decided meanwhile happened before this message.
            self._tell(self._watch(self._follow))
        self._parked, self._awaits_another = (), False
        self._tell(self._watch(self._turn, text))
        self._settle(self._parked)

    def _settle(self, waiting: Sequence[ParkedCall]) -> None:
        """Ask about each proposal. The last decision lets the turn go on, which may propose more."""
        while waiting:
            self._parked = ()
            left: list[str] = []
            others: list[str] = []
            for number, call in enumerate(waiting, 1):
                self.screen.card(call, number, len(waiting))
                became = self._consider(call)
                if became == "silent":
                    left += [unasked.proposal for unasked in waiting[number - 1 :]]
                    break
                if became != "decided":
                    (left if became == "left" else others).append(call.proposal)
            self._awaits_another = bool(others)
            if left:
                self.screen.left_pending(left)
            if others:
                self.screen.awaits_another(others)
            waiting = self._parked

    def _consider(self, call: ParkedCall) -> _Became:
        match call.confirm:
            case "person" | "code":
                approved = self._ask("confirm", call)
                return "silent" if approved is None else self._carry_out(call, approved=approved)
            case "second_person":
                withdrawn = self._ask("withdraw", call)
                if withdrawn is None:
                    return "silent"
                return self._carry_out(call, approved=False) if withdrawn else "another"
            case _:
                assert_never(call.confirm)

    def _ask(self, question: Question, call: ParkedCall) -> bool | None:
        return ask_yes_or_no(self.lines, self.screen.asking(question, call), lambda: self.screen.hint("yes_or_no"))

    def _carry_out(self, call: ParkedCall, *, approved: bool) -> _Became:
        """Decide it. Where that takes a code, it is asked for until it is right or there are no tries left."""
        code: str | None = None
        while True:
            if approved and call.confirm == "code":
                code = ask_code(self.lines, self.screen.asking("code", call), lambda: self._send_code(call))
                if code is None:
                    return "silent"
            refusal = self._watch(self._decide, call.proposal, approved, code)
            if refusal is None:
                return "decided"
            self.screen.undecided(refusal, call)
            if not (code is not None and may_try_again(refusal)):
                self.has_failed = True
                return "left" if still_waits(refusal) else "decided"

    def _send_code(self, call: ParkedCall) -> None:
        self.screen.code_sent(call, self._watch(self._sent, call.proposal))

    def _tell(self, refusal: Refusal | None) -> None:
        if refusal is not None:
            self.has_failed = True
            self.screen.refusal(refusal)

    def _watch(self, work: Callable[..., Awaitable[None]], *arguments: object) -> Refusal | None:
        """Wait for *work*; Ctrl-C stops the turn it watches, and its end is still shown. What it was refused with."""
        self._is_stopping = False
        future = self.portal.start_task_soon(partial(work, *arguments))
        while True:
            try:
                future.result()
            except KeyboardInterrupt:
                self._is_stopping = True
                self.screen.hint("stopping")
                self.portal.call(self.stage.host.stop, self.stage.caller, self.session)
            except Refusal as refusal:
                return refusal
            else:
                return None

    async def _turn(self, text: str) -> None:
        async with aclosing(self.stage.host.turn(self.stage.caller, self.session, text)) as items:
            async for item in items:
                await self._show(item)

    async def _decide(self, proposal: str, approved: bool, code: str | None) -> None:  # noqa: FBT001  # handed on as the host takes it
        try:
            await self.stage.host.proposals.decide(self.stage.caller, proposal, approved, code)
        finally:
            # Also where it had been decided elsewhere: what came of it is in the session.
            await self._follow()

    async def _sent(self, proposal: str) -> None:
        try:
            await self.stage.host.proposals.send_code(self.stage.caller, proposal)
        except BackendError as error:
            # The person may ask again; nothing of the conversation is lost.
            raise Refusal("transient", str(error)) from error

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
