"""The shortest way to a closed tool, found by trying every call that could be made: the oracle's own search, over all machines at once."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handgriff.core.machine.interpret import next_step
from handgriff.core.machine.snapshot import Snapshot
from tests.interaction.gate_build import NOON, World
from tests.interaction.gate_machines import Config
from tests.interaction.gate_oracle import Stand, Stands, lets_pass, paths_of
from tests.interaction.gate_specs import ToolSpec

ANSWERS = (True, False)
"""What a call may say to a guard that asks its arguments."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways that somebody may go with *tools* alone."""

    world: World
    tools: Sequence[ToolSpec]

    def shortest(self, stands: Stands, wanted: ToolSpec) -> int | None:
        """How many calls lead to *wanted*, itself included; None where none do. They move no machine but those it is bound to."""
        tools = [tool for tool in self.tools if tool.fires is not None and tool.fires[0] in wanted.machines]
        growing, seen = [(stands, 1)], {_key(stands)}
        for now, length in growing:
            if lets_pass(wanted, now, None):
                return length
            for _, after in self._steps(now, tools):
                if (key := _key(after)) not in seen:
                    seen.add(key)
                    growing.append((after, length + 1))
        return None

    def arguments(self, stands: Stands, path: Sequence[str]) -> list[bool] | None:
        """What to say in each call of *path*, so that its last one succeeds; None where that is impossible."""
        first, *rest = (self.world.tool(name) for name in path)
        if not rest:
            return next(([ok] for ok in ANSWERS if lets_pass(first, stands, {"ok": ok})), None)
        for ok, after in self._steps(stands, [first]):
            if (found := self.arguments(after, path[1:])) is not None:
                return [ok, *found]
        return None

    def after(self, stands: Stands, tool: ToolSpec, arguments: Mapping[str, Any]) -> Stands:
        """Where the machine is that a success of *tool* moves; nothing where it moves none."""
        stand = stands.get(tool.fires[0]) if tool.fires is not None else None
        if tool.fires is None or stand is None or stand.snapshot is None:
            return {}
        number, event = tool.fires
        # Arguments that were left out are as the handler declares them.
        sent = {"type": event, "args": {"ok": True, **arguments}}
        return {number: stand_of(stand.config, next_step(self.world.machines[number].definition, stand.snapshot, sent, NOON).snapshot)}

    def _steps(self, stands: Stands, tools: Iterable[ToolSpec]) -> Iterator[tuple[bool, Stands]]:
        for tool in tools:
            if tool.fires is None or any(stands.get(machine) is None for machine in tool.machines):
                continue
            for ok in ANSWERS:
                if lets_pass(tool, stands, {"ok": ok}):
                    yield ok, {**stands, **self.after(stands, tool, {"ok": ok})}


def stand_of(config: Config, snapshot: Snapshot) -> Stand:
    """Where a kept instance is."""
    value = json.loads(snapshot.to_json())["value"]
    return Stand(config, frozenset(paths_of(value)), snapshot.context, snapshot.status == "done", snapshot)


def _key(stands: Stands) -> Any:
    return tuple(
        (number, stand.paths, repr(sorted(stand.context.items())), repr(sorted(stand.snapshot.history.items())), stand.is_done)
        for number, stand in stands.items()
        if stand is not None and stand.snapshot is not None
    )
