"""What a person types, or a program pipes in: one line at a time, None at the end. What is secret is shown nowhere.

Below is the standard input; above, the chat. With a terminal on both sides lines can be edited and recalled.
"""

import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module

from rich.console import Console
from rich.text import Text


class Lines:
    """Reads lines after a prompt, which is shown on *console* where somebody can answer it there, else on stderr."""

    def __init__(self, console: Console, *, is_quiet: bool) -> None:
        self._console = console
        self._is_quiet = is_quiet
        self.is_typed = sys.stdin.isatty()
        """Whether a person is typing."""
        self._is_edited = self.is_typed and console.is_terminal and not is_quiet
        if self._is_edited:
            with suppress(ImportError):
                # Importing it is what gives `input` a history.
                import_module("readline")

    def read(self, prompt: str) -> str | None:
        """The next line.

        Raises:
            KeyboardInterrupt: Ctrl-C.
        """
        if self._is_edited:
            try:
                return input(prompt)
            except EOFError:
                self._console.print()
                return None
            except KeyboardInterrupt:
                self._console.print()
                raise
        if self.is_typed:
            sys.stderr.write(prompt)
            sys.stderr.flush()
        return _line()

    def ask(self, question: str) -> str | None:
        """The answer to *question*. In a transcript both can be read."""
        answer = self.read(question)
        if not (self.is_typed or self._is_quiet):
            self._console.print(Text(question + ("" if answer is None else answer)), soft_wrap=True)
        return answer

    def ask_unseen(self, question: str) -> str | None:
        """The answer to *question*, which neither a terminal nor a transcript shows.

        Raises:
            KeyboardInterrupt: Ctrl-C.
        """
        if self.is_typed:
            return self._typed_unseen(question)
        if not self._is_quiet:
            self._console.print(Text(question), soft_wrap=True)
        return _line()

    def _typed_unseen(self, question: str) -> str | None:
        stream = sys.stdout if self._console.is_terminal and not self._is_quiet else sys.stderr
        # Nothing is echoed before the question stands there, so that nobody types too early.
        with _no_echo():
            stream.write(question)
            stream.flush()
            try:
                return _line()
            finally:
                stream.write("\n")
                stream.flush()


@contextmanager
def _no_echo() -> Iterator[None]:
    """Within it the terminal shows nothing that is typed."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    silent = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(terminal, termios.TCSAFLUSH, silent)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSAFLUSH, before)


def _line() -> str | None:
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None
