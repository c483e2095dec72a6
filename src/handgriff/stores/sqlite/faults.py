"""SQLite's errors in the operator's words. Every failure of this adapter leaves it as a `BackendError` from its cause."""

import sqlite3

from handgriff.core.jsontext import JsonError
from handgriff.errors import BackendError

_HINTS = {
    sqlite3.SQLITE_FULL: "The disk is full; free some space.",
    sqlite3.SQLITE_READONLY: "The file or its folder is read-only; both must be writable, for '-wal' and '-shm' stand beside the file.",
    sqlite3.SQLITE_BUSY: "Another process kept the write lock; look for one that hangs in a transaction.",
    sqlite3.SQLITE_LOCKED: "Another connection of this process kept a table locked.",
    sqlite3.SQLITE_CORRUPT: "The file is damaged; restore it from a backup.",
    sqlite3.SQLITE_NOTADB: "The file is not an SQLite database; give another path.",
    sqlite3.SQLITE_CANTOPEN: "The file could not be opened; its folder must exist and be writable.",
    sqlite3.SQLITE_IOERR: "The disk failed; look at the system's log.",
    sqlite3.SQLITE_PERM: "The process may not use the file.",
}
_PRIMARY = 0xFF  # the low byte of an extended result code


def fault(operation: str, cause: Exception, *, note: str = "") -> BackendError:
    """The error to raise for *cause*, which becomes its cause. *note* is said before the hint."""
    error = BackendError("sqlite", operation, hint=f"{note} {_hint(cause)}".strip())
    error.__cause__ = cause
    return error


def told(problem: Exception) -> Exception:
    """What whoever gave a batch hears of *problem*: SQLite's errors, and texts it can't keep, in the operator's words."""
    return fault("commit", problem) if isinstance(problem, (sqlite3.Error, UnicodeEncodeError, JsonError, OverflowError)) else problem


def is_busy(error: sqlite3.Error) -> bool:
    """Whether somebody else holds the write lock."""
    return _primary(error) == sqlite3.SQLITE_BUSY


def _primary(error: Exception) -> int:
    # Errors that Python's module raises itself carry no code.
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & _PRIMARY


def _hint(cause: Exception) -> str:
    if isinstance(cause, (UnicodeEncodeError, JsonError, OverflowError)):
        return f"The batch holds what no store can keep: {cause}."
    return _HINTS.get(_primary(cause), f"{cause}.")
