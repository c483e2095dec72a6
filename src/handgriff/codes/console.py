"""Codes on the terminal of whoever runs the server: for development only, because whoever reads that terminal can confirm.

It writes to a stream and never through logging, whose records are kept and shipped.
"""

import sys
from typing import TextIO

from handgriff.core.caller import Caller
from handgriff.errors import BackendError


class ConsoleCodeSender:
    """Writes each text in one line to *stream*, or to standard error. For development: it proves nothing about who reads it."""

    def __init__(self, *, stream: TextIO | None = None) -> None:
        self._stream = stream

    async def send(self, caller: Caller, text: str) -> None:
        """Write *text* and whom it is for.

        Raises:
            BackendError: the stream is closed or broken.
        """
        # Looked up at each call, because a program may exchange it.
        stream = self._stream or sys.stderr
        line = f"[development only] To user {caller.user!r} of tenant {caller.tenant!r}: {_one_line(text)}\n"
        try:
            stream.write(_writable(line, stream))
            stream.flush()
        except (OSError, ValueError) as error:
            raise BackendError("console", "writing a code", hint="The stream is closed or broken; give another one.") from error


def _one_line(text: str) -> str:
    # A summary may hold a model's words, and a terminal obeys control sequences.
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _writable(line: str, stream: TextIO) -> str:
    # A letter the stream has no bytes for would raise an error that quotes the whole line.
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return line.encode(encoding, "backslashreplace").decode(encoding)
