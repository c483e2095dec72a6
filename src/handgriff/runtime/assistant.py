"""The assistant: instructions, toolboxes, lanes and limits, checked when it is built. It is joined to the world by a host."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeVar

from handgriff.core.binding import bound
from handgriff.core.contract import Contract, Handler, HostedTool
from handgriff.core.gating import machines_of
from handgriff.core.gating_checks import check_bindings
from handgriff.core.kinds import check_kinds
from handgriff.core.lane import Lane, Limits
from handgriff.core.machine.machine import Binding, Machine
from handgriff.core.schema.declared import Declared, declare
from handgriff.core.template import Template, parse
from handgriff.core.toolbox import Toolbox
from handgriff.errors import DefinitionError

H = TypeVar("H", bound=Callable[..., object])


@dataclass(slots=True)
class Assistant:
    """What an assistant is. `instructions` are the same for every tenant; `context` is each session's own, frozen when it begins.

    `context` may name keys of state in braces (`{user:name}`), which are filled in then; `instructions` may not. `state`, a pydantic model,
    declares the keys there are and their types; without it any key may hold any JSON.

    `bindings` bind tools to workflow states from outside (`machine.bind`). With `unbound="closed"` a tool that is bound to none is closed.

    `capabilities` is the capability reference, as text or as the path of a Markdown file. Without `lanes` there is one, "standard",
    whose model the host names.

    Raises:
        DefinitionError: a tool is defined wrongly, two tools share a name, or a text names a key it may not.
    """

    name: str
    instructions: str = field(kw_only=True)
    context: str = field(default="", kw_only=True)
    toolboxes: Sequence[Toolbox] = field(kw_only=True)
    lanes: Mapping[str, Lane] = field(default_factory=dict, kw_only=True)
    capabilities: str | Path | None = field(default=None, kw_only=True)
    limits: Limits = field(default_factory=Limits, kw_only=True)
    state: type | None = field(default=None, kw_only=True)
    bindings: Sequence[Binding] = field(default=(), kw_only=True)
    unbound: Literal["open", "closed"] = field(default="open", kw_only=True)
    contracts: Mapping[str, Contract] = field(init=False)
    hosted: tuple[HostedTool, ...] = field(init=False)
    declared: Declared | None = field(init=False)
    """The keys that `state` declares."""
    template: Template = field(init=False)
    """`context`, read."""
    machines: Mapping[str, Machine] = field(init=False)
    """Every machine that a tool is bound to or starts, by id."""
    _before: list[Handler] = field(default_factory=list, init=False)
    _after: list[Handler] = field(default_factory=list, init=False)
    _ends: list[Handler] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        for member in ("instructions", "context"):
            if not isinstance(getattr(self, member), str):
                raise DefinitionError(self.name, member, f"it is {type(getattr(self, member)).__name__}.", mend="give text.")
        if not self.instructions.strip():
            raise DefinitionError(self.name, "instructions", "they are empty.", mend="say what the assistant is for.")
        self.declared = declare(self.state) if self.state is not None else None
        self.template = parse(self.context)
        self._check_texts()
        if isinstance(self.capabilities, Path):
            self.capabilities = self.capabilities.read_text(encoding="utf-8")
        if not isinstance(self.toolboxes, (list, tuple)) or not all(isinstance(box, Toolbox) for box in self.toolboxes):
            raise DefinitionError(self.name, "toolboxes", "they are no list of Toolbox.", mend="give toolboxes=[yours].")
        self.contracts = self._bound(_by_name(self.toolboxes))
        self.machines = machines_of(self.contracts.values())
        check_bindings(self.machines, self.contracts.values())
        check_kinds(self.contracts.values())
        self.hosted = tuple(tool for toolbox in self.toolboxes for tool in toolbox.hosted)

    def _bound(self, contracts: dict[str, Contract]) -> dict[str, Contract]:
        if self.unbound not in ("open", "closed"):
            raise DefinitionError(self.name, "unbound", f"{self.unbound!r} is no word for it.", mend="say 'open' or 'closed'.")
        if not isinstance(self.bindings, (list, tuple)) or not all(isinstance(each, Binding) for each in self.bindings):
            raise DefinitionError(
                self.name, "bindings", "they are no list of Binding.", mend="give bindings=[machine.bind(tool, at=…), …]."
            )
        for binding in self.bindings:
            contract = contracts.get(binding.tool)
            if contract is None:
                problem = "no toolbox has a tool of this name."
                raise DefinitionError(binding.tool, "bindings", problem, mend="bind a tool of the assistant's toolboxes.")
            contracts[binding.tool] = bound(contract, at=binding.at, fires=binding.fires)
        return contracts

    def _check_texts(self) -> None:
        for placeholder in parse(self.instructions).placeholders:
            # Nothing is filled in here, so doubling the braces is no way out, and a `{4}` is somebody's pattern.
            if not placeholder.key.name[0].isdigit():
                problem = f"{str(placeholder)!r} is a placeholder, and these are the same for everybody."
                raise DefinitionError(self.name, "instructions", problem, mend="write it in context, or put a blank inside the braces.")
        for placeholder in self.template.placeholders:
            key = str(placeholder.key)
            if placeholder.key.scope == "temp":
                problem = f"{str(placeholder)!r} names a temporary value, and the context outlives its turn."
                raise DefinitionError(self.name, "context", problem, mend="let a tool read it with call.state.")
            if self.declared is not None and key not in self.declared.keys:
                near = self.declared.nearest(key)
                meant = f"did you mean {near!r}?" if near else f"declared are {', '.join(map(repr, self.declared.keys))}."
                problem = f"{str(placeholder)!r} names no key that the state model declares; {meant}"
                raise DefinitionError(self.name, "context", problem, mend="use a declared key, declare this one, or double the braces.")

    def before_call(self, function: H) -> H:
        """Attach a hook asked before each call of any tool: `(tool, args, call)`; it may raise a refusal."""
        self._before.append(function)
        return function

    def after_call(self, function: H) -> H:
        """Attach a hook told of each write's outcome, at least once: one `AfterCall`."""
        self._after.append(function)
        return function

    def on_turn_end(self, function: H) -> H:
        """Attach a hook told of each turn's end: one `TurnOver`."""
        self._ends.append(function)
        return function

    @property
    def turn_end_hooks(self) -> tuple[Handler, ...]:
        """What `on_turn_end` collected."""
        return tuple(self._ends)

    def contract(self, name: str) -> Contract | None:
        """The tool of exactly this name, with the assistant's hooks around its own."""
        found = self.contracts.get(name)
        if found is None or not (self._before or self._after):
            return found
        return replace(found, before_call=(*self._before, *found.before_call), after_call=(*found.after_call, *self._after))


def _by_name(toolboxes: Sequence[Toolbox]) -> dict[str, Contract]:
    contracts: dict[str, Contract] = {}
    for toolbox in toolboxes:
        for contract in toolbox.contracts():
            other = contracts.get(contract.name)
            if other is not None:
                raise DefinitionError(
                    contract.name, "name", f"it is defined in {other.toolbox!r} and in {toolbox.name!r}.", mend="rename one of them."
                )
            contracts[contract.name] = contract
    for toolbox in toolboxes:
        for tool in toolbox.hosted:
            if tool.name in contracts:
                problem = f"a tool of your own in {contracts[tool.name].toolbox!r} has it too."
                raise DefinitionError(tool.name, "name", problem, mend="rename your own tool.")
    return contracts
