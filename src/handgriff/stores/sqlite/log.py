"""The write-ahead log, brought to the disk.

SQLite can do it by itself (`synchronous = FULL`), but inside the commit, and then the commit has to be made in a thread, which gives up
the interpreter's lock at each of its statements and waits for it again. So commits are made where they come from and reach the disk
afterwards, many with one call. It is the same promise: in WAL mode a commit is durable once the log is (sqlite.org/wal.html).
"""

import os
import sqlite3
from typing import Final

# What SQLite calls as well. Where there is none, as on macOS, it falls back in the same way.
TO_DISK: Final = "fdatasync" if hasattr(os, "fdatasync") else "fsync"


class Log:
    """The log of one open file. It exists from the first commit until the last connection closes, and is opened when first asked for."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        (_, _, name), *_ = connection.execute("PRAGMA database_list").fetchall()  # the main one comes first
        self._name = f"{name}-wal"
        self._file: int | None = None

    def flush(self) -> None:
        """Bring all that is committed to the disk.

        Raises:
            OSError: the system could not. What is committed stands, and nobody knows for how long.
        """
        if self._file is None:
            self._file = os.open(self._name, os.O_RDWR | os.O_CLOEXEC)
        getattr(os, TO_DISK)(self._file)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
