"""A machine as an author uses it: a definition, where its instances' state lives, and the bindings of tools to its states.

Below it are definition and interpreter; above it, contracts. It holds nothing of any instance, so requests share no state through it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, TypeAlias, Unpack

from handgriff.core.jsontext import Json
from handgriff.core.machine.build import State, To, config_of
from handgriff.core.machine.held import NOTHING
from handgriff.core.machine.identity import machine_hash
from handgriff.core.machine.interpret import start
from handgriff.core.machine.invariants import Invariant
from handgriff.core.machine.keeping import (
    EXPIRES,
    Instance,
    Keeping,
    Migration,
    Owner,
    StateOf,
    check_keeping,
    place_of,
    reads_arguments,
)
from handgriff.core.machine.node import Definition, Node, StateValue
from handgriff.core.machine.plain import nearest
from handgriff.core.machine.reading import UNNAMED, read, to_config
from handgriff.core.machine.select import candidates
from handgriff.errors import DefinitionError

Guard: TypeAlias = Callable[[Mapping[str, Json], Mapping[str, Json], Mapping[str, Json]], bool]
"""A pure function of context, event and params."""
Action: TypeAlias = Callable[[Mapping[str, Json], Mapping[str, Json], Mapping[str, Json]], Mapping[str, Json] | None]
"""A pure function of context, event and params, answering the context that follows, or None where it stays."""
_ANY_TIME: Final = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, eq=False)
class At:
    """States of one machine, of which one must be active. `machine.at` and `machine.tagged` make it."""

    machine: "Machine"
    nodes: frozenset[str]
    """Ids of the states."""
    words: tuple[str, ...]
    """As the author named them."""

    def __repr__(self) -> str:
        return f"{self.machine.id}.at({', '.join(map(repr, self.words))})"


@dataclass(frozen=True, slots=True, eq=False)
class Fires:
    """An event that a success sends to one kept machine. `machine.event` makes it."""

    machine: "Machine"
    event: str

    def __repr__(self) -> str:
        return f"{self.machine.id}.event({self.event!r})"


@dataclass(frozen=True, slots=True)
class Binding:
    """A binding made from outside: `Assistant(bindings=[…])` joins it to the contract of that name."""

    tool: str
    at: tuple[At, ...] = ()
    fires: Fires | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Machine:
    """An XState-shaped definition, and where its instances' state lives.

    Written in Python: `Machine("order", "pending", State("delivered", type="final"), state_of=…)`; read from a config with `from_config`.
    With `state_of` it is *derived*: the state is read from the application's data at every call, and nothing is stored. Otherwise instances
    are *kept*: one for each session (the default), one for each `handle`, or one for the whole process, for development alone.

    Raises:
        DefinitionError: the definition, or one of the members, is wrong; it names the path.
    """

    definition: Definition
    instance: Instance | None
    """None for a derived machine."""
    handle: str
    """The parameter that names an instance."""
    owner: Owner
    state_of: StateOf | None
    expires: timedelta
    """How long an instance with a handle lives after its last transition."""
    migrations: Mapping[str, Migration]
    """By the hash of the machine that a snapshot was made by."""
    formerly: tuple[str, ...] | None
    """The ids it had before; None where nothing is said of that."""
    invariants: tuple[Invariant, ...]
    hash: str
    initial_value: StateValue | None
    """Where a kept instance begins."""
    reads_arguments: bool
    """Whether `state_of` asks for a call's arguments."""

    def __init__(
        self,
        id: str,  # noqa: A002  # XState's word
        *states: "State | str",
        initial: str | None = None,
        type: Literal["parallel"] | None = None,  # noqa: A002  # XState's word
        on: Mapping[str, To] = NOTHING,
        context: Mapping[str, Json] | None = None,
        guards: Mapping[str, Guard] | None = None,
        actions: Mapping[str, Action] | None = None,
        **kept: Unpack[Keeping],
    ) -> None:
        config = config_of(id, *states, initial=initial, type=type, on=on, context=context)
        _fill(self, read(config, guards or {}, actions or {}), kept)

    @classmethod
    def from_config(
        cls,
        config: Mapping[str, Any],
        *,
        guards: Mapping[str, Guard] | None = None,
        actions: Mapping[str, Action] | None = None,
        **kept: Unpack[Keeping],
    ) -> "Machine":
        """Read an XState v5 shaped config. `guards` and `actions` are its named functions; the rest says where its state lives."""
        machine = cls.__new__(cls)
        _fill(machine, read(config, guards or {}, actions or {}), kept)
        return machine

    def __repr__(self) -> str:
        return f"<Machine {self.id!r}>"

    @property
    def id(self) -> str:
        """The machine's id."""
        return self.definition.id

    @property
    def ids(self) -> tuple[str, ...]:
        """Its id and those it had before: under each of them there may be instances of it."""
        return (self.id, *(self.formerly or ()))

    @property
    def is_kept(self) -> bool:
        """Whether Handgriff stores its instances."""
        return self.instance is not None

    @property
    def has_handle(self) -> bool:
        """Whether calls name the instance."""
        return self.instance == "handle"

    def to_config(self) -> dict[str, Any]:
        """The definition as XState's own tools read it."""
        return to_config(self.definition)

    def at(self, *states: str) -> At:
        """Bound to these states: a key, a dotted path, or `#id`. A parent stands for all its states.

        Raises:
            DefinitionError: there is no such state.
        """
        if not states:
            raise DefinitionError(self.id, "at", "it names no state.", mend="name at least one.")
        return At(self, frozenset(self._state(path) for path in states), states)

    def tagged(self, *tags: str) -> At:
        """Bound to every state that has one of *tags*.

        Raises:
            DefinitionError: no state has such a tag.
        """
        nodes: set[str] = set()
        for tag in tags:
            found = {node.id for node in self.definition.nodes.values() if tag in node.tags}
            if not found:
                known = sorted({known for node in self.definition.nodes.values() for known in node.tags})
                raise DefinitionError(self.id, "tagged", f"no state is tagged {tag!r}.", mend=_mend(tag, known, "tags"))
            nodes |= found
        if not nodes:
            raise DefinitionError(self.id, "tagged", "it names no tag.", mend="name at least one.")
        return At(self, frozenset(nodes), tags)

    def event(self, event: str) -> Fires:
        """The event that a success sends.

        Raises:
            DefinitionError: no state takes it, or the machine is derived.
        """
        if not self.is_kept:
            raise DefinitionError(
                self.id, "event", "a derived machine's state is the application's, so a call can't move it.", mend="leave fires out."
            )
        if not self._takes(event):
            raise DefinitionError(self.id, "event", f"no state takes {event!r}.", mend=_mend(event, self.definition.events, "events"))
        return Fires(self, event)

    def bind(self, tool: object, *, at: "Bound | str | Sequence[str] | None" = None, fires: "Fires | str | None" = None) -> Binding:
        """A binding of *tool*, by its name or by itself, made from outside; `Assistant(bindings=[…])` takes it.

        `at` may be states of this machine, by name.

        Raises:
            DefinitionError: it is no tool, binds to nothing, or names what isn't there.
        """
        name = tool if isinstance(tool, str) else getattr(tool, "name", None) or getattr(getattr(tool, "draft", None), "name", None)
        if not isinstance(name, str):
            raise DefinitionError(self.id, "bind", f"{tool!r} is no tool.", mend="give a tool, or its name.")
        if at is None and fires is None:
            raise DefinitionError(self.id, "bind", f"it binds {name!r} to nothing.", mend="give at=, fires=, or both.")
        event = self.event(fires) if isinstance(fires, str) else fires
        return Binding(name, self._bound(name, at), checked_fires(name, event))

    def _bound(self, tool: str, at: "Bound | str | Sequence[str] | None") -> "tuple[At, ...]":
        given = (at,) if isinstance(at, (str, At)) else tuple(at or ())
        names = [each for each in given if isinstance(each, str)]
        # States by name are alternatives on this machine, bindings must all hold; so they don't mix.
        return (self.at(*names),) if names and len(names) == len(given) else checked_at(tool, at)

    def _takes(self, event: object) -> bool:
        """Whether a state takes *event*, by its name or by a wildcard."""
        return isinstance(event, str) and any(candidates(node, event) for node in self.definition.places)

    def _state(self, path: object) -> str:
        found = self.definition.find(path) if isinstance(path, str) else None
        if found is None:
            known = [node.path for node in self.definition.nodes.values() if node.path]
            raise DefinitionError(self.id, "at", f"there is no state {path!r}.", mend=_mend(path, known, "states"))
        if found.kind == "history":
            raise DefinitionError(self.id, "at", f"{path!r} is a history, which is never active.", mend="name the state it leads to.")
        return found.id

    def state(self, node: str) -> Node:
        """The state of this id."""
        return self.definition.nodes[node]


