"""Random machines that use everything a config may say, with events for them. The functions that they name are those of `machines.mjs`."""

from random import Random
from typing import Any

from handgriff.core.machine.node import ActionFunction, GuardFunction

NAMES = ("a", "b", "c", "d", "2", "10", "constructor", "x y")
DESCRIPTORS = ("GO", "STOP", "a.x", "a.x.z", "a.*", "a.x.*", "*", ".*", "a.*.z")
EVENTS = ("GO", "STOP", "a", "a.x", "a.x.z", "a.q", ".q", "unknown")
MOST_STATES = 16

GUARDS: dict[str, GuardFunction] = {
    "flagged": lambda _context, event, params: bool(event.get("flags", {}).get(params["flag"])),
    "least": lambda context, _event, params: bool(context.get("n", 0) >= params["n"]),
    "answered": lambda _context, event, params: "output" in event and event["output"] == params["output"],
}
ACTIONS: dict[str, ActionFunction] = {
    "count": lambda context, _event, _params: {**context, "n": context.get("n", 0) + 1},
    "keep": lambda context, event, params: {**context, "kept": [event["type"], params["of"]]},
}


def random_machine(seed: int, *, events: int = 25) -> dict[str, Any]:
    """A `config`, `events` that are sent to it, and `probes` that it is asked about."""
    return _Machine(Random(seed)).made(events)  # noqa: S311  # the same machine for the same seed is what is wanted


