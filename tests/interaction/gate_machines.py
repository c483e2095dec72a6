"""Random machines as configs: flat, nested and parallel, with history, `always`, guards, forbidden transitions and wildcards.

They are sound by construction as far as that is easy; what is not sound for all that is replaced by a plain one, so nothing is thrown away.
"""

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from handgriff import DefinitionError, Machine
from handgriff.core.machine.checks import findings

Config = dict[str, Any]
Json = Mapping[str, Any]
EVENTS: Final = ("GO", "ask.one", "ask.two", "BACK")
WILD: Final = ("*", "ask.*")
TAGS: Final = ("red", "blue")
PLAIN: Final[Config] = {
    "initial": "a",
    "context": {"n": 0},
    "states": {"a": {"on": {"GO": "b"}}, "b": {"on": {"BACK": "a", "ask.*": "c"}, "tags": "red"}, "c": {"type": "final"}},
}


def wanted(_context: Json, event: Json, _params: Json) -> bool:
    """Whether the call's arguments say so."""
    return bool(event.get("args", {}).get("ok", False))


def even(context: Json, _event: Json, _params: Json) -> bool:
    return int(context["n"]) % 2 == 0


def odd(context: Json, event: Json, params: Json) -> bool:
    return not even(context, event, params)


def count(context: Json, _event: Json, _params: Json) -> Json:
    """Counts round a small circle, so that there are few contexts."""
    return {**context, "n": (context["n"] + 1) % 4}


GUARDS: Final = {"wanted": wanted, "even": even, "odd": odd}
ACTIONS: Final = {"count": count}


def config_of(name: str, chance: Random) -> Config:
    """The config of a sound machine."""
    guards = chance.choice([(), ("wanted",), ("wanted",), ("wanted", "even", "odd")])
    shape = chance.choice(["flat", "nested", "nested", "parallel"])
    drawing = _Drawing(chance, guards)
    body = drawing.parallel() if shape == "parallel" else drawing.compound(0 if shape == "flat" else 1, is_root=True)
    everywhere = {chance.choice(EVENTS + WILD): chance.choice([{"actions": "count"}, f".{next(iter(body['states']))}"])}
    config = {"id": name, "context": {"n": 0}, **body, "on": everywhere if chance.random() < 0.5 else {}}
    return config if _is_sound(config) else {"id": name, **PLAIN}


class _Drawing:
    """One machine while it is drawn."""

    def __init__(self, chance: Random, guards: tuple[str, ...]) -> None:
        self._chance = chance
        self._guards = guards

    def compound(self, depth: int, *, is_root: bool = False, may_end: bool = True) -> Config:
        """A state with states in it, each of which leads to the next one, the last to the first or to the end."""
        keys = list("abc"[: self._chance.choice([2, 3, 3])])
        states: Config = {key: self._inside(depth) for key in keys}
        if may_end and self._is(1, of=2):
            states[keys[-1]] = {"type": "final"}
        for index, key in enumerate(keys):
            if states[key].get("type") != "final":
                self._connect(states, keys, index)
        if not is_root and self._is(1, of=2):
            states["h"] = {"type": "history", "history": self._chance.choice(["shallow", "deep"])}
        return {"initial": "a", "states": states}

    def parallel(self) -> Config:
        """Two regions beside each other."""
        return {"type": "parallel", "states": {key: self.compound(0, may_end=False) for key in ("l", "r")}}

    def _inside(self, depth: int) -> Config:
        kind = self._chance.choice(["atomic", "atomic", "compound", "parallel"]) if depth else "atomic"
        made = {} if kind == "atomic" else self.compound(depth - 1) if kind == "compound" else self.parallel()
        return {**made, "tags": self._chance.sample(TAGS, self._chance.choice([0, 1]))}

    def _connect(self, states: Config, keys: list[str], index: int) -> None:
        state, following = states[keys[index]], keys[(index + 1) % len(keys)]
        on: Config = {self._chance.choice(EVENTS): following}
        for _ in range(self._chance.choice([0, 1, 2])):
            on.setdefault(self._chance.choice(EVENTS + WILD), self._transition(states, keys))
        if "states" in state and state.get("type") != "parallel":
            state["onDone"] = following
        if "even" in self._guards and index + 1 < len(keys) and self._is(1, of=3):
            # Only onwards, so that it never goes round in circles.
            state["always"] = {"target": keys[index + 1], "guard": self._chance.choice(["even", "odd"])}
        state["on"] = on

    def _transition(self, states: Config, keys: list[str]) -> Any:
        kind = self._chance.choice(["plain", "guarded", "listed", "counting", "history", "inner", "forbidden"])
        target = self._chance.choice(keys)
        guard: Config = {"guard": self._chance.choice(self._guards)} if self._guards else {}
        below = [key for key in keys if "states" in states[key]]
        match kind:
            case "guarded":
                return {"target": target, **guard}
            case "listed":
                return [{"target": target, **guard, "actions": "count"}, {"target": keys[0], "reenter": True}]
            case "counting":
                return {"actions": "count", **guard}
            case "history" if with_history := [key for key in below if "h" in states[key]["states"]]:
                return f"{with_history[0]}.h"
            case "inner" if below:
                return f"{below[0]}.{[key for key in states[below[0]]['states'] if key != 'h'][-1]}"
            case "forbidden":
                return {**guard}
            case _:
                return target

    def _is(self, one: int, *, of: int) -> bool:
        return self._chance.randrange(of) < one


def _is_sound(config: Config) -> bool:
    try:
        return not findings(Machine.from_config(config, guards=GUARDS, actions=ACTIONS).definition)
    except DefinitionError:
        return False
