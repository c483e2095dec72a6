"""Random worlds: what of `gate_specs` an assistant can be built of, drawn.

Each machine and each tool is made of one number. Hypothesis chooses the numbers, and leaves out what a failure doesn't need.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Literal

from hypothesis import strategies as st

from tests.interaction.gate_build import PEOPLE, RELAY, World, is_buildable
from tests.interaction.gate_machines import TAGS, Config, config_of
from tests.interaction.gate_specs import AtSpec, Kind, MachineSpec, ToolSpec, WorldSpec

KINDS: Sequence[Kind] = ("session", "session", "handle", "handle", "process", "derived", "asked")
GRANTS = (frozenset("ab"), frozenset("a"), frozenset("b"))
REQUIRES = ((), (), (), ("a",), ("b",))
STYLES = ("step", "step", "step", "step", "step", "step", "several", "tagged", "anywhere", "anywhere", "across", "across", "free")
MOST_TOOLS = 8
Walk = list[tuple[int, int]]
"""Who goes on, and with what of all that they may do."""

_NAMES = {"*": "else", "ask.*": "ask.else"}
"""An event that a wildcard takes and nothing takes by name."""
_numbers = st.integers(0, 2**20)


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a world is made of: short enough to be shown where something fails."""

    of_machines: Sequence[int]
    of_tools: Sequence[int]
    of_the_rest: int
    kinds: Sequence[Kind]

    def world(self) -> World:
        """A world whose assistant can be built, with some tools and one for each machine that has to be begun."""
        return _world(self, _chance(self.of_the_rest))


def numbers(kinds: Sequence[Kind] = KINDS) -> st.SearchStrategy[Numbers]:
    """Worlds with machines of these kinds."""
    machines, tools = st.lists(_numbers, min_size=3, max_size=3), st.lists(_numbers, min_size=8, max_size=16)
    return st.builds(Numbers, machines, tools, _numbers, st.just(kinds))


def walks(most: int) -> st.SearchStrategy[Walk]:
    """Choices of walks."""
    return st.lists(st.tuples(st.sampled_from([0, 0, 0, 1, 2]), _numbers), min_size=most // 2, max_size=most)


def _world(numbers: Numbers, chance: Random) -> World:
    some = numbers.of_machines[: chance.choice([1, 1, 2, 2, 3])]
    machines = tuple(_machine(f"m{index}", numbers.kinds, _chance(number)) for index, number in enumerate(some))
    starting = tuple(
        ToolSpec(f"begin_{each.id}", starts=number, requires=chance.choice(REQUIRES))
        for number, each in enumerate(machines)
        if each.kind == "handle"
    )
    # Whoever begins everything may do everything.
    grants = (frozenset("ab"), *(chance.choice(GRANTS) for _ in PEOPLE[1:]))
    world = World(WorldSpec(machines, starting, chance.choice(["open", "open", "closed"]), grants))
    drawn = [replace(_tool(machines, _chance(number)), name=f"t{index}") for index, number in enumerate(numbers.of_tools)]
    tools = [tool for tool in drawn if is_buildable(world, tool)][:MOST_TOOLS]
    return world.with_tools((*starting, *tools, ToolSpec(RELAY)))


def _chance(number: int) -> Random:
    return Random(number)  # noqa: S311  # nothing here is a secret


def _machine(name: str, kinds: Sequence[Kind], chance: Random) -> MachineSpec:
    return MachineSpec(config_of(name, chance), chance.choice(kinds), chance.choice([True, False]))


def _tool(machines: tuple[MachineSpec, ...], chance: Random) -> ToolSpec:
    one, other = chance.randrange(len(machines)), chance.randrange(len(machines))
    steps = _steps(machines[one].config)
    path, event = chance.choice(steps)
    fires = (one, event) if machines[one].is_kept else None
    at = AtSpec(one, (path,))
    bound: dict[str, Any] = {}
    match chance.choice(STYLES):
        case "step":
            bound = {"at": (at,), "fires": fires}
        case "several":
            names = dict.fromkeys((path, chance.choice(steps)[0]))
            bound = {"at": (AtSpec(one, tuple(names)),), "fires": chance.choice([None, fires])}
        case "tagged":
            bound = {"at": (AtSpec(one, (chance.choice(TAGS),), by_tag=True),), "fires": chance.choice([None, fires])}
        case "anywhere" if fires is not None:
            # The machine's own events, too: once it is done it takes them no more.
            bound = {"fires": (one, chance.choice([event, *(_NAMES.get(each, each) for each in machines[one].config.get("on", {}))]))}
        case "across":
            # At both, or at the other one alone.
            beside = AtSpec(other, (chance.choice(_steps(machines[other].config))[0],))
            bound = {"at": (*chance.choice([(), (at,)]), beside), "fires": chance.choice([fires, fires, None])}
        case _:
            pass
    effects: list[Literal["read", "write", "irreversible"]] = ["write", "read", "irreversible", "irreversible"]
    effect = chance.choice(effects if "at" in bound else effects[:2])
    return ToolSpec("", effect, chance.choice(REQUIRES), from_outside=bool(bound) and chance.choice([True, False]), **bound)


def _steps(config: Config) -> list[tuple[str, str]]:
    """Every state's path with every event that it says something of; of a wildcard one that it takes and nothing takes by name."""
    found: list[tuple[str, str]] = []

    def collect(state: Config, path: str) -> None:
        found.extend((path, _NAMES.get(event, event)) for event in state.get("on", {}) if path)
        for key, inside in state.get("states", {}).items():
            if inside.get("type") != "history":
                below = f"{path}.{key}" if path else key
                found.append((below, "GO"))
                collect(inside, below)

    collect(config, "")
    return found
