"""Every way a macrostep may go: the interpreter's own microsteps, taken with every answer its guards may give.

Below is the interpreter; above, the graph of configurations. Context is ignored: what a guard reads of it may be anything, and an action
may change it or not. Within one choice of transitions the same guard with the same params answers the same, as pure functions do.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeAlias

from handgriff.core import jsontext
from handgriff.core.machine.configuration import Inside, around, inside_of, seen_inside
from handgriff.core.machine.event import Event
from handgriff.core.machine.node import ActionRef, Candidate, Definition, Move, Node
from handgriff.core.machine.run import Run
from handgriff.core.machine.select import chosen, eventless

Remembered: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]
"""What history states hold, by their places."""

_Choices: TypeAlias = tuple[list[Candidate], ...]
"""Transitions that may be taken together, one list for each way the guards may answer."""

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
        self._inside: tuple[tuple[int, ...], Inside | None] = ((), None)
        self._most_raised = 1 + sum(1 for node in definition.places if not node.is_leaf)
        self._concerned = _Concerned(definition)
        leaving = [node for node in definition.places if node.histories or self._may_change(node.leaving)]
        self._plain = tuple(self._is_plain(move, leaving) for move in definition.moves)
        self._chosen_before: dict[tuple[str, tuple[int, ...]], _Choices] = {}

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
            for taken in self._eventless(at):
                found |= dict.fromkeys(self._taken(at, taken, is_eventless=True) if taken else [replace(at, looks=False)])
            return list(found)
        event, *later = at.queue
        waiting = replace(at, queue=tuple(later))
        for taken in self._chosen(at, event):
            found |= dict.fromkeys(self._taken(waiting, taken, is_eventless=False) if taken else [replace(waiting, looks=True)])
        return list(found)

    def _taken(self, at: Configuration, taken: list[Candidate], *, is_eventless: bool) -> list[Configuration]:
        """What taking these transitions comes to: two, where an action may change the context, so that `always` is looked at again."""
        if len(taken) == 1 and self._plain[taken[0].number] and not self._may_change(taken[0].actions):
            return [self._plainly(at, taken[0], is_eventless=is_eventless)]
        microstep = _Microstep(self._probed, at)
        microstep.take(taken)
        may_change = self._may_change(microstep.actions)
        if len(microstep.raised) > self._most_raised:
            # Round a circle that raises one each time; how often it goes round is up to its guards, and the interpreter stops it.
            return []
        looking = [True] if microstep.has_moved or not is_eventless else [False, True] if may_change else [False]
        return [microstep.configuration(looks=each and self._looks(microstep.active)) for each in looking]

    def _may_change(self, actions: Iterable[ActionRef]) -> bool:
        """Whether one of *actions* may answer another context."""
        return any(action.name in self._definition.actions for action in actions)

    def _plainly(self, at: Configuration, taken: Candidate, *, is_eventless: bool) -> Configuration:
        """What a transition comes to that does nothing but leave and enter. Nearly all are of this kind, and of large machines hundreds of
        thousands are tried."""
        move = self._definition.moves[taken.number]
        if move is None:
            raise AssertionError("only asked of what history has no say in")
        left = [place for place in at.active if move.first <= place <= move.last]
        entered = [entry.place for entry in move.entries]
        if at.is_rest and self._is_in_place(left, entered):
            # The order is that of the value there, in which one state of a region stands in the place of another.
            (old,), (new,) = left, entered
            active = tuple([new if place == old else place for place in at.active])
            if not self._looks(active):
                return Configuration(active, at.history, path=taken.path)
        after = tuple(dict.fromkeys((*(place for place in at.active if place not in left), *entered)))
        has_moved = left != entered and set(after) != set(at.active)
        looks = (has_moved or not is_eventless) and self._looks(after)
        return Configuration(after if has_moved else at.active, at.history, looks=looks, queue=at.queue, path=taken.path)

    def _is_plain(self, move: Move | None, leaving: Iterable[Node]) -> bool:
        """Whether it does nothing but leave and enter states: no history has a say or is kept, nothing is done, no context changes.

        *leaving* are the states that do more when they are left.
        """
        if move is None:
            return False
        places = self._definition.places
        does_more = any(places[entry.place].kind == "final" or self._may_change(entry.actions) for entry in move.entries)
        return not does_more and not any(move.first <= node.place <= move.last for node in leaving)

    def _is_in_place(self, left: Sequence[int], entered: Sequence[int]) -> bool:
        """Whether one state takes the place of another beside it."""
        if len(left) != 1 or len(entered) != 1 or left == entered:
            return False
        places = self._definition.places
        around = places[left[0]].parent
        return around == places[entered[0]].parent and places[around].kind == "compound"

    def _looks(self, active: Iterable[int]) -> bool:
        """Whether `always` transitions may be taken there."""
        places = self._definition.places
        return self._definition.has_always and any(places[place].eventless for place in active)

    def _chosen(self, at: Configuration, event: str) -> _Choices:
        """What may be taken there. It is asked once for all places that are the same to *event*."""
        if at.active != self._inside[0]:
            # Many events are tried at one place.
            self._inside = (at.active, inside_of(self._probed.places, at.active))
        inside, sent = self._inside[1], Event({"type": event})
        if inside is None:
            torn = seen_inside(self._probed.places, at.active)
            return self._choices(lambda: chosen(self._probed, torn, self._probed.context, sent))
        key = (event, self._concerned.by_event(event, at.active))
        if key not in self._chosen_before:
            self._chosen_before[key] = self._choices(lambda: chosen(self._probed, inside, self._probed.context, sent))
        return self._chosen_before[key]

    def _eventless(self, at: Configuration) -> _Choices:
        key = ("", self._concerned.by_nothing(at.active))
        if key not in self._chosen_before:
            self._chosen_before[key] = self._choices(lambda: eventless(self._probed, at.active, self._probed.context, _SILENT))
        return self._chosen_before[key]

    def _choices(self, choose: Callable[[], list[Candidate]]) -> _Choices:
        """What *choose* answers, for every way its guards may answer."""
        self._answers.restart()
        found = [choose()]
        while self._answers.turn():
            found.append(choose())
        return tuple(found)


class _Concerned:
    """Which active states have a say in what is taken: places where the same ones are active, in the same order, take the same."""

    def __init__(self, definition: Definition) -> None:
        self._places = definition.places
        self._by_event: dict[str, set[int]] = {}
        self._wild: set[int] = set()
        for node in definition.places:
            # The states around them are the order in which they are asked.
            line = (node.place, *around(definition.places, node.place))
            for event in node.table:
                self._by_event.setdefault(event, set()).update(line)
            if node.wildcards:
                self._wild.update(line)

    def by_event(self, event: str, active: tuple[int, ...]) -> tuple[int, ...]:
        """Those that have a say in what *event* takes."""
        named = self._by_event.get(event, self._wild)
        return tuple([place for place in active if place in named or place in self._wild])

    def by_nothing(self, active: tuple[int, ...]) -> tuple[int, ...]:
        """Those that have a say in what is taken without an event."""
        return tuple(place for place in active if self._places[place].eventless)


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
        return Configuration(tuple(self.active), history, self.is_done, looks and not self.is_done, queue, self.path)


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
