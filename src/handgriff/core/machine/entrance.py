"""How states are entered where a transition doesn't say: initial states, and the fallback of histories."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from handgriff.core.machine.node import Candidate, Node
from handgriff.core.machine.plain import in_order, member, near, shown
from handgriff.core.machine.targets import Sketch, Targets
from handgriff.core.machine.transitions import Transitions
from handgriff.errors import DefinitionError

_INITIAL: Final = ("target", "actions", "description", "meta")


class Entrances:
    """The default entries of one machine's states."""

    def __init__(self, machine: str, sketches: Sequence[Sketch], targets: Targets, transitions: Transitions) -> None:
        self._machine = machine
        self._sketches = sketches
        self._targets = targets
        self._transitions = transitions

    def initial(self, sketch: Sketch) -> Candidate | None:
        """The initial transition of a state.

        Raises:
            DefinitionError: it leads to none of its states, or there has to be one.
        """
        given, where = sketch.config.get("initial"), member(sketch.where, "initial")
        if sketch.kind not in {"compound", "parallel"}:
            if given is not None:
                raise self._wrong(where, "it has no states to enter.", "leave it out.")
            return None
        target = self._initial_target(sketch)
        if target is None:
            return None
        actions: Mapping[str, Any] = given if isinstance(given, dict) else {}
        self._transitions.check_keys(actions, _INITIAL, where)
        return self._transitions.made(sketch, "", actions, where, targets=(target,))

    def fallback(self, sketch: Sketch) -> tuple[int, ...]:
        """Where a history state leads before it has any.

        Raises:
            DefinitionError: there is no such state.
        """
        if sketch.kind != "history":
            return ()
        targets = self._fallback(sketch)
        if any(self._sketches[target].kind == "history" for target in targets):
            # XState takes it, and then has the second history among its active states.
            problem = "without a history it leads to a history state, which is never active."
            raise self._wrong(member(sketch.where, "target"), problem, "name the state to enter.")
        return targets

    def _fallback(self, sketch: Sketch) -> tuple[int, ...]:
        given, where = sketch.config.get("target"), member(sketch.where, "target")
        if not given:
            parent = self._sketches[sketch.parent]
            target = self._initial_target(parent) if parent.kind == "compound" else parent.place
            return () if target is None else (target,)
        targets = given if isinstance(given, list) else [given]
        if not all(isinstance(each, str) and each for each in targets):
            raise self._wrong(where, f"it is {shown(given)}, not a target.", "give a key, a path, '#id', or a list of them.")
        return tuple(self._targets.beside(sketch, each, where) for each in targets)

    def _initial_target(self, sketch: Sketch) -> int | None:
        given, where = sketch.config.get("initial"), member(sketch.where, "initial")
        keys = in_order(sketch.states)
        if isinstance(given, dict):
            given = given.get("target")
        if isinstance(given, list) and len(given) == 1:
            given = given[0]
        if given is None or given == "":
            if sketch.kind == "parallel":
                return None
            mend = f"say 'initial': {shown(keys[0])}." if keys else "give it states, and say which is entered first."
            raise self._wrong(where, "it doesn't say which of its states is entered first.", mend)
        if not isinstance(given, str) or given not in sketch.states:
            mend = near(given, keys) if isinstance(given, str) else near("", keys)
            raise self._wrong(where, f"{shown(given)} is none of its states.", mend)
        return sketch.states[given]

    def _wrong(self, where: str, problem: str, mend: str) -> DefinitionError:
        return DefinitionError(self._machine, where, problem, mend=mend)


def check_entrances(nodes: Sequence[Node], machine: str) -> None:
    """Refuse histories whose fallback leads back to themselves; no other state can.

    Raises:
        DefinitionError: there is one.
    """
    over: set[int] = set()
    for node in nodes:
        if node.kind == "history":
            _check_fallback(nodes, node.place, over, machine)


def beginnings(nodes: Sequence[Node], place: int = 0) -> Iterator[int]:
    """The states that are entered with the one at *place*, itself first; histories stand for what they lead to."""
    yield place
    for child in _entered_with(nodes[place]) if nodes[place].kind != "history" else ():
        yield from beginnings(nodes, child)


def _check_fallback(nodes: Sequence[Node], start: int, over: set[int], machine: str) -> None:
    way: dict[int, list[int]] = {start: list(_entered_with(nodes[start]))}
    while way:
        place, left = next(reversed(way.items()))
        if not left:
            over.add(place)
            del way[place]
            continue
        following = left.pop()
        if following in way:
            circle = list(way)[list(way).index(following) :]
            history = next(nodes[each] for each in circle if nodes[each].kind == "history")
            problem = "it leads back to itself, so it can't be entered before it has a history."
            raise DefinitionError(machine, history.where, problem, mend="give it another target.")
        if following not in over:
            way[following] = list(_entered_with(nodes[following]))


def _entered_with(node: Node) -> tuple[int, ...]:
    match node.kind:
        case "compound":
            return (node.initial.targets if node.initial else None) or ()
        case "parallel":
            return node.regions
        case "history":
            return node.fallback
        case _:
            return ()
