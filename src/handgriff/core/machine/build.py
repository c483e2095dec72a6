"""States written in Python: the same config as one would write by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, TypeAlias

from handgriff.errors import DefinitionError

Named: TypeAlias = str | Mapping[str, Any]
"""A guard or an action: its name, or its name with params as XState writes them."""


@dataclass(frozen=True, slots=True)
class Transition:
    """Where an event leads, under which condition, and what is done on the way.

    Without a target it stays where it is; `Transition()` alone keeps the event from the states around.
    """

    target: str | Sequence[str] | None = None
    _: KW_ONLY
    guard: Named | None = None
    params: Mapping[str, Any] | None = None
    """The guard's."""
    actions: Named | Sequence[Named] = ()
    reenter: bool = False
    """Whether the state is left and entered again where the target is itself, or in it."""
    description: str | None = None


To: TypeAlias = "str | Transition | Mapping[str, Any] | Sequence[str | Transition | Mapping[str, Any]] | None"
"""Where an event leads: a target, a transition, or several of which the first whose guard passes is taken. None is a forbidden one."""


@dataclass(frozen=True, slots=True, init=False)
class State:
    """One state. States in it make it compound, and the first of them is entered first unless `initial` says another."""

    name: str
    config: Mapping[str, Any]
    """As XState reads it."""

    def __init__(
        self,
        name: str,
        *states: "State | str",
        initial: str | Mapping[str, Any] | None = None,
        type: Literal["parallel", "final", "history"] | None = None,  # noqa: A002  # XState's word
        on: Mapping[str, To] | None = None,
        always: To = None,
        after: Mapping[int, To] | None = None,
        on_done: To = None,
        entry: Named | Sequence[Named] = (),
        exit: Named | Sequence[Named] = (),  # noqa: A002  # XState's word
        tags: str | Sequence[str] = (),
        meta: Mapping[str, Any] | None = None,
        description: str | None = None,
        id: str | None = None,  # noqa: A002  # XState's word
        history: Literal["shallow", "deep"] | None = None,
        target: str | None = None,
        output: Any = None,
    ) -> None:
        if not isinstance(name, str) or not name:  # type: ignore[redundant-expr]  # an untyped caller may give anything
            raise DefinitionError("State", "name", f"{name!r} is no name.", mend="give a text.")
        inside = _states(name, states)
        entered = (key for key, state in inside.items() if state.get("type") != "history")
        first = initial if initial is not None or type == "parallel" else next(entered, None)
        config = {
            "id": id,
            "type": type,
            "initial": first,
            "states": inside,
            "on": {event: _to(each) for event, each in (on or {}).items()},
            "always": _to(always) if always is not None else None,
            "after": {str(delay): _to(each) for delay, each in (after or {}).items()},
            "onDone": _to(on_done) if on_done is not None else None,
            "entry": _list(entry),
            "exit": _list(exit),
            "tags": _list(tags),
            "meta": meta,
            "description": description,
            "history": history,
            "target": target,
            "output": output,
        }
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "config", {key: value for key, value in config.items() if value is not None and value not in ({}, [])})


def config_of(
    id: str,  # noqa: A002  # XState's word
    *states: State | str,
    context: Mapping[str, Any] | None = None,
    version: str | None = None,
    **machine: Any,
) -> dict[str, Any]:
    """The config of the machine *id* with *states*; all else is as for a `State`.

    Raises:
        DefinitionError: two states have the same name.
    """
    config: dict[str, Any] = {"id": id}
    if version is not None:
        config["version"] = version
    if context is not None:
        config["context"] = dict(context)
    return config | dict(State(id, *states, **machine).config)


def _states(name: str, given: Sequence[State | str]) -> dict[str, Any]:
    inside: dict[str, Any] = {}
    for each in given:
        state = State(each) if isinstance(each, str) else each
        if not isinstance(state, State):
            raise DefinitionError(name, "states", f"{state!r} is no state.", mend="give State(…), or a name.")
        if state.name in inside:
            raise DefinitionError(name, "states", f"there are two states {state.name!r}.", mend="rename one of them.")
        inside[state.name] = dict(state.config)
    return inside


def _to(given: To) -> Any:
    if isinstance(given, (list, tuple)):
        return [_to(each) for each in given]
    if not isinstance(given, Transition):
        return {} if given is None else given
    guard: Any = given.guard
    if given.params is not None:
        if not isinstance(guard, str):
            raise DefinitionError("Transition", "params", "they are a guard's, and there is none by name.", mend="name the guard.")
        guard = {"type": guard, "params": dict(given.params)}
    target = given.target if given.target is None or isinstance(given.target, str) else list(given.target)
    members = {
        "target": target,
        "guard": guard,
        "actions": _list(given.actions) or None,
        "reenter": given.reenter or None,
        "description": given.description,
    }
    kept = {key: value for key, value in members.items() if value is not None}
    return target if kept.keys() == {"target"} and isinstance(target, str) else kept


def _list(given: Any) -> Any:
    return list(given) if isinstance(given, (list, tuple)) else given
