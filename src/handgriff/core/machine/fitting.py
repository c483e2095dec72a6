"""Whether stored members are a snapshot of a machine: states it has, that can be active together, and all else in agreement with them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from handgriff.core.machine.configuration import inside_of, is_final, places_of
from handgriff.core.machine.node import Definition, Node
from handgriff.core.machine.plain import shown

_REQUIRED: Final = ("value", "context", "history", "status", "entered")
_OPTIONAL: Final = ("elapsed", "output")


def misfits(definition: Definition, members: Mapping[str, Any], *, torn: bool) -> Iterator[str]:
    """Every reason why *members* are no snapshot of *definition*; what follows from another one isn't looked for."""
    missing = [name for name in _REQUIRED if name not in members]
    unknown = [name for name in members if name not in (*_REQUIRED, *_OPTIONAL)]
    if missing or unknown:
        yield f"it has no {', '.join(missing)}" if missing else f"it has {', '.join(map(shown, unknown))}, which means nothing"
        return
    problem = _unknown_state(definition.places, definition.root, members["value"], torn=torn)
    if problem:
        yield problem
        return
    active = places_of(definition.places, members["value"])
    if not torn and inside_of(definition.places, active) is None:
        yield "its states can't be active together"
        return
    yield from _wrong_status(definition, members, None if torn else set(active))
    if not isinstance(members["context"], dict):
        yield "its context is no object"
    yield from _wrong_history(definition, members["history"])
    yield from _wrong_times(definition, members["entered"], active)
    yield from _wrong_elapsed(definition, members.get("elapsed", []), set(active))


def _unknown_state(places: Sequence[Node], node: Node, value: object, *, torn: bool) -> str:
    if isinstance(value, str):
        if node.kind != "compound" or value not in node.states:
            return f"{node.id!r} has no state {shown(value)}"
        child = places[node.states[value]]
        return "" if child.is_leaf else f"{child.id!r} is {child.kind}, and the value doesn't say what is active in it"
    if not isinstance(value, dict):
        return f"the value says {shown(value)} of {node.id!r}"
    for key, within in value.items():
        if key not in node.states or places[node.states[key]].kind == "history":
            return f"{node.id!r} has no state {shown(key)} that can be active"
        child = places[node.states[key]]
        if child.is_leaf and ((node.kind == "compound" and not torn) or within != {}):
            return f"{child.id!r} has no states in it"
        problem = _unknown_state(places, child, within, torn=torn)
        if problem:
            return problem
    return ""


def _wrong_status(definition: Definition, members: Mapping[str, Any], active: set[int] | None) -> Iterator[str]:
    status = members["status"]
    if status not in ("active", "done"):
        yield f"its status is {shown(status)}"
    elif active is not None and (status == "done") != is_final(definition.places, definition.root, active):
        yield f"its status is {status}, and its states are not" if status == "done" else "its states are done, and its status is not"
    if members.get("output") is not None and status != "done":
        yield "it has an output, and isn't done"


def _wrong_history(definition: Definition, history: object) -> Iterator[str]:
    if not isinstance(history, dict):
        yield "its history is no object"
        return
    for key, left in history.items():
        node = definition.nodes.get(key)
        if node is None or node.kind != "history":
            yield f"{shown(key)} is no history state"
        elif not isinstance(left, list) or not left:
            yield f"the history of {node.id!r} is {shown(left)}"
        else:
            yield from (f"{shown(id_)} can't be in the history of {node.id!r}" for id_ in left if not _may_remember(definition, node, id_))


def _may_remember(definition: Definition, history: Node, remembered: object) -> bool:
    node = definition.nodes.get(remembered) if isinstance(remembered, str) else None
    if node is None or node.kind == "history":
        return False
    if history.history == "shallow":
        return node.parent == history.parent
    return node.is_leaf and history.parent < node.place <= definition.places[history.parent].last


def _wrong_times(definition: Definition, entered: object, active: Sequence[int]) -> Iterator[str]:
    ids = {definition.places[place].id for place in active}
    if not isinstance(entered, dict):
        yield "its times are no object"
    elif entered.keys() != ids:
        odd = sorted(entered.keys() ^ ids)
        yield f"the states that are active and those with a time of entry differ: {', '.join(map(shown, odd))}"
    else:
        yield from (f"{shown(at)} is no time with its zone" for at in entered.values() if not _is_time(at))


def _is_time(text: object) -> bool:
    try:
        return isinstance(text, str) and datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _wrong_elapsed(definition: Definition, elapsed: object, active: set[int]) -> Iterator[str]:
    if not isinstance(elapsed, list):
        yield "its elapsed delays are no list"
        return
    for event in elapsed:
        delay = definition.delays.get(event) if isinstance(event, str) else None
        if delay is None or delay[0] not in active:
            yield f"{shown(event)} is no delay of an active state"
