"""One decision from the command line: the code it may take, the host's answer, and the turn that goes on.

Below are the host, the lines and the renderer; above, `proposals confirm` and `proposals decline`. The turn is its owner's, so only the
owner is shown it; a second person is told what became of the proposal.
"""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from anyio.from_thread import BlockingPortal
from rich.console import Console

from handgriff.cli.faults import DONE, REFUSED
from handgriff.cli.given import Given
from handgriff.cli.lines import Lines
from handgriff.cli.opening import Stage
from handgriff.cli.output import print_fields, print_json, terminal
from handgriff.cli.questions import ask_code, prompt
from handgriff.cli.records import item_record, outcome_item, proposal_record
from handgriff.cli.render import Renderer
from handgriff.cli.words import may_try_again, state_in_words, undecided, unsent, way_of_another, ways
from handgriff.core.catalogue import say
from handgriff.core.events import Item, ParkedCall, TurnEnded
from handgriff.core.proposal import already, parked
from handgriff.core.refusal_codes import exit_code
from handgriff.core.rows import Proposal
from handgriff.errors import BackendError, Refusal
from handgriff.runtime.decide import Decided


@dataclass(frozen=True, slots=True)
class Deciding:
    """What decides proposals for one caller."""

    given: Given
    stage: Stage

    async def found(self, proposal: str) -> Proposal:
        """It, in the state it is in now."""
        host = self.stage.host
        found = await host.proposals.get(self.stage.caller, proposal)
        return replace(found, state=found.state_at((await host.engine()).clock.now()))

    def confirm(self, portal: BlockingPortal, proposal: str) -> int:
        """Confirm it. A person at a terminal may type a wrong code again; a program gets the refusal."""
        found = portal.call(self.found, proposal)
        if not (found.confirm == "code" and found.state == "pending"):
            return portal.call(self.confirmed, found, None)
        lines = Lines(terminal(), is_quiet=self.given.as_json)
        if not self.given.as_json:
            self.renderer.proposal_card(parked(found))
        while True:
            code = self._code(portal, lines, found)
            if code is None:
                return self._left(found)
            try:
                return portal.call(self.confirmed, found, code)
            except Refusal as refusal:
                if not (lines.is_typed and may_try_again(refusal)):
                    raise
                self._complain(refusal)

    async def confirmed(self, found: Proposal, code: str | None) -> int:
        """Confirm it with what was typed, and show what came of it; the exit code.

        Raises:
            Refusal: it was not decided; in the person's words where people read it.
        """
        return exit_code((await self._decide(found, approved=True, code=code)).outcome.code)

    async def decline(self, proposal: str) -> int:
        """Decline it, and show what came of it; the exit code. That it was declined is what declining asked for.

        Raises:
            Refusal: it was not decided; in the person's words where people read it.
        """
        outcome = (await self._decide(await self.found(proposal), approved=False, code=None)).outcome
        return DONE if outcome.code == "declined" else exit_code(outcome.code)

    async def send_code(self, proposal: str) -> Proposal:
        """Send a new code for it.

        Raises:
            Refusal: none was sent; in the person's words where people read it.
            BackendError: it could not be sent.
        """
        found = await self.found(proposal)
        try:
            if found.state != "pending":
                raise already(found.state)
            return await self.stage.host.proposals.send_code(self.stage.caller, proposal)
        except Refusal as refusal:
            if self.given.as_json:
                raise
            raise unsent(refusal, self.stage.caller.locale) from refusal

    @property
    def renderer(self) -> Renderer:
        """What draws for this caller."""
        return Renderer(terminal(), locale=self.stage.caller.locale)

    async def _decide(self, found: Proposal, *, approved: bool, code: str | None) -> Decided:
        stage = self.stage
        is_mine = found.user == stage.caller.user
        session = await stage.host.sessions.get(stage.caller, found.session) if is_mine else None
        decided = await self._decided(found, approved=approved, code=code)
        if session is not None:
            waiting = await self._followed(session.id, session.head)
        else:
            waiting = ()
            await self._seen_through(decided)
        self._print_end(decided, waiting)
        return decided

    def _code(self, portal: BlockingPortal, lines: Lines, found: Proposal) -> str | None:
        locale = self.stage.caller.locale
        if lines.is_typed:
            return ask_code(lines, prompt("code", locale), lambda: self._resend(portal, found))
        # A program that pipes nothing has no code; the host says what is expected.
        return lines.ask_unseen(say("card_code", locale)) or ""

    def _resend(self, portal: BlockingPortal, found: Proposal) -> None:
        try:
            portal.call(self.send_code, found.id)
        except Refusal as refusal:
            self._complain(refusal)
        except BackendError as error:
            self._complain(unsent(Refusal("transient", str(error)), self.stage.caller.locale))
        else:
            self._aside.note(say("card_code_sent", self.stage.caller.locale))

    @property
    def _aside(self) -> Renderer:
        return Renderer(Console(stderr=True, highlight=False), locale=self.stage.caller.locale)

    def _complain(self, refusal: Refusal) -> None:
        self._aside.refusal(refusal)

    def _left(self, found: Proposal) -> int:
        if self.given.as_json:
            print_json({"type": "left_pending", "proposals": [found.id]})
        else:
            print_fields([("nothing was done", "no code was typed")])
        return REFUSED

    async def _decided(self, found: Proposal, *, approved: bool, code: str | None) -> Decided:
        try:
            return await self.stage.host.proposals.decide(self.stage.caller, found.id, approved, code)
        except Refusal as refusal:
            if self.given.as_json:
                raise
            another = way_of_another(self.given, found.id)
            raise undecided(refusal, found.confirm, self.stage.caller.locale, another=another) from refusal

    async def _followed(self, session: str, head: int) -> Sequence[ParkedCall]:
        """Show how the owner's turn goes on, to its end; what waits then."""
        renderer = self.renderer
        waiting: Sequence[ParkedCall] = ()
        async with aclosing(self.stage.host.follow(self.stage.caller, session, after=(head, 0))) as items:
            async for item in items:
                self._show(renderer, item)
                waiting = item.body.parked if isinstance(item.body, TurnEnded) else ()
        return waiting

    def _show(self, renderer: Renderer, item: Item) -> None:
        if self.given.as_json:
            print_json(item_record(item))
        else:
            renderer.render(item)

    async def _seen_through(self, decided: Decided) -> None:
        """Wait for the owner's turn, which runs in this process and would end with it."""
        if not self.given.as_json:
            self.renderer.outcome(decided.outcome)
            self.renderer.note(state_in_words(decided.proposal.state, self.stage.caller.locale))
        live = (await self.stage.host.engine()).live.get((decided.proposal.tenant, decided.proposal.session))
        if live is not None:
            async with aclosing(live.watch()) as items:
                async for _ in items:
                    pass

    def _print_end(self, decided: Decided, waiting: Sequence[ParkedCall]) -> None:
        if self.given.as_json:
            print_json({"type": "decided", **proposal_record(decided.proposal), "outcome": outcome_item(decided.outcome)})
            return
        for call in waiting:
            self.renderer.proposal_card(call)
            print_fields(ways(self.given, call.proposal, call.confirm))
