"""One recorded machine, as XState 5 answered it, and ways to change it."""

import json
from typing import Any

CONFIG: dict[str, Any] = {
    "id": "m",
    "initial": "a",
    "states": {
        "a": {"entry": "+a", "exit": "-a", "on": {"GO": {"target": "b", "guard": "g0", "actions": "t"}}, "after": {"30": "a"}},
        "b": {"type": "final"},
    },
}
EVENTS: list[dict[str, Any]] = [{"type": "GO", "flags": {"g0": False}}, {"type": "GO", "flags": {"g0": True}}, {"type": "GO"}]
DELAY = "xstate.after.30.m.a"
STEPS: list[dict[str, Any]] = [
    {"value": "a", "status": "active", "history": {}, "actions": ["+a", {"type": "xstate.raise", "event": DELAY, "delay": 30}]},
    {"value": "a", "status": "active", "history": {}, "actions": []},
    {"value": "b", "status": "done", "history": {}, "actions": ["-a", {"type": "xstate.cancel", "sendId": DELAY}, "t"]},
]
ENDLESS: dict[str, Any] = {"id": "m", "initial": "a", "states": {"a": {"on": {"GO": "b"}}, "b": {"always": "c"}, "c": {"always": "b"}}}
UNSURE: dict[str, Any] = {"id": "m", "initial": "a", "states": {"a": {"on": {"GO": {"guard": "gp"}}}}}
AT_A: dict[str, Any] = {"value": "a", "status": "active", "history": {}, "actions": []}


def line(**changes: Any) -> str:
    members = {"config": CONFIG, "events": EVENTS, "expected": {"steps": STEPS}}
    return json.dumps({**members, **changes})


def with_step(step: int, **changes: Any) -> str:
    """The machine with one of the answers changed."""
    steps = [{**each, **changes} if number == step else each for number, each in enumerate(STEPS)]
    return line(expected={"steps": steps})
