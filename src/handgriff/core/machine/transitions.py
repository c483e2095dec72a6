"""Transitions, guards and actions of a config, read one by one."""

from collections.abc import Mapping
from typing import Any, Final

from handgriff.core.machine.held import NOTHING, hold
from handgriff.core.machine.node import ActionRef, Candidate, Guard
from handgriff.core.machine.plain import member, near, shown
from handgriff.core.machine.targets import Sketch, Targets
from handgriff.errors import DefinitionError

TRANSITION: Final = ("target", "guard", "actions", "reenter", "description", "meta")
_OLD: Final = {
    "cond": "guard",
    "in": "guard",
    "internal": "reenter",
    "action": "actions",
    "onEntry": "entry",
    "onExit": "exit",
    "data": "output",
}
"""What earlier versions of XState called it, or people do."""


class Transitions:
    """Reads the transitions of one machine, and numbers them."""

    def __init__(self, machine: str, targets: Targets, guards: Mapping[str, Any]) -> None:
        self.read: list[Candidate] = []
        self._machine = machine
        self._targets = targets
        self._guards = guards

    def candidates(self, source: Sketch, event: str, given: Any, path: str) -> tuple[Candidate, ...]:
        """What stands under one event: a target, an object, or a list of them."""
        if isinstance(given, list):
            return tuple(self.candidate(source, event, each, f"{path}[{index}]") for index, each in enumerate(given))
        return (self.candidate(source, event, given, path),)

    def candidate(self, source: Sketch, event: str, given: Any, path: str) -> Candidate:
        """One transition; null is a forbidden one."""
        if given is None or isinstance(given, str):
            given = {"target": given}
        if not isinstance(given, dict):
            raise self._wrong(path, f"it is {shown(given)}, not a transition.", "give a target, an object with one, or a list of them.")
        self.check_keys(given, TRANSITION, path)
        return self.made(source, event, given, path, targets=self._targets_of(source, given.get("target"), member(path, "target")))

    def made(
        self, source: Sketch, event: str, given: Mapping[str, Any], path: str, *, targets: tuple[int, ...] | None, route: str | None = None
    ) -> Candidate:
        """A transition to *targets* with all else that is *given*."""
        reenter = given.get("reenter")
        if reenter is not None and not isinstance(reenter, bool):
            raise self._wrong(member(path, "reenter"), f"it is {shown(reenter)}.", "say true or false.")
        candidate = Candidate(
            number=len(self.read),
            source=source.place,
            event=event,
            targets=targets,
            guard=self._guard(given.get("guard"), member(path, "guard")),
            actions=self.actions(given.get("actions"), member(path, "actions")),
            reenter=bool(reenter),
            description=self.text(given, "description", path),
            meta=hold(given.get("meta")),
            path=path,
            route=route,
        )
        self.read.append(candidate)
        return candidate

    def actions(self, given: Any, path: str) -> tuple[ActionRef, ...]:
        """Actions: a name, an object with a type, or a list of them."""
        if given is None:
            return ()
        if isinstance(given, list):
            return tuple(self._action(each, f"{path}[{index}]") for index, each in enumerate(given))
        return (self._action(given, path),)

    def text(self, given: Mapping[str, Any], key: str, path: str) -> str | None:
        """A member that is a text, or isn't there."""
        value = given.get(key)
        if value is None or isinstance(value, str):
            return value
        raise self._wrong(member(path, key), f"it is {shown(value)}, not a text.", "give a text.")

    def check_keys(self, given: Mapping[str, Any], known: tuple[str, ...], path: str) -> None:
        """Refuse a key that means nothing."""
        for key in given:
            if key not in known:
                old = _OLD.get(key)
                raise self._wrong(
                    member(path, key), "it means nothing here.", f"did you mean {old!r}?" if old in known else near(key, known)
                )

    def _targets_of(self, source: Sketch, given: Any, path: str) -> tuple[int, ...] | None:
        if given is None or given == "":
            return None
        if isinstance(given, str):
            return (self._targets.of(source, given, path),)
        if not isinstance(given, list) or not all(isinstance(each, str) and each for each in given):
            raise self._wrong(path, f"it is {shown(given)}, not a target.", "give a key, a path, '.child', '#id', or a list of them.")
        return tuple(self._targets.of(source, each, f"{path}[{index}]") for index, each in enumerate(given))

    def _guard(self, given: Any, path: str) -> Guard | None:
        if given is None:
            return None
        name, params = self._named(given, path, "a guard")
        if name.startswith("xstate."):
            raise self._wrong(path, f"{shown(name)} has no form in JSON.", "write one function that decides it, and name that.")
        if name not in self._guards:
            raise self._wrong(path, f"there is no guard {shown(name)}.", f"give it in guards=; {near(name, self._guards)}")
        return Guard(name, params, path)

    def _action(self, given: Any, path: str) -> ActionRef:
        name, params = self._named(given, path, "an action")
        if name.startswith("xstate."):
            problem = f"{shown(name)} is a function of XState, which can't be stored."
            raise self._wrong(path, problem, "name an action of your own; a function in actions= may answer a new context.")
        return ActionRef(name, params, path)

    def _named(self, given: Any, path: str, what: str) -> tuple[str, Mapping[str, Any]]:
        if isinstance(given, str) and given:
            return given, NOTHING
        if not isinstance(given, dict) or not isinstance(given.get("type"), str) or not given["type"]:
            raise self._wrong(path, f"it is {shown(given)}, not {what}.", "give a name, or {'type': name, 'params': {…}}.")
        self.check_keys(given, ("type", "params"), path)
        params = given.get("params")
        if params is not None and not isinstance(params, dict):
            raise self._wrong(member(path, "params"), "they are no object.", "give an object.")
        return given["type"], hold(params) if params else NOTHING

    def _wrong(self, path: str, problem: str, mend: str) -> DefinitionError:
        return DefinitionError(self._machine, path, problem, mend=mend)