Bound: TypeAlias = At | Sequence[At]
"""What `at=` takes: one binding, or several that must all hold."""


def checked_at(tool: str, at: object) -> tuple[At, ...]:
    """`at=` as a tuple.

    Raises:
        DefinitionError: it is no binding.
    """
    if isinstance(at, (list, tuple)) and not at:
        # Nothing to be bound to might as well mean nowhere as everywhere.
        raise DefinitionError(tool, "at", "it is an empty list.", mend="name the states, or leave it out: unbound tools are open.")
    bound = () if at is None else (at,) if isinstance(at, At) else tuple(at) if isinstance(at, (list, tuple)) else (at,)
    for each in bound:
        if not isinstance(each, At):
            raise DefinitionError(
                tool, "at", f"{each!r} is no binding.", mend="give machine.at('state'), machine.tagged('tag'), or a list of them."
            )
    return tuple(each for each in bound if isinstance(each, At))


def checked_fires(tool: str, fires: object) -> Fires | None:
    """`fires=`, unless it is the short form.

    Raises:
        DefinitionError: it is no event of a machine.
    """
    if fires is None or isinstance(fires, Fires):
        return fires
    raise DefinitionError(tool, "fires", f"{fires!r} is no event of a machine.", mend="give machine.event('EVENT').")


