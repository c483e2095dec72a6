"""A drawn state: where it is, what is written in it, and the lines that run in it."""

from dataclasses import dataclass, field
from typing import Final

from handgriff.core.machine.drawing.lettering import LINE, SMALL, TITLE, clipped, width
from handgriff.core.machine.drawing.picture import Drawn

PAD: Final = 14.0
"""Between a border and what is in it."""
ASIDE: Final = 6.0
"""Between a line and its text."""
REACH: Final = 26.0
"""How far an arrow goes out that leads back to the same state."""
_HISTORY: Final = 30.0


@dataclass(frozen=True, slots=True)
class Text:
    """Lines of small text."""

    x: float
    y: float
    """Of the top of the first."""
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Path:
    """A line through points, in the arrow's direction: straight between those one below the other, else bent."""

    points: tuple[tuple[float, float], ...]
    has_head: bool


@dataclass(slots=True)
class Box:
    """One state, at its place in the box around it."""

    state: Drawn
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    boxes: list["Box"] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    dots: list[tuple[float, float]] = field(default_factory=list)
    """Where it begins: middles of dots."""
    loop: tuple[str, ...] = ()
    """What leads from it back to itself, at its right side."""
    ports: dict[int, float] = field(default_factory=dict)
    """Where arrows cross its border, so far from its left."""

    @property
    def room(self) -> float:
        """The width that it takes with its loop."""
        return self.width + (REACH + ASIDE + max(width(line, SMALL) for line in self.loop) if self.loop else 0.0)

    @property
    def loop_text(self) -> Text:
        """Where the text of the loop stands: of a large box beside its heading."""
        down = len(self.loop) * LINE
        middle = min(self.height / 2, PAD + max(down / 2, LINE))
        return Text(self.width + REACH + ASIDE, middle - down / 2, self.loop)


def title_of(state: Drawn) -> str:
    """A state's name, what it is, and whether an instance is there."""
    if state.kind == "history":
        return "H*" if state.is_deep else "H"
    words = [word for word, is_so in ((state.kind, state.kind in {"final", "parallel"}), ("present", state.is_present)) if is_so]
    return " · ".join([clipped(state.name) or "_", *words])


def heading_of(state: Drawn) -> tuple[float, float]:
    """Width and height of what is written at the top of a state: its title, and its tools."""
    widths = [width(title_of(state), TITLE), *(width(clipped(tool), SMALL) for tool in state.tools)]
    return max(widths), LINE + (PAD / 2 + len(state.tools) * LINE if state.tools else 0.0)


def leaf(state: Drawn) -> Box:
    """The box of a state without states."""
    if state.kind == "history":
        return Box(state, _HISTORY, _HISTORY)
    across, down = heading_of(state)
    return Box(state, across + 2 * PAD, down + 1.4 * PAD)


def add_loop(box: Box, labels: tuple[str, ...]) -> None:
    """Let an arrow lead from *box* back to it."""
    box.loop = tuple(map(clipped, labels))
    box.height = max(box.height, len(labels) * LINE + 2 * ASIDE)
