"""What can't be undone is asked for once more: a person at a terminal answers, a program says --yes. Without either nothing is removed.

Below are the lines a person types; above, the commands that remove.
"""

from typing import Annotated, TypeAlias

import typer

from handgriff.cli.catalogue import NO, YES
from handgriff.cli.faults import REFUSED, WrongUse
from handgriff.cli.given import Given
from handgriff.cli.inert import one_line
from handgriff.cli.lines import Lines
from handgriff.cli.output import print_fields, print_json, terminal

Yes: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking; needed where no person is at a terminal.")]


def check_can_ask(*, yes: bool) -> None:
    """See that somebody can consent, before anything is opened.

    Raises:
        WrongUse: there is no terminal, and no --yes.
    """
    if not (yes or _lines(is_quiet=True).is_typed):
        raise WrongUse("This can't be undone, and nobody is at a terminal to be asked. Add --yes; nothing was done.")


def is_agreed(question: str, *, yes: bool, as_json: bool) -> bool:
    """Whether to go on: --yes, or what the person answers. No answer is no."""
    if yes:
        return True
    lines = _lines(is_quiet=as_json)
    while (answer := lines.ask(f"{one_line(question)} [y/N] ")) is not None:
        said = answer.strip().casefold()
        if said in YES or said in NO:
            return said in YES
    return False


def left(given: Given, what: str) -> int:
    """The exit code where somebody did not agree, who is told so; in JSON *what* would have been done is null."""
    if given.as_json:
        print_json({what: None})
    else:
        print_fields([("nothing was done", "it was not agreed to")])
    return REFUSED


def _lines(*, is_quiet: bool) -> Lines:
    return Lines(terminal(), is_quiet=is_quiet)