def _fill(machine: Machine, definition: Definition, kept: Keeping) -> None:
    if len(definition.places) == 1:
        unnamed = ", and its id" if definition.id == UNNAMED else ""
        problem = f"it has no states{' and no id' if unnamed else ''}, so that nothing can be bound to it."
        raise DefinitionError(definition.id, "states", problem, mend=f"give its states{unnamed}.")
    check_keeping(definition.id, kept)
    where, state_of = place_of(kept), kept.get("state_of")
    for name, value in (
        ("definition", definition),
        ("instance", where),
        ("handle", kept.get("handle") or definition.id),
        ("owner", kept.get("owner", "user")),
        ("state_of", state_of),
        ("expires", kept.get("expires", EXPIRES)),
        ("migrations", dict(kept.get("migrations") or {})),
        ("formerly", None if (formerly := kept.get("formerly")) is None else tuple(formerly)),
        ("invariants", tuple(kept.get("invariants", ()))),
        ("hash", machine_hash(definition)),
        ("initial_value", None if where is None else start(definition, _ANY_TIME).snapshot.value),
        ("reads_arguments", reads_arguments(state_of)),
    ):
        object.__setattr__(machine, name, value)


def _mend(given: object, known: Sequence[str], what: str) -> str:
    near = nearest(given, known)
    return f"did you mean {near!r}?" if near else f"{what} are {', '.join(map(repr, known)) or 'none'}."
