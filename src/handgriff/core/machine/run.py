"""One macrostep while it runs: microsteps until no transition is enabled and no event is left in its queue."""

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Final

from handgriff.core.machine.calling import followed
from handgriff.core.machine.configuration import Inside, is_final, seen_inside
from handgriff.core.machine.event import Event
from handgriff.core.machine.moving import History, entered_by, left_by
from handgriff.core.machine.node import ActionRef, Candidate, Definition, Entry, Node
from handgriff.core.machine.select import chosen, eventless, without_conflicts
from handgriff.errors import DefinitionError

MAX_MICROSTEPS: Final = 200
"""Rounds of one macrostep; a machine that needs more goes round in circles."""


class Run:
    """What changes while a macrostep runs."""

    __slots__ = (
        "_before",
        "_changes",
        "_event",
        "_queue",
        "actions",
        "active",
        "context",
        "definition",
        "fresh",
        "history",
        "is_done",
        "path",
    )
    definition: Definition
    active: dict[int, None]
    """The active states, in XState's order."""
    context: Mapping[str, Any]
    history: History
    is_done: bool
    actions: list[ActionRef]
    """What has been performed."""
    fresh: set[int]
    """States that have been entered."""
    path: str
    """Where the transition stands that was taken last."""

    def __init__(self, definition: Definition, active: Iterable[int], context: Mapping[str, Any], history: History) -> None:
        self.definition = definition
        self.active = dict.fromkeys(active)
        self.context = context
        self.history = history
        self.is_done = False
        self.actions = []
        self.fresh = set()
        self.path = ""
        self._queue: deque[Event] = deque()
        self._changes = 0
        self._before = (self.active, context, history)

    @property
    def has_changed(self) -> bool:
        """Whether the machine stands otherwise than before: a state that was left and entered again counts."""
        active, context, history = self._before
        is_same = self.active is active and self.context is context and self.history is history
        return bool(self.fresh) or not is_same or self.is_done

    @property
    def has_new_history(self) -> bool:
        """Whether a history has changed."""
        return self.history is not self._before[2]

    def begin(self, event: Event) -> None:
        """Enter the machine, as *event* says, and come to rest.

        Raises:
            DefinitionError: a guard or an action is wrong, or the machine doesn't come to rest.
        """
        self._event = event
        self._take([self.definition.beginning])
        self._settle()

    def send(self, event: Event) -> None:
        """Take what *event* takes, and come to rest.

        Raises:
            DefinitionError: a guard or an action is wrong, or the machine doesn't come to rest.
        """
        self._event = event
        self._take(chosen(self.definition, self._inside(), self.context, event))
        self._settle()

    def _settle(self) -> None:
        looks, rounds = True, 0
        while not self.is_done:
            rounds += 1
            if rounds > MAX_MICROSTEPS:
                raise self._endless()
            taken = eventless(self.definition, self.active, self.context, self._event) if looks else []
            before = self._changes if taken else None
            if not taken:
                if not self._queue:
                    return
                self._event = self._queue.popleft()
                taken = chosen(self.definition, self._inside(), self.context, self._event)
            self._take(taken)
            looks = self._changes != before

    def _inside(self) -> Inside:
        return seen_inside(self.definition.places, self.active)

    def _take(self, taken: list[Candidate]) -> None:
        """One microstep."""
        if not taken:
            return
        if len(taken) > 1:
            taken = without_conflicts(self.definition, taken, self.active, self.history)
        self.path = taken[0].path
        before, history = self.active, self.history
        self.active = dict(before)
        move = self.definition.moves[taken[0].number] if len(taken) == 1 else None
        if move is not None:
            self._leave([place for place in before if move.first <= place <= move.last])
        else:
            ranges = [left_by(self.definition.places, candidate, history) for candidate in taken]
            self._leave([place for place in before if any(first <= place <= last for first, last in ranges)])
        for candidate in taken:
            if candidate.actions:
                self._perform(candidate.actions)
        self._enter(move.entries if move is not None else entered_by(self.definition.places, taken, self.history))
        if self.is_done:
            for place in sorted(self.active, reverse=True):
                self._perform(self.definition.places[place].leaving)
        if self.history is history and self.active.keys() == before.keys():
            self.active = before
        else:
            self._changes += 1

    def _leave(self, left: list[int]) -> None:
        places = self.definition.places
        left.sort(reverse=True)
        for place in left:
            node = places[place]
            for each in node.histories:
                self.history = {**self.history, each: tuple(self._remembered(node, is_deep=places[each].history == "deep"))}
            if node.leaving:
                self._perform(node.leaving)
        for place in left:
            del self.active[place]

    def _remembered(self, node: Node, *, is_deep: bool) -> Iterable[int]:
        places = self.definition.places
        if is_deep:
            return (place for place in self.active if node.place < place <= node.last and places[place].is_leaf)
        return (place for place in self.active if places[place].parent == node.place)

    def _enter(self, entries: Iterable[Entry]) -> None:
        finished: set[int] = set()
        for entry in entries:
            self.active[entry.place] = None
            self.fresh.add(entry.place)
            if entry.actions:
                self._perform(entry.actions)
            node = self.definition.places[entry.place]
            if node.kind == "final":
                self._finish(node, finished)

    def _finish(self, node: Node, finished: set[int]) -> None:
        """Tell the states around a final one that it has been reached."""
        places = self.definition.places
        parent = places[node.parent] if node.place else None
        if parent is not None and parent.kind == "compound":
            event = {"type": f"xstate.done.state.{parent.id}"}
            self._queue.append(Event({**event, "output": node.output} if node.has_output else event))
        around = parent if parent is None or parent.kind == "parallel" else places[parent.parent] if parent.place else None
        while around is not None and around.kind == "parallel" and around.place not in finished and is_final(places, around, self.active):
            finished.add(around.place)
            self._queue.append(Event({"type": f"xstate.done.state.{around.id}"}))
            around = places[around.parent] if around.place else None
        if around is None:
            self.is_done = True
            self._changes += 1

    def _perform(self, actions: tuple[ActionRef, ...]) -> None:
        self.actions += actions
        if not self.definition.actions:
            return
        for action in actions:
            context = followed(self.definition, action, self.context, self._event)
            if context is not self.context:
                self.context = context
                self._changes += 1

    def _endless(self) -> DefinitionError:
        problem = f"endless: it doesn't come to rest within {MAX_MICROSTEPS} microsteps."
        mend = "guard one of the `always` or `onDone` transitions of the circle."
        return DefinitionError(self.definition.id, self.path, problem, mend=mend)
