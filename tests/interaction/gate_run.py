"""A random world that runs: who sits where, which instances there are, and what the oracle says of a call there."""

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from handgriff import Caller, Host
from handgriff.core.machine.interpret import start
from handgriff.core.machine.snapshot import Snapshot
from handgriff.core.outcome import Outcome
from handgriff.core.workflow import PROCESS
from handgriff.ports.snapshots import SnapshotKey
from tests.interaction.gate_build import NOON, NOWHERE, RELAY, World
from tests.interaction.gate_oracle import Stand, Stands, Verdict, listed, reached, states_of, verdict
from tests.interaction.gate_specs import ToolSpec
from tests.interaction.gate_ways import Ways, stand_of

UNKNOWN = "w_" + "0" * 32
ORDERS = ("one", "two", NOWHERE)
MOST_VARIANTS = 4
Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seat:
    """Somebody in a session of theirs."""

    caller: Caller
    session: str


@dataclass(frozen=True, slots=True)
class Expected:
    """What the oracle says of one call."""

    tool: ToolSpec
    arguments: Arguments
    verdict: Verdict
    allowed: Sequence[str]
    stands: Stands

    @property
    def is_open(self) -> bool:
        return self.verdict == "open"

    @property
    def code(self) -> str | None:
        """Of its outcome."""
        if self.is_open:
            return "unconfirmed" if self.tool.effect == "irreversible" else None
        return self.verdict


@dataclass(slots=True)
class Run:
    """One run."""

    world: World
    host: Host
    seats: Sequence[Seat]
    handles: dict[int, list[tuple[Caller, str]]] = field(default_factory=dict)
    """By machine, with whoever began it."""

    async def call(self, seat: Seat, tool: str, arguments: Arguments) -> Outcome:
        """Call in Python."""
        return await self.host.call(seat.caller, tool, arguments, session=seat.session)

    async def move(self, seat: Seat, tool: ToolSpec, arguments: Arguments) -> Outcome:
        """Call *tool* so that a success moves."""
        self.world.is_probed = False
        try:
            outcome = await self.call(seat, tool.name, arguments)
            if (proposal := facts(outcome.text).get("proposal")) is not None:
                await self.host.proposals.decide(seat.caller, proposal, approved=True)
        finally:
            self.world.is_probed = True
        if tool.starts is not None and outcome.is_ok:
            told = facts(outcome.text)["workflow"]
            self.handles.setdefault(tool.starts, []).append((seat.caller, told[told["machine"]]))
        return outcome

    async def begin(self) -> None:
        """Let the first seat begin an instance of all that has to be begun, and the application's be somewhere."""
        for tool in self.world.spec.tools:
            if tool.starts is not None:
                await self.move(self.seats[0], tool, {})
        self.wander(0)

    def wander(self, choice: int) -> None:
        """Let the application move what is its own."""
        for number, spec in enumerate(self.world.spec.machines):
            if not spec.is_kept:
                paths = states_of(spec.config)
                order = "" if spec.kind == "derived" else ORDERS[choice % 2]
                self.world.places[number, order] = [paths[choice % len(paths)]]

    async def expected(self, seat: Seat, tool: ToolSpec, arguments: Arguments) -> Expected:
        """What must become of a call now."""
        spec, grant = self.world.spec, seat.caller.permissions
        found, known = verdict(spec, tool, grant, await self.stands(seat, tool, arguments), arguments)
        return Expected(tool, arguments, found, listed(spec, grant, known), known)

    async def situations(self, seat: Seat) -> list[Expected]:
        """Every call that *seat* may try now."""
        return [
            await self.expected(seat, tool, arguments)
            for tool in self.world.spec.tools
            if tool.name != RELAY
            for arguments in self.variants(seat, tool)
        ]

    async def offered(self, seat: Seat) -> list[str]:
        """What a list that varies must hold."""
        return listed(self.world.spec, seat.caller.permissions, await self.stands(seat))

    def ways(self, grant: AbstractSet[str] = frozenset()) -> Ways:
        """Where somebody may go who may do that."""
        return Ways(self.world, [tool for tool in self.world.spec.tools if set(tool.requires) <= grant])

    def variants(self, seat: Seat, tool: ToolSpec) -> list[Arguments]:
        """Arguments to try *tool* with: each guard's answers, orders, and handles, own and others'."""
        choices: dict[str, Sequence[Any]] = {}
        for machine in tool.machines:
            spec = self.world.spec.machines[machine]
            if spec.kind == "handle":
                own = [handle for caller, handle in self.handles.get(machine, ()) if caller == seat.caller]
                others = [handle for caller, handle in self.handles.get(machine, ()) if caller != seat.caller]
                choices[spec.id] = (*own[-2:], *(others[-1:] or [UNKNOWN]))
            if spec.kind == "asked":
                choices["order"] = ORDERS
            if tool.fires is not None and "'wanted'" in repr(spec.config):
                choices["ok"] = (True, False)
        every = [dict(zip(choices, chosen, strict=True)) for chosen in product(*choices.values())]
        return every[:: -(-len(every) // MOST_VARIANTS)]

    def named_by(self, tool: ToolSpec, arguments: Arguments) -> Arguments:
        """Of these arguments those that say to *tool* which instance is meant."""
        machines = [self.world.spec.machines[number] for number in tool.machines]
        names = [each.id if each.kind == "handle" else "order" for each in machines if each.needs_arguments]
        return {name: arguments[name] for name in names}

    async def stands(self, seat: Seat, tool: ToolSpec | None = None, arguments: Mapping[str, Any] | None = None) -> Stands:
        """Where every machine is that needs no arguments to say it, and those of a call with its arguments."""
        found: dict[int, Stand | None] = {}
        for number, spec in enumerate(self.world.spec.machines):
            if not spec.needs_arguments or (tool is not None and number in tool.machines):
                found[number] = await self._stand(seat, number, arguments or {})
        return found

    async def _stand(self, seat: Seat, number: int, arguments: Mapping[str, Any]) -> Stand | None:
        spec, definition = self.world.spec.machines[number], self.world.machines[number].definition
        if not spec.is_kept:
            named = self.world.places.get((number, arguments.get("order", "one") if spec.kind == "asked" else ""))
            return None if named is None else Stand(spec.config, frozenset(reached(spec.config, named)), {})
        text = await self._stored(seat, number, arguments.get(spec.id, ""))
        if text is None and spec.kind == "handle":
            return None
        snapshot = start(definition, NOON).snapshot if text is None else Snapshot.from_json(text, definition)
        return stand_of(spec.config, snapshot)

    async def _stored(self, seat: Seat, number: int, handle: str) -> str | None:
        spec, engine = self.world.spec.machines[number], await self.host.engine()
        if spec.kind == "process":
            row = await engine.workflows.process.load(SnapshotKey(PROCESS, spec.id, PROCESS), None)
        else:
            row = await engine.store.workflow(seat.caller.tenant, spec.id, handle if spec.kind == "handle" else seat.session)
        if row is None or (spec.kind == "handle" and not spec.is_shared and row.user != seat.caller.user):
            return None
        return row.snapshot


def facts(text: str) -> dict[str, Any]:
    """What an outcome says."""
    told: dict[str, Any] = json.loads(text)
    return told
