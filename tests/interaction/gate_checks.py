"""What is compared in every situation of a random world: what a call came to with what the oracle says, and counted by entry."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.interaction.gate_entries import Became, Entry
from tests.interaction.gate_oracle import Stands, lets_pass
from tests.interaction.gate_run import Expected, Run, Seat

Waiting = tuple[Seat, Expected, str]
SAMPLES = 2


@dataclass(slots=True)
class Checks:
    """Checks of many worlds, and how many of each kind there were."""

    tally: Counter[str] = field(default_factory=Counter)
    waiting: list[Waiting] = field(default_factory=list)
    """Proposals of the world at hand that nobody has decided."""
    ways: list[tuple[Expected, list[str]]] = field(default_factory=list)
    """What the newest refusals have told of ways, and can be counted on."""

    async def calls(self, name: str, entry: Entry, run: Run, seat: Seat, expected: Sequence[Expected], *, decides: bool = True) -> None:
        """Try calls, and where a person must confirm one let them do so, now or later."""
        run.world.entered.clear()
        became = await entry(run, seat, [(each.tool.name, each.arguments) for each in expected])
        self.compare(name, run, seat, expected, became)
        self.waiting += [(seat, each, told.proposal) for each, told in zip(expected, became, strict=True) if told.proposal is not None]
        if decides:
            await self.decide(run)

    def compare(self, name: str, run: Run, seat: Seat, expected: Sequence[Expected], became: Sequence[Became]) -> None:
        """See that calls have become what was to be expected."""
        self.ways.clear()
        codes = [each.code for each in expected]
        assert [each.code for each in became] == codes, (name, seat.caller.user, expected)
        assert sorted(run.world.entered) == sorted(each.tool.name for each in expected if each.code is None)
        for each, told in zip(expected, became, strict=True):
            self.tally[f"{name}: {each.verdict}"] += 1
            if each.code == "closed" and told.facts is not None:
                assert told.facts["allowed"] == each.allowed
                self._check_way(run, seat, each, told.facts.get("path"))

    async def decide(self, run: Run, *, may_wait: bool = False) -> None:
        """Confirm what waits: what has been closed since it was shown is not done. With *may_wait* what is still open waits on."""
        waiting, self.waiting = self.waiting, []
        for seat, shown, proposal in waiting:
            now = await run.expected(seat, shown.tool, shown.arguments)
            if now.is_open and may_wait:
                self.waiting.append((seat, shown, proposal))
                continue
            run.world.entered.clear()
            decided = await run.host.proposals.decide(seat.caller, proposal, approved=True)
            assert decided.outcome.code == (None if now.is_open else now.verdict)
            assert run.world.entered == ([shown.tool.name] if now.is_open else [])
            self.tally[f"confirmed: {now.verdict}"] += 1
            if decided.continues:
                assert [item async for item in run.host.follow(seat.caller, seat.session)]

    async def follow(self, run: Run, seat: Seat, choice: int) -> bool:
        """Go a way that was told, to its end; whether there was one."""
        if not self.ways:
            return False
        wanted, path = self.ways[choice % len(self.ways)]
        for name, ok in zip(path, run.ways().arguments(wanted.stands, path) or (), strict=True):
            tool = run.world.tool(name)
            await run.move(seat, tool, {"ok": ok, **run.named_by(tool, wanted.arguments)})
            assert run.world.entered[-1] == name
        self.tally["followed"] += 1
        return True

    def has_enough(self, *names: str, least: int) -> bool:
        """Whether every entry has been tried that often with open tools and with closed ones."""
        return all(self.tally[f"{name}: {kind}"] >= least for name in names for kind in ("open", "closed"))

    def _check_way(self, run: Run, seat: Seat, expected: Expected, path: Any) -> None:
        """The way leads to the tool, and none is shorter. What a guard says of the context is left to the machines' own tests."""
        if any(run.world.spec.machines[number].looks_at_context for number in expected.stands):
            return
        ways = run.ways(seat.caller.permissions)
        length = ways.shortest(expected.stands, expected.tool) if expected.tool.is_bound else None
        # Where only its arguments close a tool, it is there already.
        assert (None if path is None else len(path)) == (None if length == 1 else length)
        if path is not None:
            assert path[-1] == expected.tool.name
            assert ways.arguments(expected.stands, path) is not None
            self.ways.append((expected, path))
        self.tally[f"way of {0 if path is None else len(path)}"] += 1


def samples(situations: Sequence[Expected], choice: int) -> list[Expected]:
    """Two situations for each verdict, if there are as many; each is of another tool."""
    found: list[Expected] = []
    start = choice % max(1, len(situations))
    for each in (*situations[start:], *situations[:start]):
        is_new = all(other.tool.name != each.tool.name for other in found)
        if is_new and sum(other.verdict == each.verdict for other in found) < SAMPLES:
            found.append(each)
    return found


async def go(run: Run, seat: Seat, choice: int, waiting: Sequence[Waiting] = ()) -> None:
    """One step of a walk: at best what closes a tool that waits for a person, else what leads elsewhere, else whatever moves or begins."""
    found = [each for each in await run.situations(seat) if each.is_open and (each.tool.fires is not None or each.tool.starts is not None)]
    closing = [each for each in found if any(_closes(run, each, shown) for other, shown, _ in waiting if other is seat)]
    leading = [each for each in found if any(each.stands[number] != stand for number, stand in _after(run, each).items())]
    if chosen := closing or leading or found:
        step = chosen[choice % len(chosen)]
        await run.move(seat, step.tool, step.arguments)
    run.wander(choice)


def _after(run: Run, step: Expected) -> Stands:
    return run.ways().after(step.stands, step.tool, step.arguments)


def _closes(run: Run, step: Expected, shown: Expected) -> bool:
    """Whether a success of *step* closes what was shown as open."""
    is_same = all(step.arguments.get(key) == value for key, value in shown.arguments.items() if key != "ok")
    return is_same and shown.is_open and not lets_pass(shown.tool, {**shown.stands, **_after(run, step)}, shown.arguments)
