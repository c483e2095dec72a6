"""The two ways a chat shows itself: drawn for people, or a JSON document a line for programs.

Below are the renderer and the JSON forms; above, the chat.
"""

from collections.abc import Sequence
from typing import Protocol

from rich.console import Console

from handgriff.cli.catalogue import word
from handgriff.cli.given import Given
from handgriff.cli.output import print_json
from handgriff.cli.questions import Question, prompt
from handgriff.cli.records import item_record, refusal_record
from handgriff.cli.render import Renderer
from handgriff.cli.words import undecided, unsent, way_of_another
from handgriff.core.catalogue import say
from handgriff.core.events import Item, ParkedCall
from handgriff.errors import Refusal


class Screen(Protocol):
    """What a chat shows."""

    def session(self, session: str) -> None:
        """The conversation begins, or goes on."""
        ...

    def farewell(self, session: str) -> None:
        """It ends."""
        ...

    def item(self, item: Item) -> None:
        """Something happened."""
        ...

    def card(self, call: ParkedCall, number: int, count: int) -> None:
        """A proposal is about to be asked about: the *number*th of *count*."""
        ...

    def asking(self, question: Question, call: ParkedCall) -> str:
        """The prompt of a question about *call*, which is asked now."""
        ...

    def left_pending(self, proposals: Sequence[str]) -> None:
        """The person has not decided these."""
        ...

    def awaits_another(self, proposals: Sequence[str]) -> None:
        """These are left to a second person."""
        ...

    def refusal(self, refusal: Refusal) -> None:
        """A message was refused."""
        ...

    def undecided(self, refusal: Refusal, call: ParkedCall) -> None:
        """A decision was refused."""
        ...

    def code_sent(self, call: ParkedCall, refusal: Refusal | None) -> None:
        """A new code is on its way, or was refused."""
        ...

    def hint(self, key: str) -> None:
        """Words of the catalogue, for whoever types."""
        ...


class TextScreen:
    """For people."""

    def __init__(self, console: Console, locale: str, given: Given) -> None:
        self._renderer = Renderer(console, locale=locale)
        self._locale = locale
        self._given = given

    def session(self, session: str) -> None:
        """Its id, and how to leave."""
        self._note("session", id=session)

    def farewell(self, session: str) -> None:
        """How to come back."""
        self._note("resume", id=session)

    def item(self, item: Item) -> None:
        """Draw it."""
        self._renderer.render(item)

    def card(self, call: ParkedCall, number: int, count: int) -> None:
        """Draw it, and say how somebody else confirms it where that is demanded."""
        if count > 1:
            self._note("sibling", number=number, count=count)
        self._renderer.proposal_card(call)
        if call.confirm == "second_person":
            self._note("another", command=way_of_another(self._given, call.proposal))

    def asking(self, question: Question, call: ParkedCall) -> str:
        """The words of the question; the card stands above."""
        del call
        return prompt(question, self._locale)

    def left_pending(self, proposals: Sequence[str]) -> None:
        """Name them."""
        self._note("left_pending", ids=", ".join(proposals))

    def awaits_another(self, proposals: Sequence[str]) -> None:
        """Name them, and say how to look again."""
        self._note("awaits_another", ids=", ".join(proposals))

    def refusal(self, refusal: Refusal) -> None:
        """Draw it."""
        self._renderer.refusal(refusal)

    def undecided(self, refusal: Refusal, call: ParkedCall) -> None:
        """Draw it in the person's words."""
        another = way_of_another(self._given, call.proposal)
        self._renderer.refusal(undecided(refusal, call.confirm, self._locale, another=another))

    def code_sent(self, call: ParkedCall, refusal: Refusal | None) -> None:
        """Say it."""
        del call
        if refusal is None:
            self._renderer.note(say("card_code_sent", self._locale))
        else:
            self._renderer.refusal(unsent(refusal, self._locale))

    def hint(self, key: str) -> None:
        """Say it."""
        self._note(key)

    def _note(self, key: str, **facts: object) -> None:
        self._renderer.note(word(key, self._locale, **facts))


class JsonScreen:
    """For programs. A card is in the terminal event already, and hints are for people."""

    def session(self, session: str) -> None:
        """Its id."""
        print_json({"type": "session", "id": session})

    def farewell(self, session: str) -> None:
        """Nothing: the id was told."""

    def item(self, item: Item) -> None:
        """The item."""
        print_json(item_record(item))

    def card(self, call: ParkedCall, number: int, count: int) -> None:
        """Nothing: the question names it."""

    def asking(self, question: Question, call: ParkedCall) -> str:
        """The question, by the proposal's id; the next line answers it."""
        print_json({"type": "question", "proposal": call.proposal, "asks": question})
        return ""

    def left_pending(self, proposals: Sequence[str]) -> None:
        """Their ids."""
        print_json({"type": "left_pending", "proposals": list(proposals)})

    def awaits_another(self, proposals: Sequence[str]) -> None:
        """Their ids."""
        print_json({"type": "awaits_another", "proposals": list(proposals)})

    def refusal(self, refusal: Refusal) -> None:
        """The refusal."""
        print_json({"type": "refusal", **refusal_record(refusal)})

    def undecided(self, refusal: Refusal, call: ParkedCall) -> None:
        """The refusal, by the proposal's id."""
        print_json({"type": "refusal", "proposal": call.proposal, **refusal_record(refusal)})

    def code_sent(self, call: ParkedCall, refusal: Refusal | None) -> None:
        """That it was, or the refusal."""
        if refusal is None:
            print_json({"type": "code_sent", "proposal": call.proposal})
        else:
            self.undecided(refusal, call)

    def hint(self, key: str) -> None:
        """Nothing."""
