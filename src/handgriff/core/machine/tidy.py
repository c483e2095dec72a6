"""Null, which Python writers use for "nothing", written as XState wants it: left out, or `{}` for a forbidden transition."""

from typing import Any


def tidied(state: dict[str, Any]) -> dict[str, Any]:
    """The config of a state without null, except where null is data. What has another shape than it should is left as it is."""
    tidy = {key: value for key, value in state.items() if value is not None or key == "output"}
    for key in ("on", "after"):
        if isinstance(tidy.get(key), dict):
            tidy[key] = {event: _transitions(each) for event, each in tidy[key].items()}
    for key in ("always", "onDone"):
        if key in tidy:
            tidy[key] = _transitions(tidy[key])
    for key in ("initial", "route"):
        if isinstance(tidy.get(key), dict):
            tidy[key] = _transition(tidy[key])
    for key in ("entry", "exit"):
        if key in tidy:
            tidy[key] = _named(tidy[key])
    if isinstance(tidy.get("states"), dict):
        tidy["states"] = {key: _state(each) for key, each in tidy["states"].items()}
    return tidy


def _state(given: Any) -> Any:
    return tidied(given) if isinstance(given, dict) else {} if given is None else given


def _transitions(given: Any) -> Any:
    return [_transition(each) for each in given] if isinstance(given, list) else _transition(given)


def _transition(given: Any) -> Any:
    if given is None:
        return {}
    if not isinstance(given, dict):
        return given
    tidy = {key: value for key, value in given.items() if value is not None}
    return tidy | {key: _named(tidy[key]) for key in ("guard", "actions") if key in tidy}


def _named(given: Any) -> Any:
    if isinstance(given, list):
        return [_named(each) for each in given]
    return {key: value for key, value in given.items() if value is not None} if isinstance(given, dict) else given
