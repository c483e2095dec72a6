"""What went wrong, in a terminal's words: an exit code, a sentence on stderr, and a traceback only where it was asked for.

Below is the error tree; above, every command. The exit code says who must act: 1 the person (or the operator), 2 whoever typed the command
or wrote the assistant.
"""

import logging
import os
import sys
import traceback
from collections.abc import Callable
from typing import Final

from rich.console import Console
from rich.text import Text

from handgriff.cli import WRONG_USE
from handgriff.cli.inert import inert, inert_json, one_line
from handgriff.cli.records import refusal_record
from handgriff.cli.render import Renderer
from handgriff.core.refusal_codes import exit_code
from handgriff.errors import DefinitionError, HandgriffError, Refusal

DONE: Final = 0
REFUSED: Final = 1
INTERRUPTED: Final = 130
"""What shells say of a program that Ctrl-C ended."""


class WrongUse(HandgriffError):
    """The command was typed in a way that can't be carried out; nothing was done."""


def carried_out(work: Callable[[], int], *, debug: bool, as_json: bool) -> int:
    """The exit code of *work*; whatever it raises has been told."""
    _quiet_logs(debug=debug)
    try:
        code = work()
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has seen enough; the interpreter must not try to flush into the closed pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  # the outermost edge: anything else would be a traceback
        return _told(_unwrapped(error), debug=debug, as_json=as_json)
    return code


def _told(error: Exception, *, debug: bool, as_json: bool) -> int:
    console = Console(stderr=True, highlight=False)
    if debug:
        traceback.print_exception(error)
    match error:
        case Refusal():
            if as_json:
                sys.stdout.write(inert_json(refusal_record(error)) + "\n")
            else:
                Renderer(console).refusal(error)
            return exit_code(error.code)
        case WrongUse() | DefinitionError():
            console.print(Text(inert(str(error))), soft_wrap=True)
            return WRONG_USE
        case HandgriffError():
            cause = f" ({one_line(str(error.__cause__))})" if error.__cause__ else ""
            console.print(Text(inert(str(error)) + cause), soft_wrap=True)
            return REFUSED
        case _:
            text = f"{type(error).__name__}: {inert(str(error))}" + ("" if debug else "\n--debug shows where.")
            console.print(Text(text), soft_wrap=True)
            return REFUSED


def _unwrapped(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _quiet_logs(*, debug: bool) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s") if debug else _Brief())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    if debug:
        logging.getLogger("handgriff").setLevel(logging.DEBUG)


class _Brief(logging.Formatter):
    """One line a record: an incident's id and an author's mistake stay visible, a traceback does not."""

    def format(self, record: logging.LogRecord) -> str:
        text = one_line(record.getMessage())
        kind, error, _ = record.exc_info or (None, None, None)
        if isinstance(error, DefinitionError):
            # The author is the one who reads this; the mend is in the message.
            return f"{text}: {one_line(str(error))}"
        return text if kind is None else f"{text} ({kind.__name__}; --debug shows where)"
