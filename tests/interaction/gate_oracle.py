"""What the gate must answer, found out without it: from stored snapshots and the configs themselves.

Nothing of the gate, of the graph or of what selects transitions is used here. Only the ways a workflow may go are stepped with the
interpreter, which is compared with XState elsewhere.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

from handgriff.core.machine.snapshot import Snapshot
from tests.interaction.gate_machines import GUARDS, Config
from tests.interaction.gate_specs import AtSpec, ToolSpec, WorldSpec

Answer = Literal["moves", "holds", "nothing"]
"""What a state says to an event: a transition, a forbidden one, or none."""
Verdict = Literal["open", "closed", "not_found"]


@dataclass(frozen=True, slots=True)
class Stand:
    """Where one instance is."""

    config: Config
    paths: frozenset[str]
    """The active states; the machine itself is the empty one."""
    context: Mapping[str, Any]
    is_done: bool = False
    snapshot: Snapshot | None = field(default=None, compare=False)
    """None where the application moves it. When its states were entered matters to nobody here."""

    def is_at(self, at: AtSpec) -> bool:
        """Whether a binding holds here."""
        if at.by_tag:
            return any(set(at.names) & set(_tags(state_at(self.config, path))) for path in self.paths)
        return not self.paths.isdisjoint(at.names)

    def may_take(self, event: str, arguments: Mapping[str, Any] | None) -> bool:
        """Whether the event may lead on: with these arguments, or without any with some."""
        if self.is_done:
            return False
        sent = None if arguments is None else {"type": event, "args": arguments}
        return "moves" in self._answers(self.config, "", event, sent)

    def _answers(self, state: Config, path: str, event: str, sent: Mapping[str, Any] | None) -> set[Answer]:
        below = [
            self._answers(inside, child, event, sent)
            for key, inside in state.get("states", {}).items()
            if (child := _join(path, key)) in self.paths
        ]
        found: set[Answer] = set()
        for answers in product(*below):
            inner: Answer = "moves" if "moves" in answers else "holds" if "holds" in answers else "nothing"
            found |= self._own(state, event, sent) if inner == "nothing" else {inner}
        return found

    def _own(self, state: Config, event: str, sent: Mapping[str, Any] | None) -> set[Answer]:
        """Without arguments nobody knows what a guard says, so both is followed."""
        found: set[Answer] = set()
        for candidate in _candidates(state.get("on", {}), event):
            guard = candidate.get("guard")
            passes = None if sent is None and guard else not guard or GUARDS[guard](self.context, sent or {}, {})
            if passes is not False:
                found.add("moves" if candidate.get("target") or candidate.get("actions") else "holds")
            if passes:
                return found
        return found | {"nothing"}


Stands = Mapping[int, Stand | None]
"""By machine; None for an instance that there is none of. Absent where only other arguments could say which is meant."""


def in_order(spec: WorldSpec, tool: ToolSpec) -> list[int]:
    """The machines of *tool* as they are looked at: the application's last."""
    return sorted(tool.machines, key=lambda number: not spec.machines[number].is_kept)


def verdict(spec: WorldSpec, tool: ToolSpec, grant: Iterable[str], stands: Stands, arguments: Mapping[str, Any]) -> tuple[Verdict, Stands]:
    """What becomes of a call, and what is known then: of what only arguments say no more than was looked at. *stands* knows all."""
    known = {number: stand for number, stand in stands.items() if number not in tool.machines or not spec.machines[number].needs_arguments}
    kept = {number: stands[number] for number in tool.machines if spec.machines[number].is_kept}
    if not set(tool.requires) <= set(grant) or None in kept.values():
        return "not_found", known
    if not tool.is_bound:
        return spec.unbound, known
    known |= kept
    for number in in_order(spec, tool):
        stand = known[number] = stands[number]
        if stand is None:
            return "not_found", known
        if not all(stand.is_at(at) for at in tool.at if at.machine == number):
            return "closed", known
    return "open" if lets_pass(tool, stands, arguments) else "closed", known


def listed(spec: WorldSpec, grant: Iterable[str], stands: Stands) -> list[str]:
    """The tools that are callable as far as *stands* says; what it doesn't know lets pass."""
    return sorted(tool.name for tool in spec.tools if set(tool.requires) <= set(grant) and may_pass(spec, tool, stands))


def may_pass(spec: WorldSpec, tool: ToolSpec, stands: Stands) -> bool:
    """Whether some arguments may make *tool* callable."""
    return lets_pass(tool, stands, None) if tool.is_bound else spec.unbound == "open"


def lets_pass(tool: ToolSpec, stands: Stands, arguments: Mapping[str, Any] | None) -> bool:
    """Whether every binding holds that *stands* decides."""
    for at in tool.at:
        stand = stands.get(at.machine, _UNKNOWN)
        if stand is not _UNKNOWN and (stand is None or not stand.is_at(at)):
            return False
    if tool.fires is None:
        return True
    moved = stands.get(tool.fires[0], _UNKNOWN)
    return moved is _UNKNOWN or (moved is not None and moved.may_take(tool.fires[1], arguments))


_UNKNOWN = Stand({}, frozenset(), {})


def paths_of(value: object, path: str = "") -> Iterator[str]:
    """The active states of a stored state value."""
    yield path
    inside = {value: {}} if isinstance(value, str) else value
    for key, within in inside.items() if isinstance(inside, Mapping) else ():
        yield from paths_of(within, _join(path, key))


def reached(state: Config, named: Sequence[str], path: str = "") -> Iterator[str]:
    """The active states where the application names these: theirs, and by default what is in and beside them."""
    yield path
    keys = [key for key, inside in state.get("states", {}).items() if inside.get("type") != "history"]
    chosen = [key for key in keys if any(f"{name}.".startswith(f"{_join(path, key)}.") for name in named)]
    for key in keys if state.get("type") == "parallel" else (chosen or keys[:1])[:1]:
        yield from reached(state["states"][key], named, _join(path, key))


def state_at(config: Config, path: str) -> Config:
    """The state of this path."""
    for key in path.split(".") if path else ():
        config = config["states"][key]
    return config


def states_of(config: Config, path: str = "") -> list[str]:
    """The paths of all states that can be active, but the machine's own."""
    inside = [(_join(path, key), state) for key, state in config.get("states", {}).items() if state.get("type") != "history"]
    return [found for below, state in inside for found in (below, *states_of(state, below))]


def _tags(state: Config) -> Sequence[str]:
    tags: str | Sequence[str] = state.get("tags", ())
    return (tags,) if isinstance(tags, str) else tags


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _candidates(on: Mapping[str, Any], event: str) -> Iterator[Config]:
    """By its name, then by what stands for more than one, the longest first."""
    wild = sorted((each for each in on if each.endswith("*") and each != event and _covers(each, event)), key=lambda each: -len(each))
    for descriptor in (*([event] if event in on else []), *wild):
        given = on[descriptor]
        for each in given if isinstance(given, list) else [given]:
            yield {"target": each} if isinstance(each, str) else each or {}


def _covers(descriptor: str, event: str) -> bool:
    prefix = descriptor.removesuffix("*").removesuffix(".")
    return not prefix or event == prefix or event.startswith(f"{prefix}.")
