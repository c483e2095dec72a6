"""Where things are in a picture: nothing lies on anything else, and no line crosses a text or a state."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given, settings

from handgriff import Machine
from handgriff.core.machine.drawing.box import PAD, Box, Text, heading_of
from handgriff.core.machine.drawing.layout import laid_out
from handgriff.core.machine.drawing.lettering import LINE, SMALL, width
from handgriff.core.machine.drawing.picture import picture_of
from tests.unit.core.machine.drawing.drawn_machines import HOSTILE, INVOICE, INVOICE_TOOLS, ORDER, ORDER_TOOLS, Tool
from tests.unit.core.machine.random_definitions import FUNCTIONS, configs

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Area:
    """Something that takes room, with its place in the whole picture."""

    what: str
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Area") -> bool:
        return self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom

    def holds(self, point: Point) -> bool:
        return self.left + 1 < point[0] < self.right - 1 and self.top + 1 < point[1] < self.bottom - 1

    def is_within(self, other: "Area") -> bool:
        return other.left <= self.left and self.right <= other.right and other.top <= self.top and self.bottom <= other.bottom


def areas(box: Box, x: float = 0.0, y: float = 0.0) -> Iterator[Area]:
    """Texts, and states without states; of others their headings."""
    if box.boxes:
        across, down = heading_of(box.state)
        yield Area(f"heading {box.state.name}", x + PAD, y + PAD, x + PAD + across, y + PAD + down)
    else:
        yield Area(f"state {box.state.name}", x, y, x + box.width, y + box.height)
    for text in [*box.texts, *([box.loop_text] if box.loop else [])]:
        yield area(text, x, y)
    for inner in box.boxes:
        yield from areas(inner, x + inner.x, y + inner.y)


def area(text: Text, x: float, y: float) -> Area:
    across = max(width(line, SMALL) for line in text.lines)
    return Area(f"text {text.lines}", x + text.x, y + text.y, x + text.x + across, y + text.y + len(text.lines) * LINE)


def lines(box: Box, x: float = 0.0, y: float = 0.0) -> Iterator[list[Point]]:
    """Every line, as the points that its curves run through."""
    for path in box.paths:
        yield [(x + at_x, y + at_y) for before, after in pairwise(path.points) for at_x, at_y in bent(before, after)]
    for inner in box.boxes:
        yield from lines(inner, x + inner.x, y + inner.y)


def bent(before: Point, after: Point) -> Iterator[Point]:
    for step in range(21):
        t = step / 20
        across = 3 * (1 - t) * t * t + t**3
        down = 1.5 * t * (1 - t) + t**3 if before[0] != after[0] else t
        yield before[0] + (after[0] - before[0]) * across, before[1] + (after[1] - before[1]) * down


def check(machine: Machine, tools: tuple[Tool, ...] = ()) -> None:
    root = laid_out(picture_of(machine, tools, None))
    found = list(areas(root))
    whole = Area("all", 0, 0, root.room, root.height)
    assert [each.what for each in found if not each.is_within(whole)] == []
    assert [(one.what, other.what) for one, other in combinations(found, 2) if one.overlaps(other)] == []
    assert [(each.what, point) for line in lines(root) for point in line for each in found if each.holds(point)] == []


@pytest.mark.parametrize(
    ("machine", "tools"),
    [
        pytest.param(INVOICE, INVOICE_TOOLS, id="invoice"),
        pytest.param(ORDER, ORDER_TOOLS, id="nested and parallel"),
        pytest.param(HOSTILE, (), id="hostile"),
    ],
)
def test_nothing_lies_on_anything_else(machine: Machine, tools: tuple[Tool, ...]) -> None:
    check(machine, tools)


@settings(max_examples=30)
@given(configs())
def test_nothing_lies_on_anything_else_whatever_the_machine(config: dict[str, Any]) -> None:
    check(Machine.from_config(config, guards=FUNCTIONS, state_of=lambda _call: "s0"))


def test_states_stand_below_those_that_lead_to_them_and_in_one_line() -> None:
    root = laid_out(picture_of(INVOICE, (), None))
    middles = {box.state.name: (round(box.x + box.width / 2), box.y) for box in root.boxes}

    assert list(middles) == sorted(middles, key=lambda name: middles[name][1])
    assert len({middles[name][0] for name in ("review", "approved", "discharged")}) == 1


def test_a_chain_of_many_states_is_laid_out() -> None:
    count = 1100
    states = {f"s{n}": {"on": {"GO": f"s{n + 1}"}} for n in range(count)}
    machine = Machine.from_config({"id": "m", "initial": "s0", "states": {**states, f"s{count}": {"type": "final"}}})

    assert len(laid_out(picture_of(machine, (), None)).boxes) == count + 1
