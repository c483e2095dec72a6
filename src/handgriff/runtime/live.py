"""A running turn as its subscribers see it: stored events and frames in one order, kept while the turn runs.

A finished message replaces its frames, so whoever joins late reads it once. Nobody's pace holds the turn up.
"""

from bisect import bisect_right
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import anyio

from handgriff.core.events import AssistantMessage, Event, Frame, FrameBody, Item, PartialMessage, TextDelta, position

Position = tuple[int, int]
START: Position = (0, 0)


@dataclass(slots=True)
class Live:
    """The items of one running turn, and who watches."""

    turn: str
    subscribers: int = 0
    is_over: bool = False
    failure: Exception | None = None
    left: anyio.Event = field(default_factory=anyio.Event)
    """Set while nobody watches; whoever comes then puts a new one in its place."""
    came: anyio.Event = field(default_factory=anyio.Event)
    """Set while somebody watches; the last one who leaves puts a new one in its place."""
    _items: list[Item] = field(default_factory=list)
    _positions: list[Position] = field(default_factory=list)
    _changed: anyio.Event = field(default_factory=anyio.Event)
    _seq: int = 0
    _offset: int = 0

    def __post_init__(self) -> None:
        self.left.set()

    @property
    def first_seq(self) -> int:
        """The first seq it holds; everything before comes from the store."""
        seq, offset = self._positions[0] if self._positions else (self._seq, 1)
        return seq + 1 if offset else seq  # a frame stands behind an event that came before this turn

    @property
    def last_seq(self) -> int:
        """The last seq it knows of."""
        return self._seq

    def begin_after(self, seq: int) -> None:
        """Number frames behind *seq*, before any event of this turn is stored."""
        self._seq = seq

    def store(self, event: Event) -> None:
        """Add an event that has been stored."""
        self._seq, self._offset = event.seq, 0
        if isinstance(event.body, (AssistantMessage, PartialMessage)):
            self._drop_text(event.body.request)
        self._add(event)

    def send(self, body: FrameBody) -> None:
        """Add a frame."""
        self._offset += 1
        self._add(Frame(self._seq, self._offset, self.turn, body))

    def end(self, failure: Exception | None = None) -> None:
        """Nothing comes any more; *failure* is raised to subscribers where no terminal event could be stored."""
        self.is_over, self.failure = True, failure
        self._wake()

    async def watch(self, after: Position = START) -> AsyncGenerator[Item, None]:
        """The items behind *after*, until the turn is over. Whoever iterates counts as a subscriber."""
        self.subscribers += 1
        if self.left.is_set():
            self.left = anyio.Event()
            self.came.set()
        try:
            while True:
                changed = self._changed
                # Looked up anew at each item: a finished message may have replaced what stood here.
                while (index := bisect_right(self._positions, after)) < len(self._items):
                    item = self._items[index]
                    after = self._positions[index]
                    yield item
                if self.is_over:
                    break
                if changed is self._changed:
                    await changed.wait()
            if self.failure is not None:
                raise self.failure
        finally:
            self.subscribers -= 1
            if self.subscribers == 0:
                self.came = anyio.Event()
                self.left.set()

    def _drop_text(self, request: str) -> None:
        kept = [
            item
            for item in self._items
            if not (isinstance(item, Frame) and isinstance(item.body, TextDelta) and item.body.request == request)
        ]
        if len(kept) != len(self._items):
            self._items = kept
            self._positions = [position(item) for item in kept]

    def _add(self, item: Item) -> None:
        self._items.append(item)
        self._positions.append(position(item))
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