class _Machine:
    """A machine while it is made."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._states: list[tuple[tuple[str, ...], dict[str, Any]]] = []
        self._actions = 0

    def made(self, events: int) -> dict[str, Any]:
        root = self._state((), self._random.choice(["compound", "compound", "parallel"]))
        root["id"] = "m"
        for path, state in self._states:
            self._fill(path, state)
        if self._chance(0.5):
            root["context"] = {"n": self._random.randint(0, 2)}
        if self._chance(0.4):
            root["output"] = self._random.choice([7, {"a": [1]}])
        return {"config": root, "events": [self._event() for _ in range(events)], "probes": [self._event(event) for event in EVENTS]}

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _state(self, path: tuple[str, ...], kind: str) -> dict[str, Any]:
        state: dict[str, Any] = {}
        self._states.append((path, state))
        if path and self._chance(0.15):
            state["id"] = f"id{len(self._states)}"
        if kind == "atomic":
            return state
        names = self._random.sample(NAMES, self._random.randint(1, 3))
        state["states"] = {name: self._state((*path, name), self._kind(len(path))) for name in names}
        if kind == "parallel":
            state["type"] = "parallel"
        else:
            self._begin(state, names)
        if self._chance(0.4):
            self._remember(state, path, names)
        return state

    def _kind(self, level: int) -> str:
        if level > 2 or len(self._states) >= MOST_STATES or self._chance(0.5):
            return "atomic"
        return self._random.choice(["compound", "compound", "parallel"])

    def _begin(self, state: dict[str, Any], names: list[str]) -> None:
        state["initial"] = self._random.choice(names)
        if self._chance(0.2):
            state["initial"] = {"target": state["initial"], "actions": self._performed()}
        leaves = [name for name in names if "states" not in state["states"][name]]
        if leaves and self._chance(0.6):
            final = state["states"][self._random.choice(leaves)]
            final["type"] = "final"
            if self._chance(0.5):
                final["output"] = self._random.choice([1, "text", {"k": [1]}])

    def _remember(self, state: dict[str, Any], path: tuple[str, ...], names: list[str]) -> None:
        history: dict[str, Any] = {"type": "history"}
        if self._chance(0.8):
            history["history"] = self._random.choice(["shallow", "deep", True])
        if self._chance(0.4):
            history["target"] = self._random.choice(names)
        state["states"]["h"] = history
        self._states.append(((*path, "h"), history))

    def _fill(self, path: tuple[str, ...], state: dict[str, Any]) -> None:
        if state.get("type") == "history":
            return
        name = ".".join(path)
        if self._chance(0.7):
            state["entry"] = self._random.choice([f"+{name}", [f"+{name}", "count"]])
        if self._chance(0.7):
            state["exit"] = self._random.choice([f"-{name}", [f"-{name}", {"type": "keep", "params": {"of": name}}]])
        if state.get("type") == "final" and self._chance(0.8):
            return
        for _ in range(self._random.randint(0, 3)):
            state.setdefault("on", {})[self._random.choice(DESCRIPTORS)] = self._transitions(path, state)
        if self._chance(0.12):
            state["always"] = [self._transition(path, state, is_guarded=True)]
        if self._chance(0.15):
            delays = self._random.sample(["1000", "500", "30", "0"], self._random.randint(1, 2))
            state["after"] = {delay: self._transition(path, state) for delay in delays}
        if "states" in state and self._chance(0.5):
            state["onDone"] = self._transitions(path, state)
        if "id" in state and path and self._chance(0.3):
            state["route"] = self._random.choice([{}, {"guard": self._guard()}, {"actions": "routed", "reenter": True}])

    def _transitions(self, path: tuple[str, ...], state: dict[str, Any]) -> Any:
        several = [self._transition(path, state) for _ in range(self._random.choice([1, 1, 1, 2, 3]))]
        return several if len(several) > 1 or self._chance(0.5) else several[0]

    def _transition(self, path: tuple[str, ...], state: dict[str, Any], *, is_guarded: bool = False) -> dict[str, Any]:
        transition: dict[str, Any] = {}
        if self._chance(0.88):
            transition["target"] = self._regions() if self._chance(0.08) else self._target(path, state)
        if self._chance(0.6):
            transition["actions"] = self._performed()
        if is_guarded or self._chance(0.4):
            transition["guard"] = self._guard()
        if self._chance(0.25):
            transition["reenter"] = True
        return transition

    def _target(self, path: tuple[str, ...], state: dict[str, Any]) -> str:
        somewhere, there = self._random.choice(self._states)
        targets = [f"#{there['id']}" if "id" in there and somewhere else f"#{'.'.join(('m', *somewhere))}"]
        if "states" in state:
            targets.append("." + self._inward(state))
        if path:
            around = next(each for where, each in self._states if where == path[:-1])
            targets += [self._inward(around)] * 2
        return self._random.choice(targets)

    def _inward(self, state: dict[str, Any]) -> str:
        name = self._random.choice(list(state["states"]))
        inside = state["states"][name]
        return f"{name}.{self._inward(inside)}" if "states" in inside and self._chance(0.3) else name

    def _regions(self) -> list[str]:
        """States in different regions of a parallel one, or a single one."""
        parallel = [(path, state) for path, state in self._states if state.get("type") == "parallel"]
        path, state = self._random.choice(parallel or self._states[:1])
        regions = [name for name, region in state["states"].items() if region.get("type") != "history"]
        chosen = self._random.sample(regions, self._random.randint(1, len(regions) if parallel else 1))
        return [f"#{'.'.join(('m', *path, name))}" for name in chosen]

    def _performed(self) -> Any:
        self._actions += 1
        name = f"t{self._actions}"
        return self._random.choice(
            [name, [name, "count"], {"type": name, "params": {"x": 1}}, {"type": "keep", "params": {"of": name}}, []]
        )

    def _guard(self) -> dict[str, Any]:
        flag = {"type": "flagged", "params": {"flag": self._random.choice("pqr")}}
        least = {"type": "least", "params": {"n": self._random.randint(0, 4)}}
        return self._random.choice([flag, flag, least, {"type": "answered", "params": {"output": self._random.choice([1, "text"])}}])

    def _event(self, event: str | None = None) -> dict[str, Any]:
        flags = {"p": self._chance(0.5), "q": self._chance(0.3), "r": self._chance(0.7)}
        routes = [state["id"] for _, state in self._states if "route" in state]
        if event is None and routes and self._chance(0.15):
            return {"type": "xstate.route", "to": f"#{self._random.choice(routes)}", "flags": flags}
        return {"type": event or self._random.choice((*EVENTS, *self._delays())), "flags": flags}

    def _delays(self) -> list[str]:
        ids = [(state.get("id") or ".".join(("m", *path)), state) for path, state in self._states]
        return [f"xstate.after.{delay}.{id_}" for id_, state in ids for delay in state.get("after", {})]
