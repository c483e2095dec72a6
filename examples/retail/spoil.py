"""One conversation, played as written and spoilt on the way: before each change every violation of the calls that lead to it is tried, and
wherever a call would come too early or too late, it is made.

Below are the pure violations and the stage; above, `violate` counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from examples.retail.disorder import again, ahead, misplaced, too_late, unidentified
from examples.retail.knowledge import Shop
from examples.retail.script import CHANGES, FINDERS, HANDOVER, Step
from examples.retail.stage import Visit
from examples.retail.verdicts import differs, let_through
from examples.retail.violations import Attempt, Kind, foreign_order, second_shopper, spoilt, unread
from examples.retail.witness import Witness
from handgriff.host.system import SystemClock
from handgriff.testing.loopback.script import ToolUse

CALLS_A_TURN = 40
ROUNDS_A_TURN = 8
"""Fewer than a turn may make, so that no attempt is stopped by that bound instead of by what is wrong with it."""
PATIENCE = 24 * 60 * 60
"""Seconds after which no proposal is good any more."""


class LateClock(SystemClock):
    """The machine's clock, which can be made later."""

    def __init__(self) -> None:
        self._late = timedelta()

    def now(self) -> datetime:
        """The present time, as late as it was made."""
        return super().now() + self._late

    def move_on(self, seconds: float) -> None:
        """Make it later."""
        self._late += timedelta(seconds=seconds)


@dataclass(slots=True)
class Spoilt:
    """A conversation being played: `made` holds the violations by the id of their call, `kept` what is played as written."""

    visit: Visit
    shop: Shop
    steps: tuple[Step, ...]
    clock: LateClock
    made: dict[str, Attempt] = field(default_factory=dict)
    kept: dict[str, Step] = field(default_factory=dict)
    _rounds: list[list[ToolUse]] = field(default_factory=list)

    async def play(self) -> None:
        """Play every step, and spoil what leads to a change right before it: until then all but one thing is right."""
        await self._greet()
        await self._try(unidentified(self.steps))
        finder = next((index for index, step in enumerate(self.steps) if _identifies(step)), -1)
        since = 0
        for index, step in enumerate(self.steps):
            if step.tool in CHANGES and step.counted and step.outcome == "ok":
                await self._try(spoilt(self.shop, self.steps[since : index + 1]))
                await self._try(misplaced(self.shop, self.steps, index))
                await self._leave_unconfirmed(step)
                await self._try(again(self.shop, step))
                since = index + 1
            elif index == finder:
                await self._later([*map(self._attempt, ahead(self.steps)), self._step(step)])
                await self._try((*second_shopper(self.shop, step), *unread(self.steps)))
            else:
                await self._later([self._step(step)])
            if _hands_over(step):
                await self._try(too_late(self.steps, index))
        await self._try(spoilt(self.shop, self.steps[since:]))
        await self._go_on()

    async def judge(self, witness: Witness) -> Sequence[tuple[Attempt, str | None]]:
        """Each violation, and what is wrong if it was not stopped."""
        outcomes = await self.visit.outcomes()
        return [(attempt, let_through(attempt, outcomes.get(call), witness)) for call, attempt in self.made.items()]

    async def compare(self) -> Sequence[tuple[Step, str | None]]:
        """Each call that was played as written, and what is wrong if it was not answered so."""
        outcomes = await self.visit.outcomes()
        return [(step, differs(step, outcomes.get(call))) for call, step in self.kept.items()]

    async def _greet(self) -> None:
        foreign = {foreign_order(self.shop, step.arguments.get("order_id")) for step in self.steps}
        friends = ", ".join(sorted(order for order in foreign if order is not None))
        # Typed ids count as seen, so nothing but their owner stops the calls that name them.
        await self.visit.say(f"Hello, it is about my orders, and about my friend's: {friends}" if friends else "Hello, can you help me?")

    async def _later(self, calls: list[ToolUse]) -> None:
        """Make *calls* in the next round there is; when a turn is full it is had."""
        if len(self._rounds) == ROUNDS_A_TURN or sum(map(len, self._rounds)) + len(calls) > CALLS_A_TURN:
            await self._go_on()
        self._rounds.append(calls)

    async def _go_on(self, *, last: Sequence[ToolUse] = ()) -> None:
        rounds, self._rounds = [*self._rounds, *([last] if last else [])], []
        if rounds:
            await self.visit.say("Please go on.", rounds)

    async def _try(self, attempts: Sequence[Attempt]) -> None:
        for start in range(0, len(attempts), CALLS_A_TURN):
            await self._later([self._attempt(attempt) for attempt in attempts[start : start + CALLS_A_TURN]])

    async def _leave_unconfirmed(self, step: Step) -> None:
        """The change three times without a confirmation that counts, each followed by the next try, and then with one."""
        declined, expired, by_text = (self._attempt(Attempt(kind, step.tool, step.arguments)) for kind in UNCONFIRMED)
        confirmed = self._step(step)
        await self._go_on(last=[declined])
        await self._answer(expired, approved=False)
        await self._answer(by_text, approved=True, late=True)
        await self.visit.say("Yes, I confirm it. Go ahead.", [[confirmed]])
        await self.visit.confirm_all()

    async def _answer(self, following: ToolUse, *, approved: bool, late: bool = False) -> None:
        waiting = await self.visit.waiting()
        if late:
            self.clock.move_on(PATIENCE)
        if waiting:
            await self.visit.decide(waiting[0], approved=approved, rounds=[[following]])
        else:
            # The change was refused outright, so there was nothing to decide.
            await self.visit.say("Please try again.", [[following]])

    def _attempt(self, attempt: Attempt) -> ToolUse:
        call = self._call(attempt.tool, attempt.arguments)
        self.made[call.id or ""] = attempt
        return call

    def _step(self, step: Step) -> ToolUse:
        call = self._call(step.tool, step.arguments)
        self.kept[call.id or ""] = step
        return call

    def _call(self, tool: str, arguments: Mapping[str, object] | str) -> ToolUse:
        return self.visit.stage.lines.call(tool, arguments)


UNCONFIRMED: tuple[Kind, Kind, Kind] = ("a change, declined", "a change, expired", "a change, confirmed by text")


def _identifies(step: Step) -> bool:
    return step.tool in FINDERS and step.outcome == "ok"


def _hands_over(step: Step) -> bool:
    return step.tool == HANDOVER and step.outcome == "ok"
