"""The contract: a tool as everybody reads it. The model reads three fields; every other member is a duty the server enforces."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from handgriff.core import jsontext
from handgriff.core.bound import check_bound
from handgriff.core.description import Description
from handgriff.core.events import ConfirmKind
from handgriff.core.jsontext import Json
from handgriff.core.machine.machine import At, Fires, Machine
from handgriff.core.requirement import Requirement, requirements
from handgriff.core.schema.form import Output, Schema
from handgriff.errors import DefinitionError, Refusal, RefusalCode

EffectKind: TypeAlias = Literal["read", "write", "irreversible"]
ErrorMap: TypeAlias = Mapping[type[Exception], "RefusalCode | Callable[[Any], Refusal]"]
Handler: TypeAlias = Callable[..., Any]
"""A function, sync or async. Sync ones run in a worker thread and cannot be cancelled."""
Confirm: TypeAlias = ConfirmKind | Handler
"""Who confirms, or a function `(args, call)` that answers it, or None where nobody needs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """Bounds of one tool; None is the assistant's."""

    seconds: float | None = None
    result_bytes: int | None = None
    calls: int | None = None
    """Calls of this tool in one turn."""

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if value is not None:
                check_bound("CallLimits", item.name, value, is_whole=item.name != "seconds")


def _member(read_by: str, meaning: str, otherwise: str, **options: Any) -> Any:
    """A field whose line of the documentation's table is its metadata; *otherwise* is what holds where it is not given."""
    return field(metadata={"read_by": read_by, "meaning": meaning, "default": otherwise}, **options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """A tool's contract. Its members' metadata is the table in the documentation."""

    name: str = _member("model", "small letters, digits and _, at most 64, unique over the assistant", "the function's name")
    description: Description = _member("model", "use when, not for, needs, effect", "the docstring")
    schema: Schema = _member("model", "the arguments", "from the signature")
    output: Output = _member("server", "the type of the result's data", "from the return annotation")
    handler: Handler = _member("server", "what runs", "the function")
    effect: EffectKind = _member("all", "`read`, `write` or `irreversible`, about the domain", "must be given")
    toolbox: str = _member("server", "the toolbox it belongs to", "the toolbox")
    call_parameter: str | None = _member("server", "the handler's parameter that takes the call", "found by type", default=None)
    requires: tuple[Requirement, ...] = _member("server", "who is offered it and may use it", "the toolbox's", default=())
    authorize: Handler | None = _member(
        "server", "row-level right: `(args, call)`, True or a refusal, asked at every call", "none", default=None
    )
    plan: Handler | None = _member(
        "person", "a dry run with the handler's parameters, answering a Plan; a person confirms", "none", default=None
    )
    plan_takes: frozenset[str] = _member("server", "the arguments the plan asks for", "the handler's", default=frozenset())
    plan_call: str | None = _member("server", "the plan's parameter that takes the call", "found by type", default=None)
    confirm: Confirm | None = _member(
        "server",
        "who confirms: `person`, `code` (sent out of band), `second_person`, or `(args, call)` answering one of them or None",
        "`person`, if there is a plan",
        default=None,
    )
    validate: Handler | None = _member("server", "checks of meaning beyond the schema: `(args, call)`", "none", default=None)
    errors: ErrorMap = _member("model", "the application's exceptions, mapped to refusals", "none", default_factory=dict)
    idempotency_key: Handler | None = _member("server", "a key from the arguments: `(args, call)`", "the call's id", default=None)
    reconcile: Handler | None = _member(
        "server",
        "asks the outside world what became of an uncertain call: `(args, call)`, returning a Result, a Refusal or None",
        "none",
        default=None,
    )
    transaction: bool = _member("server", "all its writing is in `call.transaction()`", "no", default=False)
    at: tuple[At, ...] = _member(
        "server", "the workflow states it is bound to: `machine.at(…)`, or several that must all hold", "unbound", default=()
    )
    fires: Fires | None = _member("server", "the event that a success sends to one kept machine", "none", default=None)
    starts: Machine | None = _member("server", "the machine of which a success creates an instance with a handle", "none", default=None)
    starts_parameter: str | None = _member("server", "the handler's parameter that is given the new handle", "found by name", default=None)
    compact: str | None = _member(
        "model", "short description while its workflow is in the initial state, in varying lists", "none", default=None
    )
    writes: Literal["state", "app"] | None = _member(
        "server", "may write `state` (session, user, scratch), or `app` too", "`state` for write and irreversible", default=None
    )
    limits: CallLimits = _member("server", "time-out, result bytes, calls a turn", "the assistant's", default=CallLimits())
    title: Mapping[str, str] = _member("person", "display name per language", "the name", default_factory=dict)
    keywords: Mapping[str, tuple[str, ...]] = _member("search", "search words per language", "none", default_factory=dict)
    core: bool = _member("search", "always in the list", "no", default=False)
    is_imported: bool = _member("server", "answers any value, which becomes the data of a result", "no", default=False)
    before_call: tuple[Handler, ...] = _member("server", "hooks asked before it runs; each may refuse", "none", default=())
    after_call: tuple[Handler, ...] = _member("server", "hooks told of its outcome, at least once", "none", default=())

    machines: tuple[Machine, ...] = field(init=False, repr=False, compare=False)
    """The machines it is bound to, each once; what is kept before what is asked for."""

    def __post_init__(self) -> None:
        fired = () if self.fires is None else (self.fires.machine,)
        bound = dict.fromkeys((*(at.machine for at in self.at), *fired))
        object.__setattr__(self, "machines", tuple(sorted(bound, key=lambda machine: not machine.is_kept)))

    @property
    def is_barrier(self) -> bool:
        """Whether it runs alone, in the order of the calls."""
        return self.effect != "read" or self.writes is not None or self.moves

    @property
    def moves(self) -> bool:
        """Whether a success moves or creates an instance of a machine."""
        return self.fires is not None or self.starts is not None

    @property
    def is_bound(self) -> bool:
        """Whether a workflow decides when it may be called."""
        return bool(self.at) or self.moves

    @property
    def introduces(self) -> frozenset[str]:
        """The kinds of known values that its results provide: those of its data, and the handles of the machine it starts."""
        return self.output.introduces if self.starts is None else self.output.introduces | {self.starts.handle}

    @property
    def has_effect_record(self) -> bool:
        """Whether it is claimed before it runs."""
        return self.is_barrier

    @property
    def confirm_word(self) -> str | None:
        """Who confirms, in a word for people."""
        return "by arguments" if callable(self.confirm) else self.confirm

    def digest(self) -> str:
        """What a proposal was planned under: a change here makes it stale."""
        return jsontext.digest(
            jsontext.dumps([self.name, self.description.text, self.schema.text, self.effect, self.confirm_word, *self._workflow()])
        )

    def _workflow(self) -> tuple[Json, ...]:
        """What binds it, where anything does: state ids, event, and what it starts."""
        if not (self.at or self.moves):
            return ()
        at: list[Json] = [[each.machine.id, *sorted(each.nodes)] for each in self.at]
        fires: list[Json] = [] if self.fires is None else [self.fires.machine.id, self.fires.event]
        return (at, fires, None if self.starts is None else self.starts.id)


@runtime_checkable
class Tool(Protocol):
    """Anything with a contract's members is a tool. `Toolbox.tool` is the usual way to make one."""

    @property
    def name(self) -> str: ...  # noqa: D102  # see Contract
    @property
    def description(self) -> Description: ...  # noqa: D102
    @property
    def schema(self) -> Schema: ...  # noqa: D102
    @property
    def effect(self) -> EffectKind: ...  # noqa: D102
    @property
    def handler(self) -> Handler: ...  # noqa: D102


@dataclass(frozen=True, slots=True, init=False)
class HostedTool:
    """A tool of the provider's own, such as "web_search". Off by default; only offering it is ours.

    Its results are untrusted. Nothing the boundary would have to enforce can be declared for it.
    """

    name: str
    requires: tuple[Requirement, ...] = ()

    def __init__(self, name: str, *, requires: Any = None, **duties: object) -> None:
        for member in duties:
            raise DefinitionError(
                name,
                member,
                "a hosted tool runs at the provider, where this can't be enforced.",
                mend="leave it out, or wrap the service in a tool of your own.",
            )
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "requires", requirements(name, requires))
