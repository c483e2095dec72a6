"""Toolboxes: named groups of tools of one module, and the decorator that makes a function a tool.

A tool is complete only when its assistant is built, because a plan or a check may be attached after the function; so contracts are made
then, by `define`.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, ParamSpec, TypeVar

from handgriff.core.contract import CallLimits, Confirm, Contract, EffectKind, ErrorMap, Handler, HostedTool
from handgriff.core.define import Draft, define
from handgriff.core.machine.machine import Bound, Fires, Machine
from handgriff.core.requirement import Requirement, requirements
from handgriff.core.result import Plan, Result
from handgriff.errors import DefinitionError

P = ParamSpec("P")
R = TypeVar("R", bound="Result[Any] | Awaitable[Result[Any]]")
PlanT = TypeVar("PlanT", bound="Callable[..., Plan | Awaitable[Plan]]")
H = TypeVar("H", bound=Handler)
Requires = Requirement | Iterable[Requirement] | None


@dataclass(slots=True)
class DefinedTool(Generic[P, R]):
    """A function that is a tool. It can still be called as the function; its methods attach what belongs to the contract."""

    handler: Callable[P, R]
    draft: Draft

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself, past the boundary: for its own unit tests."""
        return self.handler(*args, **kwargs)

    def plan(self, function: PlanT) -> PlanT:
        """Attach the dry run: the handler's parameters in, a `Plan` out. A person then confirms each call."""
        self._check_free("plan")
        self.draft = replace(self.draft, plan=function)
        return function

    def authorize(self, function: H) -> H:
        """Attach the row-level right: `(args, call)`, True, or False or a refusal."""
        self._check_free("authorize")
        self.draft = replace(self.draft, authorize=function)
        return function

    def validate(self, function: H) -> H:
        """Attach a check of meaning: `(args, call)`, raises a refusal."""
        self._check_free("validate")
        self.draft = replace(self.draft, validate=function)
        return function

    def idempotency_key(self, function: H) -> H:
        """Attach the key: `(args, call)`, text that is equal for an equal wish."""
        self._check_free("idempotency_key")
        self.draft = replace(self.draft, idempotency_key=function)
        return function

    def confirm(self, function: H) -> H:
        """Attach who confirms, by the arguments: `(args, call)`, "person", "code", "second_person" or None."""
        self._check_free("confirm")
        self.draft = replace(self.draft, confirm=function)
        return function

    def reconcile(self, function: H) -> H:
        """Attach the question what became of an uncertain call: `(args, call)`, returning a `Result`, a `Refusal` (it did not) or None."""
        self._check_free("reconcile")
        self.draft = replace(self.draft, reconcile=function)
        return function

    def before_call(self, function: H) -> H:
        """Attach a hook asked before each call: `(tool, args, call)`; it may raise a refusal, and changes nothing."""
        self.draft = replace(self.draft, before_call=(*self.draft.before_call, function))
        return function

    def after_call(self, function: H) -> H:
        """Attach a hook told of each write's outcome, at least once: one `AfterCall`."""
        self.draft = replace(self.draft, after_call=(*self.draft.after_call, function))
        return function

    def _check_free(self, member: str) -> None:
        if getattr(self.draft, member) is not None:
            raise DefinitionError(self.draft.name, member, "it is given twice.", mend="keep one of them.")


@dataclass(slots=True)
class Toolbox:
    """A named group of tools that belong to one module. `requires` holds for every tool in it, beside the tool's own."""

    name: str
    requires: Requires = field(default=None, kw_only=True)
    hosted: tuple[HostedTool, ...] = field(default=(), kw_only=True)
    _tools: list[DefinedTool[..., Any] | Contract] = field(default_factory=list, init=False)
    _before: list[Handler] = field(default_factory=list, init=False)
    _after: list[Handler] = field(default_factory=list, init=False)

    def tool(
        self,
        *,
        effect: EffectKind,
        name: str | None = None,
        description: str | None = None,
        requires: Requires = None,
        authorize: Handler | None = None,
        plan: Handler | None = None,
        confirm: Confirm | None = None,
        validate: Handler | None = None,
        errors: ErrorMap | None = None,
        idempotency_key: Handler | None = None,
        reconcile: Handler | None = None,
        transaction: bool = False,
        at: Bound | None = None,
        fires: Fires | str | None = None,
        starts: Machine | None = None,
        compact: str | None = None,
        writes: Literal["state", "app"] | None = None,
        limits: CallLimits | None = None,
        title: Mapping[str, str] | str | None = None,
        keywords: Mapping[str, Iterable[str]] | None = None,
        core: bool = False,
    ) -> Callable[[Callable[P, R]], DefinedTool[P, R]]:
        """Make a function a tool of this toolbox. The members are those of `Contract`."""

        def decorate(function: Callable[P, R]) -> DefinedTool[P, R]:
            tool_name = getattr(function, "__name__", "") if name is None else name
            draft = Draft(
                name=tool_name,
                toolbox=self.name,
                handler=function,
                description=description if description is not None else function.__doc__,
                effect=effect,
                requires=requirements(tool_name, requires),
                authorize=authorize,
                plan=plan,
                confirm=confirm,
                validate=validate,
                errors=dict(errors or {}),
                idempotency_key=idempotency_key,
                reconcile=reconcile,
                transaction=transaction,
                at=at,
                fires=fires,
                starts=starts,
                compact=compact,
                writes=writes,
                limits=limits or CallLimits(),
                title={"en": title} if isinstance(title, str) else dict(title or {}),
                keywords={language: tuple(words) for language, words in (keywords or {}).items()},
                core=core,
            )
            defined = DefinedTool(function, draft)
            self._tools.append(defined)
            return defined

        return decorate

    def add(self, contract: Contract) -> Contract:
        """Add a tool made by `handgriff.tool.contract`."""
        self._tools.append(contract)
        return contract

    def before_call(self, function: H) -> H:
        """Attach a hook asked before each call of any tool here."""
        self._before.append(function)
        return function

    def after_call(self, function: H) -> H:
        """Attach a hook told of each write's outcome of any tool here."""
        self._after.append(function)
        return function

    def contracts(self) -> tuple[Contract, ...]:
        """The finished contracts, in the order of definition.

        Raises:
            DefinitionError: one of them is put together wrongly.
        """
        return tuple(self._finish(tool) for tool in self._tools)

    def _finish(self, tool: "DefinedTool[..., Any] | Contract") -> Contract:
        contract = define(tool.draft) if isinstance(tool, DefinedTool) else tool
        return replace(
            contract,
            toolbox=self.name,
            requires=(*requirements(self.name, self.requires), *contract.requires),
            before_call=(*self._before, *contract.before_call),
            after_call=(*contract.after_call, *self._after),
        )
