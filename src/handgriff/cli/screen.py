"""The two ways a chat shows itself: drawn for people, or a JSON document a line for programs.

Below are the renderer and the JSON forms; above, the chat.
"""

from collections.abc import Sequence
from typing import Protocol

from rich.console import Console

from handgriff.cli.catalogue import word
from handgriff.cli.output import print_json
from handgriff.cli.records import item_record, refusal_record
from handgriff.cli.render import Renderer
from handgriff.core.events import Item, ParkedCall
from handgriff.errors import Refusal


class Screen(Protocol):
    """What a chat shows."""

    question: str
    """What is asked about a proposal."""

    def session(self, session: str) -> None:
        """The conversation begins, or goes on."""
        ...

    def farewell(self, session: str) -> None:
        """It ends."""
        ...

    def item(self, item: Item) -> None:
        """Something happened."""
        ...

    def card(self, call: ParkedCall) -> None:
        """A proposal is about to be asked about."""
        ...

    def left_pending(self, proposals: Sequence[str]) -> None:
        """The person has not decided these."""
        ...

    def refusal(self, refusal: Refusal) -> None:
        """A message or decision was refused."""
        ...

    def hint(self, key: str) -> None:
        """Words of the catalogue, for whoever types."""
        ...


class TextScreen:
    """For people."""

    def __init__(self, console: Console, locale: str) -> None:
        self._renderer = Renderer(console, locale=locale)
        self._locale = locale
        self.question = word("confirm", locale)

    def session(self, session: str) -> None:
        """Its id, and how to leave."""
        self._note("session", id=session)

    def farewell(self, session: str) -> None:
        """How to come back."""
        self._note("resume", id=session)

    def item(self, item: Item) -> None:
        """Draw it."""
        self._renderer.render(item)

    def card(self, call: ParkedCall) -> None:
        """Draw it."""
        self._renderer.proposal_card(call)

    def left_pending(self, proposals: Sequence[str]) -> None:
        """Name them."""
        self._note("left_pending", ids=", ".join(proposals))

    def refusal(self, refusal: Refusal) -> None:
        """Draw it."""
        self._renderer.refusal(refusal)

    def hint(self, key: str) -> None:
        """Say it."""
        self._note(key)

    def _note(self, key: str, **facts: object) -> None:
        self._renderer.note(word(key, self._locale, **facts))


class JsonScreen:
    """For programs. A card is in the terminal event already, and hints are for people."""

    question = ""

    def session(self, session: str) -> None:
        """Its id."""
        print_json({"type": "session", "id": session})

    def farewell(self, session: str) -> None:
        """Nothing: the id was told."""

    def item(self, item: Item) -> None:
        """The item."""
        print_json(item_record(item))

    def card(self, call: ParkedCall) -> None:
        """The question, by the proposal's id."""
        print_json({"type": "question", "proposal": call.proposal})

    def left_pending(self, proposals: Sequence[str]) -> None:
        """Their ids."""
        print_json({"type": "left_pending", "proposals": list(proposals)})

    def refusal(self, refusal: Refusal) -> None:
        """The refusal."""
        print_json({"type": "refusal", **refusal_record(refusal)})

    def hint(self, key: str) -> None:
        """Nothing."""
