"""The assistant: instructions, toolboxes, lanes and limits, checked when it is built. It is joined to the world by a host."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from handgriff.core.contract import Contract, Handler, HostedTool
from handgriff.core.kinds import check_kinds
from handgriff.core.lane import Lane, Limits
from handgriff.core.template import placeholder_in
from handgriff.core.toolbox import Toolbox
from handgriff.errors import DefinitionError

H = TypeVar("H", bound=Callable[..., object])


@dataclass(slots=True)
class Assistant:
    """What an assistant is. `instructions` are the same for every tenant; `context` is each session's own, frozen when it begins.

    `capabilities` is the capability reference, as text or as the path of a Markdown file. Without `lanes` there is one, "standard",
    whose model the host names.

    Raises:
        DefinitionError: a tool is defined wrongly, or two tools share a name.
    """

    name: str
    instructions: str = field(kw_only=True)
    context: str = field(default="", kw_only=True)
    toolboxes: Sequence[Toolbox] = field(kw_only=True)
    lanes: Mapping[str, Lane] = field(default_factory=dict, kw_only=True)
    capabilities: str | Path | None = field(default=None, kw_only=True)
    limits: Limits = field(default_factory=Limits, kw_only=True)
    contracts: Mapping[str, Contract] = field(init=False)
    hosted: tuple[HostedTool, ...] = field(init=False)
    _before: list[Handler] = field(default_factory=list, init=False)
    _after: list[Handler] = field(default_factory=list, init=False)
    _ends: list[Handler] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        if not self.instructions.strip():
            raise DefinitionError(self.name, "instructions", "they are empty.", mend="say what the assistant is for.")
        for member in ("instructions", "context"):
            found = placeholder_in(getattr(self, member))
            if found is not None:
                raise DefinitionError(
                    self.name, member, f"{found!r} is a placeholder, and placeholders are not expanded yet.", mend="write the text itself."
                )
        if isinstance(self.capabilities, Path):
            self.capabilities = self.capabilities.read_text(encoding="utf-8")
        if not isinstance(self.toolboxes, (list, tuple)) or not all(isinstance(box, Toolbox) for box in self.toolboxes):
            raise DefinitionError(self.name, "toolboxes", "they are no list of Toolbox.", mend="give toolboxes=[yours].")
        self.contracts = _by_name(self.toolboxes)
        check_kinds(self.contracts.values())
        self.hosted = tuple(tool for toolbox in self.toolboxes for tool in toolbox.hosted)

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
