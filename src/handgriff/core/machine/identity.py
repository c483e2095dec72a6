"""What makes two machines the same: all that decides how snapshots are stepped, and nothing that only people read."""

from typing import Any, Final

from handgriff.core import jsontext
from handgriff.core.jsontext import Json, JsonLimits
from handgriff.core.machine.held import let_go
from handgriff.core.machine.node import ActionRef, Candidate, Definition, Node

_LIMITS: Final = JsonLimits(depth=200, size=64 * 2**20, members=10_000_000)
"""A definition has been bounded already; its parts are only written more than once."""


def machine_hash(definition: Definition) -> str:
    """A digest of what *definition* does: states, transitions, targets, guards and actions with their params, context and output.

    Names of functions count, not what they do. Descriptions, meta, tags and the author's version don't count.
    """
    said = {"id": definition.id, "context": definition.context, "states": [_state(definition, node) for node in definition.places]}
    return jsontext.digest(jsontext.dumps(_sorted(let_go(said)), limits=_LIMITS))


def _state(definition: Definition, node: Node) -> dict[str, Any]:
    return {
        "id": node.id,
        "path": node.path,
        "kind": node.kind,
        "history": node.history,
        "fallback": _ids(definition, node.fallback),
        "initial": None if node.initial is None else _candidate(definition, node.initial),
        "on": {event: [_candidate(definition, each) for each in candidates] for event, candidates in node.table.items()},
        "always": [_candidate(definition, each) for each in node.always],
        "entry": [_action(each) for each in node.entry],
        "exit": [_action(each) for each in node.exit],
        "output": [node.output] if node.has_output else [],
    }


def _candidate(definition: Definition, candidate: Candidate) -> list[Any]:
    guard = candidate.guard
    return [
        None if candidate.targets is None else _ids(definition, candidate.targets),
        None if guard is None else [guard.name, guard.params],
        [_action(each) for each in candidate.actions],
        candidate.reenter,
        candidate.route,
    ]


def _action(action: ActionRef) -> list[Any]:
    return [action.name, action.params]


def _ids(definition: Definition, places: tuple[int, ...]) -> list[str]:
    return [definition.places[place].id for place in places]


def _sorted(value: Json) -> Json:
    """Objects in one order: JSON gives the order of keys no meaning, and neither does a machine outside of its states."""
    match value:
        case dict():
            return {key: _sorted(value[key]) for key in sorted(value)}
        case list():
            return [_sorted(item) for item in value]
        case _:
            return value
