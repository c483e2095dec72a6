"""A machine as text that Mermaid draws: a `stateDiagram-v2`, states by number and every name of the author's escaped."""

from collections.abc import Iterable, Iterator

from handgriff.core.machine.drawing.lettering import clipped
from handgriff.core.machine.drawing.picture import Arrow, Bound, Drawn, Picture, picture_of
from handgriff.core.machine.machine import Machine


def mermaid(machine: Machine, contracts: Iterable[Bound] = (), present: frozenset[str] | None = None) -> str:
    """The diagram of *machine*, with the tools of *contracts* in notes; *present* are ids of active states, which are marked."""
    return "\n".join(_Diagram(picture_of(machine, contracts, present)).lines()) + "\n"


class _Diagram:
    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self._beginnings = {arrow.source: arrow for arrow in picture.beginnings}

    def lines(self) -> Iterator[str]:
        """The whole diagram."""
        root = self._picture.states[0]
        yield "stateDiagram-v2"
        yield f"    accTitle: {_text(self._picture.title)}"
        if root.kind == "parallel" or root.tools or self._is_drawn(0):
            # What belongs to the machine itself needs a box to stand on.
            yield from self._state(root, "    ")
        else:
            yield from self._inside(root, "    ")
        yield from (self._arrow(arrow) for arrow in self._picture.arrows)
        for state in self._picture.states:
            yield from _note(state)
        present = [_id(state) for state in self._picture.states if state.is_present]
        if present:
            yield "    classDef present stroke-width:4px,font-weight:bold"
            yield f"    class {','.join(present)} present"

    def _is_drawn(self, place: int) -> bool:
        return any(place in (arrow.source, arrow.target) for arrow in self._picture.arrows)

    def _state(self, state: Drawn, indent: str) -> Iterator[str]:
        title = f'{indent}state "{_title(state)}" as {_id(state)}'
        if not state.children:
            yield title
            return
        yield f"{title} {{"
        yield from self._inside(state, f"{indent}    ")
        yield f"{indent}}}"

    def _inside(self, state: Drawn, indent: str) -> Iterator[str]:
        children = [self._picture.states[child] for child in state.children]
        if state.kind != "parallel":
            beginning = self._beginnings.get(state.place)
            if beginning is not None:
                yield f"{indent}[*] --> s{beginning.target}"
            for child in children:
                yield from self._state(child, indent)
            yield from (f"{indent}{_id(child)} --> [*]" for child in children if child.kind == "final")
            return
        for number, child in enumerate(child for child in children if child.kind != "history"):
            if number:
                yield f"{indent}--"
            yield from self._state(child, indent)
        for child in children:
            if child.kind == "history":
                yield from self._state(child, indent)

    def _arrow(self, arrow: Arrow) -> str:
        label = f" : {'<br/>'.join(_text(line) for line in arrow.labels)}" if arrow.labels else ""
        return f"    s{arrow.source} --> s{arrow.target}{label}"


def _note(state: Drawn) -> Iterator[str]:
    if state.tools:
        yield f"    note right of {_id(state)}"
        yield from (f"        {_text(tool)}" for tool in state.tools)
        yield "    end note"


def _title(state: Drawn) -> str:
    if state.kind == "history":
        return "H*" if state.is_deep else "H"
    words = [word for word, is_so in ((state.kind, state.kind in {"final", "parallel"}), ("present", state.is_present)) if is_so]
    return f"{_text(state.name)} ({', '.join(words)})" if words else _text(state.name)


def _id(state: Drawn) -> str:
    return f"s{state.place}"


def _text(text: str) -> str:
    """*text* so that Mermaid reads nothing in it: all but letters, digits and a few marks as entities, line breaks as blanks. What is too
    long for a line is visibly shortened."""
    shown = "".join(each for each in clipped(text) if each.isprintable()) or "_"
    return "".join(each if each.isalnum() or each in " _.,()-" else f"#{ord(each)};" for each in shown)
