"""What a person is asked about a proposal in the terminal. Only the words for yes and no answer; what is no answer decides nothing.

Below are the lines a person types; above, the chat and `proposals confirm`.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

from handgriff.cli.catalogue import NO, YES, word
from handgriff.cli.lines import Lines
from handgriff.core.catalogue import say

Question: TypeAlias = Literal["confirm", "withdraw", "code"]


def prompt(question: Question, locale: str) -> str:
    """*question* as a person reads it."""
    return word("code", locale, label=say("card_code", locale)) if question == "code" else word(question, locale)


def ask_yes_or_no(lines: Lines, question: str, hint: Callable[[], None]) -> bool | None:
    """What the person says; None if they don't. *hint* is given where they said something else."""
    while True:
        try:
            answer = lines.ask(question)
        except KeyboardInterrupt:
            return None
        if answer is None:
            return None
        said = answer.strip().casefold()
        if said in YES or said in NO:
            return said in YES
        hint()


def ask_code(lines: Lines, question: str, send: Callable[[], None]) -> str | None:
    """The code the person types unseen; None if they don't. An empty line calls *send*."""
    while True:
        try:
            answer = lines.ask_unseen(question)
        except KeyboardInterrupt:
            return None
        if answer is None or answer.strip():
            return answer
        send()
