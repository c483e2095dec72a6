"""Every way a macrostep may go: the interpreter's own microsteps, taken with every answer its guards may give.

Below is the interpreter; above, the graph of configurations. Context is ignored: what a guard reads of it may be anything, and an action
may change it or not. Within one choice of transitions the same guard with the same params answers the same, as pure functions do.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeAlias

from handgriff.core import jsontext
from handgriff.core.machine.configuration import Inside, seen_inside
from handgriff.core.machine.event import Event
from handgriff.core.machine.node import Candidate, Definition
from handgriff.core.machine.run import Run
from handgriff.core.machine.select import chosen, eventless

Remembered: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]
"""What history states hold, by their places."""

_SILENT: Final = Event({"type": "xstate.init"})


@dataclass(frozen=True, slots=True)
class Configuration:
    """Where an instance may be: at rest, or in a macrostep between two microsteps."""

    active: tuple[int, ...]
    """The active states, by place, in XState's order."""
    history: Remembered
    is_done: bool = False
    looks: bool = False
    """Whether `always` transitions are still to be looked at."""
    queue: tuple[str, ...] = ()
    """Types of the events that the macrostep has raised itself and not looked at yet."""
    path: str = field(default="", compare=False)
    """Where the transition stands that was taken last."""

    @property
    def is_rest(self) -> bool:
        """Whether nothing more happens by itself."""
        return self.is_done or not (self.looks or self.queue)


class Explorer:
    """Tries what may happen to instances of one machine."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._answers = _Answers()
        guards = {name: partial(self._answers.of, name) for name in definition.guards}
        self._probed = replace(definition, guards=guards, actions={})
        self._inside: tuple[tuple[int, ...], Inside] = ((), {})
        self._most_raised = 1 + sum(1 for node in definition.places if not node.is_leaf)

    def begin(self) -> list[Configuration]:
        """What the first microstep may come to."""
        return self._taken(Configuration((), ()), [self._probed.beginning], is_eventless=False)

    def send(self, at: Configuration, event: str) -> list[Configuration]:
        """What the microstep of *event* may come to; nothing where no transition takes it."""
        found: dict[Configuration, None] = {}
        for taken in self._chosen(at, event):
            if any(not candidate.is_forbidding for candidate in taken):
                found |= dict.fromkeys(self._taken(at, taken, is_eventless=False))
        return list(found)

    def go_on(self, at: Configuration) -> list[Configuration]:
        """What the next microstep of a macrostep may come to."""
        found: dict[Configuration, None] = {}
        if at.looks:
            for taken in self._choices(lambda: eventless(self._probed, at.active, self._probed.context, _SILENT)):
                found |= dict.fromkeys(self._taken(at, taken, is_eventless=True) if taken else [replace(at, looks=False)])
            return list(found)
        event, *later = at.queue
        waiting = replace(at, queue=tuple(later))
        for taken in self._chosen(at, event):
            found |= dict.fromkeys(self._taken(waiting, taken, is_eventless=False) if taken else [replace(waiting, looks=True)])
        return list(found)

    def _taken(self, at: Configuration, taken: list[Candidate], *, is_eventless: bool) -> list[Configuration]:
        """What taking these transitions comes to: two, where an action may change the context, so that `always` is looked at again."""
        microstep = _Microstep(self._probed, at)
        microstep.take(taken)
        may_change = any(action.name in self._definition.actions for action in microstep.actions)
        if len(microstep.raised) > self._most_raised:
            # Round a circle that raises one each time; how often it goes round is up to its guards, and the interpreter stops it.
            return []
        looks = [True] if microstep.has_moved or not is_eventless else [False, True] if may_change else [False]
        return [microstep.configuration(looks=each) for each in looks]

    def _chosen(self, at: Configuration, event: str) -> Iterator[list[Candidate]]:
        if at.active != self._inside[0]:
            # Many events are tried at one place.
            self._inside = (at.active, seen_inside(self._probed.places, dict.fromkeys(at.active)))
        inside, sent = self._inside[1], Event({"type": event})
        return self._choices(lambda: chosen(self._probed, inside, self._probed.context, sent))

    def _choices(self, choose: Callable[[], list[Candidate]]) -> Iterator[list[Candidate]]:
        """What *choose* answers, for every way its guards may answer."""
        self._answers.restart()
        while True:
            yield choose()
            if not self._answers.turn():
                return


class _Microstep(Run):
    """A macrostep that is stopped after one microstep."""

    __slots__ = ()

    def __init__(self, definition: Definition, at: Configuration) -> None:
        super().__init__(definition, at.active, definition.context, dict(at.history))
        self._queue.extend(Event({"type": event}) for event in at.queue)
        self._event = _SILENT

    @property
    def has_moved(self) -> bool:
        """Whether other states are active than before, or histories hold others."""
        return self._changes > 0

    @property
    def raised(self) -> tuple[str, ...]:
        """Types of the events that wait to be looked at."""
        return tuple(event.type for event in self._queue)

    def take(self, taken: list[Candidate]) -> None:
        """Take these transitions together."""
        self._take(taken)

    def configuration(self, *, looks: bool) -> Configuration:
        """Where it has come to."""
        history = tuple(sorted((place, tuple(held)) for place, held in self.history.items()))
        queue = () if self.is_done else self.raised
        looks = looks and not self.is_done and any(self.definition.places[place].eventless for place in self.active)
        return Configuration(tuple(self.active), history, self.is_done, looks, queue, self.path)


class _Answers:
    """What guards answer: every combination, one after the other."""

    def __init__(self) -> None:
        self._script: list[bool] = []
        self._given: dict[tuple[str, str], bool] = {}

    def of(self, name: str, _context: object, _event: object, params: Mapping[str, Any]) -> bool:
        """The answer of one guard."""
        key = (name, jsontext.dumps(params) if params else "")
        if key not in self._given:
            if len(self._given) == len(self._script):
                self._script.append(False)
            self._given[key] = self._script[len(self._given)]
        return self._given[key]

    def restart(self) -> None:
        """Begin with all that answer no."""
        self._script, self._given = [], {}

    def turn(self) -> bool:
        """Go on to the next combination; False where there is none."""
        del self._script[len(self._given) :]
        while self._script and self._script[-1]:
            self._script.pop()
        self._given = {}
        if not self._script:
            return False
        self._script[-1] = True
        return True
