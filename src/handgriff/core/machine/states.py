"""The states of a machine with all that they do: sketches and transitions joined into nodes."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from handgriff.core.machine.entrance import Entrances
from handgriff.core.machine.held import hold
from handgriff.core.machine.node import NO_PARENT, ActionRef, Candidate, Delay, Kind, Node
from handgriff.core.machine.plain import in_order, member, shown
from handgriff.core.machine.targets import Sketch
from handgriff.core.machine.transitions import TRANSITION, Transitions
from handgriff.errors import DefinitionError

MAX_DELAY: Final = 100 * 366 * 24 * 60 * 60 * 1000
"""Milliseconds of a hundred years; a time so far away is a mistake."""
_ROUTE: Final = tuple(key for key in TRANSITION if key != "target")


class States:
    """Reads the states of one machine."""

    def __init__(self, machine: str, sketches: Sequence[Sketch], entrances: Entrances, transitions: Transitions) -> None:
        self._machine = machine
        self._sketches = sketches
        self._entrances = entrances
        self._transitions = transitions

    def read(self) -> tuple[Node, ...]:
        """Every state in document order.

        Raises:
            DefinitionError: a transition is wrong, or a state can't be entered.
        """
        return tuple(self._node(sketch) for sketch in self._sketches)

    def _node(self, sketch: Sketch) -> Node:
        config, where = sketch.config, sketch.where
        history = self._history(sketch)
        initial = self._entrances.initial(sketch)
        fallback = self._entrances.fallback(sketch)
        on, always = self._on(sketch), self._listed(sketch, "always", "")
        on_done = self._listed(sketch, "onDone", f"xstate.done.state.{sketch.id}")
        after = self._after(sketch)
        entry = self._transitions.actions(config.get("entry"), member(where, "entry"))
        exit_ = self._transitions.actions(config.get("exit"), member(where, "exit"))
        table = self._table(sketch, on, on_done, after)
        children = tuple(sketch.states.values())
        is_history = {child: self._sketches[child].kind == "history" for child in children}
        return Node(
            place=sketch.place,
            last=sketch.last,
            id=sketch.id,
            key=sketch.key,
            path=sketch.path,
            where=where,
            kind=sketch.kind,
            parent=sketch.parent,
            children=children,
            regions=tuple(child for child in children if not is_history[child]),
            histories=tuple(child for child in children if is_history[child]),
            breadth=_breadth(sketch.kind, len(children) - sum(is_history.values())),
            states=dict(sketch.states),
            initial=initial,
            history=history,
            fallback=fallback,
            is_fallback_initial=sketch.kind == "history" and not config.get("target") and self._sketches[sketch.parent].kind == "compound",
            on=on,
            always=always,
            after=after,
            on_done=on_done,
            entry=entry,
            exit=exit_,
            tags=self._tags(sketch),
            meta=hold(config.get("meta")),
            description=self._transitions.text(config, "description", where),
            output=self._output(sketch),
            has_output="output" in config,
            table=table,
            wildcards=_wildcards(table),
            eventless=tuple(self._with_always(sketch)) if sketch.kind in {"atomic", "final"} else (),
            entering=(*entry, *(_raised(delay, where) for delay in after)),
            leaving=(*exit_, *(_cancelled(delay, where) for delay in after)),
        )

    def _on(self, sketch: Sketch) -> dict[str, tuple[Candidate, ...]]:
        where = member(sketch.where, "on")
        given = self._object(sketch, "on", "give an object with a transition for each event.")
        if "" in given:
            raise self._wrong(where, "an event has no name.", "say always: for a transition without an event.")
        return {event: self._transitions.candidates(sketch, event, each, member(where, event)) for event, each in given.items()}

    def _listed(self, sketch: Sketch, key: str, event: str) -> tuple[Candidate, ...]:
        given = sketch.config.get(key)
        return () if given in (None, "") else self._transitions.candidates(sketch, event, given, member(sketch.where, key))

    def _after(self, sketch: Sketch) -> tuple[Delay, ...]:
        given = self._object(sketch, "after", "give an object with a transition for each number of milliseconds.")
        delays = []
        for key in in_order(given):
            where = member(member(sketch.where, "after"), key)
            if not key.isascii() or not key.isdigit() or len(key) > len(str(MAX_DELAY)) or int(key) > MAX_DELAY:
                problem = f"{shown(key)} is no number of milliseconds up to a hundred years."
                raise self._wrong(where, problem, "write out the number; a named delay is a function, which can't be stored.")
            event = f"xstate.after.{int(key)}.{sketch.id}"
            delays.append(Delay(int(key), event, self._transitions.candidates(sketch, event, given[key], where)))
        return tuple(delays)

    def _table(
        self, sketch: Sketch, on: Mapping[str, tuple[Candidate, ...]], on_done: tuple[Candidate, ...], after: Sequence[Delay]
    ) -> dict[str, tuple[Candidate, ...]]:
        table = dict(on)
        if sketch.config.get("onDone", "") != "":
            table[f"xstate.done.state.{sketch.id}"] = on_done
        for delay in after:
            table[delay.event] = (*table.get(delay.event, ()), *delay.candidates)
        routes = self._routes() if sketch.parent == NO_PARENT else ()
        return table | {"xstate.route": routes} if routes else table

    def _routes(self) -> tuple[Candidate, ...]:
        root, found = self._sketches[0], []
        for sketch in self._sketches[1:]:
            given = sketch.config.get("route")
            if given is None:
                continue
            where = member(sketch.where, "route")
            if not isinstance(given, dict):
                raise self._wrong(where, "it is no object.", "give {}, or an object with a guard.")
            if not sketch.config.get("id"):
                raise self._wrong(where, "a state is routed to by its id, and it has none.", "give the state an id.")
            self._transitions.check_keys(given, _ROUTE, where)
            made = self._transitions.made(root, "xstate.route", given, where, targets=(sketch.place,), route=f"#{sketch.id}")
            found.append(made)
        return tuple(found)

    def _with_always(self, sketch: Sketch) -> list[int]:
        found, place = [], sketch.place
        while place != NO_PARENT:
            if self._sketches[place].config.get("always", "") not in ("", []):
                found.append(place)
            place = self._sketches[place].parent
        return found

    def _history(self, sketch: Sketch) -> Any:
        given = sketch.config.get("history")
        if sketch.kind != "history":
            return None
        if given in (None, True, False, "shallow", "deep"):
            return "deep" if given == "deep" else "shallow"
        raise self._wrong(member(sketch.where, "history"), "there is no such history.", "say 'shallow' or 'deep'.")

    def _tags(self, sketch: Sketch) -> tuple[str, ...]:
        given = sketch.config.get("tags", [])
        tags = given if isinstance(given, list) else [given]
        if not all(isinstance(tag, str) for tag in tags):
            raise self._wrong(member(sketch.where, "tags"), "a tag is a text.", "give a text, or a list of them.")
        return tuple(tags)

    def _output(self, sketch: Sketch) -> Any:
        if "output" in sketch.config and sketch.kind != "final" and sketch.parent != NO_PARENT:
            raise self._wrong(member(sketch.where, "output"), "only a final state, and the machine, has it.", "give it to a final state.")
        return hold(sketch.config.get("output"))

    def _object(self, sketch: Sketch, key: str, mend: str) -> Mapping[str, Any]:
        given = sketch.config.get(key, {})
        if not isinstance(given, dict):
            raise self._wrong(member(sketch.where, key), f"it is {shown(given)}, not an object.", mend)
        return given

    def _wrong(self, where: str, problem: str, mend: str) -> DefinitionError:
        return DefinitionError(self._machine, where, problem, mend=mend)


def _breadth(kind: Kind, regions: int) -> int:
    return 1 if kind == "compound" else regions if kind == "parallel" else 0


def _wildcards(table: Mapping[str, Any]) -> tuple[tuple[str, str | None], ...]:
    """The descriptors that take more than one event; XState reads a star only alone, or as the last part."""
    found: list[tuple[str, str | None]] = []
    for descriptor in table:
        prefix = descriptor.removesuffix(".*")
        if descriptor == "*":
            found.append((descriptor, None))
        elif prefix != descriptor and "*" not in prefix.split("."):
            found.append((descriptor, prefix))
    return tuple(sorted(found, key=lambda each: -len(each[0])))


def _raised(delay: Delay, where: str) -> ActionRef:
    params = {"event": {"type": delay.event}, "id": delay.event, "delay": delay.milliseconds}
    return ActionRef("xstate.raise", hold(params), member(member(where, "after"), str(delay.milliseconds)))


def _cancelled(delay: Delay, where: str) -> ActionRef:
    return ActionRef("xstate.cancel", hold({"sendId": delay.event}), member(member(where, "after"), str(delay.milliseconds)))
