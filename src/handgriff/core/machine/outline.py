"""The states of a config: their ids, kinds and places, before any transition is read."""

from typing import Any, Final

from handgriff.core.machine.node import NO_PARENT, Kind
from handgriff.core.machine.plain import in_order, member, near, shown
from handgriff.core.machine.targets import Sketch
from handgriff.errors import DefinitionError

MAX_LEVELS: Final = 32
"""States inside each other."""
MAX_STATES: Final = 2000
"""States of one machine."""
KINDS: Final[tuple[Kind, ...]] = ("atomic", "compound", "parallel", "final", "history")
STATE: Final = (
    "id",
    "type",
    "initial",
    "states",
    "on",
    "always",
    "after",
    "onDone",
    "entry",
    "exit",
    "tags",
    "meta",
    "description",
    "output",
    "history",
    "target",
    "route",
    "invoke",
    "order",
)
MACHINE: Final = (*STATE, "context", "version", "types", "schemas", "options")
_HISTORY: Final = ("id", "type", "history", "target", "meta", "description", "tags", "order", "states", "route")
"""What means something in a history state, and what is refused with words of its own."""


def outlined(config: dict[str, Any], machine: str) -> list[Sketch]:
    """Every state of *config* in document order, the machine itself first.

    Raises:
        DefinitionError: a state is no object, is of no kind, or there are too many.
    """
    outline = _Outline(machine)
    outline.add(config, machine, "", "", NO_PARENT, 0)
    return outline.found


class _Outline:
    def __init__(self, machine: str) -> None:
        self.found: list[Sketch] = []
        self._machine = machine
        self._ids: dict[str, str] = {}

    def add(self, config: dict[str, Any], key: str, path: str, where: str, parent: int, level: int) -> int:
        if level > MAX_LEVELS:
            raise self._wrong(where, f"states are nested more than {MAX_LEVELS} levels deep.", "make it flatter.")
        if len(self.found) >= MAX_STATES:
            raise self._wrong("states", f"there are more than {MAX_STATES} states.", "make several machines of it.")
        default = f"{self._machine}.{path}" if path else self._machine
        sketch = Sketch(len(self.found), self._id(config, default, where), key, path, where, self._kind(config, where), parent, config)
        self.found.append(sketch)
        for child in in_order(self._states(sketch)):
            inside = member(member(where, "states"), child)
            given = config["states"][child]
            if not child:
                raise self._wrong(member(where, "states"), "a state has no name.", "give it one.")
            if not isinstance(given, dict):
                raise self._wrong(inside, "it is no object.", "give an object, {} for a state that does nothing.")
            below = f"{path}.{child}" if path else child
            sketch.states[child] = self.add(given, child, below, inside, sketch.place, level + 1)
        sketch.last = len(self.found) - 1
        if sketch.kind == "parallel" and all(self.found[child].kind == "history" for child in sketch.states.values()):
            # XState takes it, and then forgets in stored histories that it was active.
            raise self._wrong(member(where, "type"), "a parallel state has states in it.", "give it states, or leave out its type.")
        return sketch.place

    def _id(self, config: dict[str, Any], default: str, where: str) -> str:
        given = config.get("id") or default
        if not isinstance(given, str):
            raise self._wrong(member(where, "id"), "it is not a text.", "give a text.")
        if given in self._ids:
            problem = f"{shown(given)} is the id of {self._ids[given] or 'the machine'} too."
            raise self._wrong(member(where, "id"), problem, "give one of them an id of its own.")
        self._ids[given] = where
        return given

    def _kind(self, config: dict[str, Any], where: str) -> Kind:
        given = config.get("type")
        if given is None:
            return "compound" if config.get("states") else "history" if config.get("history") else "atomic"
        for kind in KINDS:
            if given == kind:
                return kind
        known = ", ".join(KINDS)
        mend = near(given, KINDS) if isinstance(given, str) else f"it is one of {known}."
        raise self._wrong(member(where, "type"), "there is no such kind of state.", mend)

    def _states(self, sketch: Sketch) -> dict[str, Any]:
        self._check_keys(sketch)
        states = sketch.config.get("states", {})
        where = member(sketch.where, "states")
        if not isinstance(states, dict):
            raise self._wrong(where, "they are no object.", "give an object with a state for each key.")
        if states and sketch.kind in {"atomic", "final", "history"}:
            raise self._wrong(where, f"{_with_article(sketch.kind)} state has no states in it.", "leave out its type, or its states.")
        return states

    def _check_keys(self, sketch: Sketch) -> None:
        where = sketch.where
        known = STATE if sketch.parent != NO_PARENT else MACHINE
        for key in sketch.config:
            if key not in known:
                raise self._wrong(member(where, key), "it means nothing in a state.", _mend(key, known))
        if sketch.config.get("invoke") not in (None, []):
            mend = "call it from the tool that is bound here, and fire an event with its result."
            raise self._wrong(member(where, "invoke"), "an invoked actor can't be stored.", mend)
        if sketch.kind == "history":
            if sketch.parent == NO_PARENT:
                raise self._wrong("type", "a machine is no history.", "leave it out.")
            for key in sketch.config:
                if key not in _HISTORY:
                    raise self._wrong(member(where, key), "it means nothing in a history state.", "give it to the state around it.")
        else:
            for key in ("history", "target"):
                if sketch.config.get(key):
                    raise self._wrong(member(where, key), "only a history state has it.", "say type: 'history', or leave it out.")

    def _wrong(self, where: str, problem: str, mend: str) -> DefinitionError:
        return DefinitionError(self._machine, where or "config", problem, mend=mend)


_OLD = {"onEntry": "entry", "onExit": "exit", "data": "output", "parallel": "type", "cond": "on", "activities": "invoke", "key": "id"}


def _mend(key: str, known: tuple[str, ...]) -> str:
    return f"did you mean {_OLD[key]!r}?" if key in _OLD else near(key, known)


def _with_article(kind: str) -> str:
    return f"an {kind}" if kind == "atomic" else f"a {kind}"
