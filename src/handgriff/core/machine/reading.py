"""A config in the shape of XState v5, read into a definition. What can't be stored, or isn't declared, is refused with its path."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from unicodedata import category

from handgriff.core.jsontext import JsonError
from handgriff.core.machine.calling import held_context
from handgriff.core.machine.entrance import Entrances, beginnings, check_entrances
from handgriff.core.machine.functions import checked
from handgriff.core.machine.held import HeldDict, hold, let_go
from handgriff.core.machine.moving import move_of
from handgriff.core.machine.node import ActionFunction, Candidate, Definition, GuardFunction, Node
from handgriff.core.machine.outline import outlined
from handgriff.core.machine.plain import member, plain, shown
from handgriff.core.machine.states import States
from handgriff.core.machine.targets import Sketch, Targets
from handgriff.core.machine.tidy import tidied
from handgriff.core.machine.together import check_targets
from handgriff.core.machine.transitions import Transitions
from handgriff.errors import DefinitionError

UNNAMED: Final = "(machine)"
"""The id that XState gives a machine without one."""


def read(config: Mapping[str, Any], guards: Mapping[str, GuardFunction], actions: Mapping[str, ActionFunction]) -> Definition:
    """The machine that *config* describes. *guards* and *actions* are its functions by name; an action without one is only told of.

    Raises:
        DefinitionError: something in it can't be kept, leads nowhere or means nothing; it names the path.
    """
    machine = _id_of(config)
    tidy = tidied(plain(config, machine))
    guards, actions = checked(guards, machine, "guards"), checked(actions, machine, "actions")
    sketches = outlined(tidy, machine)
    _check_names(sketches, machine)
    targets = Targets(machine, sketches)
    transitions = Transitions(machine, targets, guards)
    places = States(machine, sketches, Entrances(machine, sketches, targets, transitions), transitions).read()
    check_entrances(places, machine)
    check_targets(places, transitions.read, machine)
    beginning = _beginning(places, len(transitions.read))
    return Definition(
        id=machine,
        places=places,
        nodes={node.id: node for node in places},
        context=_context(tidy, machine),
        version=transitions.text(tidy, "version", ""),
        description=places[0].description,
        config=hold(tidy),
        guards=guards,
        actions=actions,
        events=tuple(dict.fromkeys(event for node in places for event in node.on if not _is_wild(event))),
        delays={delay.event: (node.place, delay.milliseconds) for node in places for delay in node.after},
        has_always=any(node.always for node in places),
        beginning=beginning,
        moves=tuple(move_of(places, candidate) for candidate in (*transitions.read, beginning)),
    )


def to_config(definition: Definition) -> dict[str, Any]:
    """The config that *definition* was read from, as XState's own tools read it."""
    return dict(let_go(definition.config))


def _id_of(config: object) -> str:
    given = config.get("id") if isinstance(config, Mapping) else None
    return str.__str__(given) if isinstance(given, str) and given else UNNAMED


def _check_names(sketches: Iterable[Sketch], machine: str) -> None:
    """See that ids and keys can be stored and shown: no store keeps NUL, and what is printed must not steer a terminal."""
    for sketch in sketches:
        for name, where in ((sketch.key, sketch.where or "id"), (sketch.id, member(sketch.where, "id"))):
            if any(category(character) in ("Cc", "Zl", "Zp") for character in name):
                raise DefinitionError(machine, where, f"{shown(name)} holds a control character.", mend="leave it out.")


def _context(config: Mapping[str, Any], machine: str) -> HeldDict:
    given = config.get("context", {})
    if not isinstance(given, dict):
        raise DefinitionError(machine, "context", f"it is {shown(given)}, not an object.", mend="give an object.")
    try:
        return held_context(given)
    except JsonError as error:
        raise DefinitionError(machine, "context", f"it can't be stored: {error}.", mend="make it flatter, or smaller.") from error


def _beginning(places: Sequence[Node], number: int) -> Candidate:
    targets = tuple(beginnings(places))
    return Candidate(number, 0, "", targets, None, (), reenter=True, description=None, meta=None, path="initial")


def _is_wild(event: str) -> bool:
    return event == "*" or event.endswith(".*")
