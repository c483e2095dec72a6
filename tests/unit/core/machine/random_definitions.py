"""Random machines, and what may happen to them: nested and parallel states, history, `always`, delays, wildcards, and guards that every
event answers anew."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hypothesis import strategies as st

from handgriff.core.machine.node import Definition
from handgriff.core.machine.reading import read
from handgriff.errors import DefinitionError

EVENTS: Final = ("A", "B", "a.x", "a.y")
DESCRIPTORS: Final = (*EVENTS, "a.*", "*")
GUARDS: Final = ("g0", "g1")
_KEYS: Final = ("s0", "s1", "s2")
_MANY: Final = 6
"""States, from which on no more are put into others: parallel ones multiply."""


def flag(name: str) -> Any:
    """A guard that the event answers."""

    def guard(_context: object, event: Mapping[str, Any], _params: object) -> bool:
        return bool(event.get("flags", {}).get(name, False))

    return guard


def at_least(_context: object, event: Mapping[str, Any], params: Mapping[str, Any]) -> bool:
    return bool(event.get("n", 0) >= params["min"])


FUNCTIONS: Final = {**{name: flag(name) for name in GUARDS}, "gp": at_least}


@dataclass(slots=True)
class Drawing:
    """A config while it is drawn. The states are there before the transitions, so that those can lead anywhere."""

    draw: st.DrawFn
    paths: list[str] = field(default_factory=list)

    def machine(self) -> dict[str, Any]:
        root = self.compound("", depth=0)
        self.connect(root, "")
        return {"id": "m", **root}

    def compound(self, path: str, *, depth: int) -> dict[str, Any]:
        keys = list(_KEYS[: self.draw(st.integers(2, 3))])
        states = {key: self.state(f"{path}{key}", depth=depth + 1) for key in keys}
        if self.draw(st.integers(0, 3)) == 0:
            return {"type": "parallel", "states": states}
        if states[keys[-1]] == {} and self.draw(st.booleans()):
            states[keys[-1]]["type"] = "final"
        if depth and self.draw(st.booleans()):
            states["h"] = {"type": "history", "history": self.draw(st.sampled_from(["shallow", "deep"]))}
            self.paths.append(f"{path}h")
        return {"initial": self.draw(st.sampled_from(keys)), "states": states}

    def state(self, path: str, *, depth: int) -> dict[str, Any]:
        self.paths.append(path)
        may_hold = depth < 3 and len(self.paths) < _MANY
        return self.compound(f"{path}.", depth=depth) if may_hold and self.draw(st.integers(0, 2)) == 0 else {}

    def connect(self, state: dict[str, Any], path: str) -> None:
        kind = state.get("type")
        if kind == "history":
            return
        state["entry"] = f"+{path}"
        if kind != "final":
            on = self.draw(st.lists(st.sampled_from(DESCRIPTORS), max_size=2, unique=True))
            state["on"] = {event: [self.transition() for _ in range(self.draw(st.integers(1, 2)))] for event in on}
            if path and self.draw(st.integers(0, 5)) == 0:
                state["always"] = [{**self.transition(), "guard": self.draw(st.sampled_from(GUARDS))}]
            if path and self.draw(st.integers(0, 5)) == 0:
                state["after"] = {"1000": self.transition()}
            if path and "states" in state and self.draw(st.booleans()):
                state["onDone"] = self.transition()
        for key, inner in state.get("states", {}).items():
            self.connect(inner, f"{path}.{key}" if path else key)

    def transition(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.draw(st.integers(0, 6)):
            found["target"] = f"#m.{self.draw(st.sampled_from(self.paths))}"
        guard = self.draw(st.sampled_from([None, None, *GUARDS, {"type": "gp", "params": {"min": 1}}]))
        if guard is not None:
            found["guard"] = guard
        if self.draw(st.integers(0, 3)) == 0:
            found["reenter"] = True
        return found


@st.composite
def configs(draw: st.DrawFn) -> dict[str, Any]:
    """The config of a machine that can be read."""
    config = Drawing(draw).machine()
    try:
        defined(config)
    except DefinitionError:
        return {"id": "m", "initial": "s0", "states": {"s0": {"on": {"A": "s1"}}, "s1": {"on": {"*": "s0"}}}}
    return config


def defined(config: Mapping[str, Any]) -> Definition:
    """The machine of *config*."""
    return read(config, FUNCTIONS, {})


FLAGS = st.fixed_dictionaries({name: st.booleans() for name in GUARDS})
HAPPENINGS = st.lists(
    st.fixed_dictionaries({"type": st.sampled_from((*EVENTS, "a.z", "Z", "(time)")), "flags": FLAGS, "n": st.integers(0, 2)}), max_size=15
)
"""Events, and delays that are over."""
