"""What the scripted model answers: a pure function of the request and the script.

Below are commands, words and what a request says; above, `model` streams the answer. The place in a script is the number of answers in
the history, so nothing is remembered between requests, and any replica gives the same answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from handgriff.models.scripted import words
from handgriff.models.scripted.command import commands
from handgriff.models.scripted.script import Say, Step, Use
from handgriff.models.scripted.wire import Heard

_SUMMARY = "{summary}"


@dataclass(frozen=True, slots=True)
class Reply:
    """A text, calls, or both."""

    text: str = ""
    calls: tuple[Use, ...] = ()


def answer(heard: Heard, script: Sequence[Step]) -> Reply:
    """The script's step, while there is one; then the calls that were typed, what calls came to, or how to type one."""
    reply = _played(script[heard.answered], heard) if heard.answered < len(script) else _found(heard)
    if heard.final and (reply.calls or not reply.text):
        return Reply(reply.text or words.summary(heard.results) or words.stopped(words.language(heard.texts)))
    return reply


def _played(step: Step, heard: Heard) -> Reply:
    parts = step if isinstance(step, tuple) else (step,)
    text = "\n\n".join(part.text for part in parts if isinstance(part, Say))
    return Reply(text.replace(_SUMMARY, words.summary(heard.results)), tuple(part for part in parts if isinstance(part, Use)))


def _found(heard: Heard) -> Reply:
    if heard.results:
        return Reply(words.summary(heard.results))
    if calls := commands(heard.texts):
        return Reply(calls=calls)
    return Reply(words.greeting(words.language(heard.texts), heard.tools))
