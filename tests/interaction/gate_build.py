"""A world of `gate_specs` built: its machines, its assistant, and what its handlers have done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from handgriff import Assistant, Call, Caller, DefinitionError, Machine, Plan, Refusal, Result, Toolbox
from handgriff.core.binding import bound
from handgriff.core.contract import Contract
from handgriff.core.gating_checks import check_bindings
from handgriff.machine import At, Binding, Fires
from tests.interaction.desk import WORDS
from tests.interaction.gate_machines import ACTIONS, GUARDS
from tests.interaction.gate_specs import AtSpec, MachineSpec, ToolSpec, WorldSpec

PEOPLE: Final = (("acme", "ada"), ("acme", "ben"), ("other", "eve"))
NOWHERE: Final = "nowhere"
"""An order that there is none of."""
RELAY: Final = "relay"
"""The tool that calls another one."""
NOON: Final = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass(slots=True)
class World:
    """A built world."""

    spec: WorldSpec
    entered: list[str] = field(default_factory=list)
    """Handlers that have begun."""
    is_probed: bool = True
    """What succeeds moves nothing."""
    places: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    """Where the application's machines are, by machine and order."""
    inside: Refusal | None = None
    """How the call ended that the relay made."""
    machines: tuple[Machine, ...] = field(default=(), repr=False)
    assistant: Assistant = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.machines = self.machines or tuple(self._machine(index, each) for index, each in enumerate(self.spec.machines))
        box = Toolbox("random")
        bindings = [binding for tool in self.spec.tools if tool.name != RELAY for binding in self._add(box, tool)]
        self._add_relay(box)
        self.assistant = Assistant("random", instructions="You test.", toolboxes=[box], bindings=bindings, unbound=self.spec.unbound)

    def with_tools(self, tools: Sequence[ToolSpec]) -> "World":
        """The same machines with *tools* alone."""
        return World(replace(self.spec, tools=tuple(tools)), machines=self.machines, places=self.places)

    def caller(self, number: int) -> Caller:
        """Somebody, with what they may do."""
        return Caller(*PEOPLE[number], permissions=self.spec.grants[number])

    def tool(self, name: str) -> ToolSpec:
        """The tool of this name."""
        return next(tool for tool in self.spec.tools if tool.name == name)

    def at(self, spec: AtSpec) -> At:
        """The states of a binding."""
        machine = self.machines[spec.machine]
        return machine.tagged(*spec.names) if spec.by_tag else machine.at(*spec.names)

    def event(self, tool: ToolSpec) -> Fires | None:
        """What *tool* fires."""
        return None if tool.fires is None else self.machines[tool.fires[0]].event(tool.fires[1])

    async def callers(self, tenant: str, user: str) -> Caller | None:
        """Who somebody is."""
        return self.caller(PEOPLE.index((tenant, user))) if (tenant, user) in PEOPLE else None

    def _machine(self, index: int, spec: MachineSpec) -> Machine:
        async def by_order(args: Any, call: Call) -> list[str] | None:
            return self.places.get((index, args.order))

        async def alone(call: Call) -> list[str] | None:
            return self.places.get((index, ""))

        match spec.kind:
            case "derived" | "asked":
                options: dict[str, Any] = {"state_of": by_order if spec.kind == "asked" else alone}
            case "handle":
                options = {"instance": "handle", "owner": "tenant" if spec.is_shared else "user"}
            case "session" | "process":
                options = {"instance": spec.kind}
        return Machine.from_config(spec.config, guards=GUARDS, actions=ACTIONS, **options)

    def _add(self, box: Toolbox, tool: ToolSpec) -> Sequence[Binding]:
        at, fires = [self.at(each) for each in tool.at], self.event(tool)
        own: dict[str, Any] = {} if tool.from_outside else {"at": at or None, "fires": fires}
        if tool.starts is not None:
            own["starts"] = self.machines[tool.starts]
        if tool.effect == "irreversible":
            own["plan"] = self._plan(tool.name)
        box.tool(effect=tool.effect, name=tool.name, description=WORDS, requires=tool.requires or None, **own)(self._handler(tool.name))
        return [self.machines[tool.machines[0]].bind(tool.name, at=at or None, fires=fires)] if tool.from_outside and tool.machines else []

    def _handler(self, name: str) -> Callable[..., Any]:
        async def handler(ok: bool = True, order: str = "one") -> Result[None]:
            self.entered.append(name)
            return Result("Done.", fires=None) if self.is_probed else Result("Done.")

        return handler

    def _plan(self, name: str) -> Callable[..., Any]:
        async def plan(ok: bool = True, order: str = "one") -> Plan:
            return Plan(f"Do {name}?")

        return plan

    def _add_relay(self, box: Toolbox) -> None:
        @box.tool(effect="write", name=RELAY, description=WORDS)
        async def relay(tool: str, arguments: dict[str, Any], call: Call) -> Result[None]:
            self.inside = None
            try:
                await call.tool(tool, arguments)
            except Refusal as refusal:
                self.inside = refusal
            return Result("Relayed.")


def is_buildable(world: World, tool: ToolSpec) -> bool:
    """Whether an assistant with *tool* can be built. Only its bindings are looked at, because all else would take long."""
    try:
        contract = bound(replace(_any_contract(), name=tool.name), at=tuple(map(world.at, tool.at)), fires=world.event(tool))
        check_bindings({machine.id: machine for machine in contract.machines}, [contract])
    except DefinitionError:
        return False
    return True


@cache
def _any_contract() -> Contract:
    box = Toolbox("any")

    @box.tool(effect="write", description=WORDS)
    async def handler() -> Result[None]:
        return Result("Done.")

    return box.contracts()[0]
