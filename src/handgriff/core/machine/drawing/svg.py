"""A machine as a picture of its own: an SVG that stands alone, in light and in dark, that can be read aloud and without colours."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from handgriff.core.machine.drawing.box import ASIDE, PAD, REACH, Box, Path, Text, title_of
from handgriff.core.machine.drawing.layout import laid_out
from handgriff.core.machine.drawing.lettering import LINE, SMALL, TITLE, clipped
from handgriff.core.machine.drawing.picture import Bound, Drawn, Picture, picture_of
from handgriff.core.machine.machine import Machine

_MARGIN: Final = 12.0
_STYLE: Final = """
.hg-machine { --paper: #ffffff; --fill: #f6f8fa; --inner: #ffffff; --line: #57606a; --ink: #1f2328; --strong: #0550ae;
  font: 12px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) {
  .hg-machine { --paper: #0d1117; --fill: #161b22; --inner: #0d1117; --line: #8b949e; --ink: #e6edf3; --strong: #79c0ff; } }
.hg-machine .paper { fill: var(--paper); }
.hg-machine .state { fill: var(--inner); stroke: var(--line); stroke-width: 1.2; }
.hg-machine .around { fill: var(--fill); }
.hg-machine .region { stroke-dasharray: 6 4; }
.hg-machine .second { fill: none; }
.hg-machine .present { stroke: var(--strong); stroke-width: 4; }
.hg-machine .line { fill: none; stroke: var(--line); stroke-width: 1.3; }
.hg-machine .head, .hg-machine .dot { fill: var(--line); }
.hg-machine text { fill: var(--ink); }
.hg-machine .title { font-size: 14px; font-weight: 600; }
"""


def svg(machine: Machine, contracts: Iterable[Bound] = (), present: frozenset[str] | None = None) -> str:
    """The picture of *machine*, with the tools of *contracts* in the states; *present* are ids of active states, which are marked."""
    picture = picture_of(machine, contracts, present)
    return "\n".join(_Writing(picture, machine.hash).lines()) + "\n"


class _Writing:
    def __init__(self, picture: Picture, name: str) -> None:
        self._picture = picture
        # Several pictures may stand in one page, where ids are shared.
        self._id = "hg-" + "".join(each for each in name if each.isalnum())[:12]

    def lines(self) -> Iterator[str]:
        """The whole file."""
        root = laid_out(self._picture)
        across, down = round(root.room + 2 * _MARGIN), round(root.height + 2 * _MARGIN)
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="hg-machine" viewBox="0 0 {across} {down}" width="{across}" height="{down}" '
            f'role="img" aria-labelledby="{self._id}-title {self._id}-desc">'
        )
        yield f'<title id="{self._id}-title">{_text(self._picture.title)}</title>'
        yield f'<desc id="{self._id}-desc">{_text(" ".join(self._sentences()))}</desc>'
        yield f"<style>{_STYLE}</style>"
        yield (
            f'<defs><marker id="{self._id}-head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
            'markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0 0 10 5 0 10z"/></marker></defs>'
        )
        yield f'<rect class="paper" width="{across}" height="{down}"/>'
        yield from self._box(root, _MARGIN, _MARGIN)
        yield "</svg>"

    def _box(self, box: Box, x: float, y: float) -> Iterator[str]:
        yield f'<g transform="translate({_number(x)} {_number(y)})">'
        yield from self._border(box)
        yield from self._heading(box)
        for inner in box.boxes:
            yield from self._box(inner, inner.x, inner.y)
        yield from (self._line(_drawn(path), has_head=path.has_head) for path in box.paths)
        yield from (f'<circle class="dot" cx="{_number(cx)}" cy="{_number(cy)}" r="6"/>' for cx, cy in box.dots)
        for text in box.texts:
            yield from _lines(text)
        if box.loop:
            text = box.loop_text
            top = text.y + len(text.lines) * LINE / 2 - ASIDE
            out = _number(box.width + REACH)
            yield self._line(
                f"M{_number(box.width)} {_number(top)}C{out} {_number(top - ASIDE)} {out} {_number(top + 3 * ASIDE)} "
                f"{_number(box.width)} {_number(top + 2 * ASIDE)}",
                has_head=True,
            )
            yield from _lines(text)
        yield "</g>"

    def _border(self, box: Box) -> Iterator[str]:
        state = box.state
        is_region = state.parent >= 0 and self._picture.states[state.parent].kind == "parallel"
        words = [
            "state",
            *(["around"] if box.boxes else []),
            *(["region"] if is_region else []),
            *(["present"] if state.is_present else []),
        ]
        if state.kind == "history":
            half = _number(box.width / 2)
            yield f'<circle class="{" ".join(words)}" cx="{half}" cy="{half}" r="{half}"/>'
            return
        size = f'width="{_number(box.width)}" height="{_number(box.height)}"'
        yield f'<rect class="{" ".join(words)}" {size} rx="8"/>'
        if state.kind == "final":
            size = f'width="{_number(box.width - 8)}" height="{_number(box.height - 8)}"'
            yield f'<rect class="state second" x="4" y="4" {size} rx="5"/>'

    def _heading(self, box: Box) -> Iterator[str]:
        state, title = box.state, _text(title_of(box.state))
        if box.boxes:
            yield f'<text class="title" x="{_number(PAD)}" y="{_number(PAD + TITLE - 2)}">{title}</text>'
        else:
            y = PAD * 0.7 + TITLE - 2 if state.kind != "history" else box.height / 2 + TITLE / 2 - 2
            yield f'<text class="title" x="{_number(box.width / 2)}" y="{_number(y)}" text-anchor="middle">{title}</text>'
        if not state.tools:
            return
        top = (PAD if box.boxes else PAD * 0.7) + LINE
        if not box.boxes:
            yield f'<path class="line" d="M0 {_number(top + PAD / 4)}H{_number(box.width)}"/>'
        yield from _lines(Text(PAD, top + PAD / 2, tuple(map(clipped, state.tools))))

    def _line(self, path: str, *, has_head: bool) -> str:
        head = f' marker-end="url(#{self._id}-head)"' if has_head else ""
        return f'<path class="line" d="{path}"{head}/>'

    def _sentences(self) -> Iterator[str]:
        """The picture in words."""
        for state in self._picture.states:
            if state.kind != "history":
                yield _sentence(f"{title_of(state)}: {'; '.join(self._ways(state)) or 'nothing leads on'}")
                if state.tools:
                    yield _sentence(f"Tools: {', '.join(map(clipped, state.tools))}")

    def _ways(self, state: Drawn) -> Iterator[str]:
        """What leads on from *state*: what it says itself, how it begins inside, and what the states around it say."""
        states = self._picture.states
        begins = [self._name(arrow.target) for arrow in self._picture.beginnings if arrow.source == state.place]
        if begins:
            yield f"begins in {' and '.join(begins)}"
        elif state.kind == "parallel":
            inside = [self._name(child) for child in state.children if states[child].kind != "history"]
            yield f"{' and '.join(inside)} are active together"
        for arrow in self._picture.arrows:
            if arrow.source == state.place and arrow.labels:
                yield f"{' or '.join(map(clipped, arrow.labels))} leads to {self._name(arrow.target)}"
        sources = {arrow.source for arrow in self._picture.arrows if arrow.labels}
        around = state.parent
        while around >= 0:
            if around in sources:
                yield f"what leads on from {self._name(around)}"
            around = states[around].parent

    def _name(self, place: int) -> str:
        state = self._picture.states[place]
        return clipped(state.name) if state.kind != "history" else f"the history of {self._name(state.parent)}"


def _sentence(text: str) -> str:
    """*text* with the mark that ends a sentence, unless an author's name brings one."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _drawn(path: Path) -> str:
    """The points as SVG draws them: from row to row in curves that begin and end upright."""
    x, y = path.points[0]
    drawn = [f"M{_number(x)} {_number(y)}"]
    for to_x, to_y in path.points[1:]:
        if abs(to_y - y) < 1:
            continue
        if abs(to_x - x) < 1:
            drawn.append(f"V{_number(to_y)}")
        else:
            middle = _number((y + to_y) / 2)
            drawn.append(f"C{_number(x)} {middle} {_number(to_x)} {middle} {_number(to_x)} {_number(to_y)}")
            x = to_x
        y = to_y
    return "".join(drawn)


def _lines(text: Text) -> Iterator[str]:
    for number, line in enumerate(text.lines):
        yield f'<text x="{_number(text.x)}" y="{_number(text.y + number * LINE + SMALL)}">{_text(line)}</text>'


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _text(text: str) -> str:
    """*text* as XML holds it; what it can't hold is left out."""
    return escape("".join(each for each in text if each.isprintable()))
