"""A connection that is lent to a handler inside a transaction: it may do everything but end the transaction and write our tables.

Two fences. The methods that would are overridden and say what to do instead; and an authorizer, which SQLite asks about every statement,
also those that Python's module sends by itself. Statements are not cached, so that none goes past it.
"""

import sqlite3
from collections.abc import Iterable
from typing import Any, Final, NoReturn, Self
from weakref import WeakSet

from handgriff.errors import DefinitionError

OURS: Final = "handgriff_"
_SUBJECT: Final = "call.transaction()"
_ROWS: Final = frozenset((sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE))
_SCHEMA: Final = frozenset(
    (
        sqlite3.SQLITE_ALTER_TABLE,
        sqlite3.SQLITE_CREATE_INDEX,
        sqlite3.SQLITE_CREATE_TABLE,
        sqlite3.SQLITE_CREATE_TEMP_INDEX,
        sqlite3.SQLITE_CREATE_TEMP_TABLE,
        sqlite3.SQLITE_CREATE_TEMP_TRIGGER,
        sqlite3.SQLITE_CREATE_TEMP_VIEW,
        sqlite3.SQLITE_CREATE_TRIGGER,
        sqlite3.SQLITE_CREATE_VIEW,
        sqlite3.SQLITE_CREATE_VTABLE,
        sqlite3.SQLITE_DROP_INDEX,
        sqlite3.SQLITE_DROP_TABLE,
        sqlite3.SQLITE_DROP_TRIGGER,
    )
)
_PRAGMAS: Final = frozenset(("writable_schema", "secure_delete"))


class LentConnection(sqlite3.Connection):
    """An open connection. Between `lend` and `take_back` it is a handler's."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._open: WeakSet[sqlite3.Cursor | sqlite3.Blob] = WeakSet()
        self._refused: DefinitionError | None = None

    def lend(self) -> None:
        """From now on a handler uses it."""
        super().set_authorizer(self._authorize)

    def take_back(self) -> None:
        """From now on we use it; what the handler left half read is closed, because it would be in the way of a commit."""
        super().set_authorizer(None)
        for opened in tuple(self._open):
            opened.close()

    def let_go(self) -> None:
        """Close it, with what was not committed."""
        self.take_back()
        if self.in_transaction:
            sqlite3.Cursor(self).execute("ROLLBACK")
        super().close()

    def why(self, error: sqlite3.Error) -> Exception:
        """What to tell the handler instead of *error*: the reason, where the authorizer refused."""
        reason, self._refused = self._refused, None
        # Errors that Python's module raises itself carry no code.
        return reason if reason is not None and getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_AUTH else error

    def cursor(self, factory: Any = None) -> Any:
        """A cursor."""
        made: sqlite3.Cursor = super().cursor(factory or LentCursor)
        self._open.add(made)
        return made

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Execute a statement on a cursor of its own."""
        made: sqlite3.Cursor = self.cursor().execute(sql, parameters)
        return made

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        """Execute a statement for each of the *parameters*, on a cursor of its own."""
        made: sqlite3.Cursor = self.cursor().executemany(sql, parameters)
        return made

    def blobopen(self, table: str, column: str, row: int, /, *, readonly: bool = False, name: str = "main") -> sqlite3.Blob:
        """A blob handle; SQLite asks no authorizer about those."""
        if not readonly and _is_ours(table):
            raise _not_yours(table)
        if not self.in_transaction:
            raise _over()
        made = super().blobopen(table, column, row, readonly=readonly, name=name)
        self._open.add(made)
        return made

    def commit(self) -> NoReturn:
        """Refused."""
        raise _ends("commit()")

    def rollback(self) -> NoReturn:
        """Refused."""
        raise _ends("rollback()")

    def close(self) -> NoReturn:
        """Refused."""
        raise _ends("close()")

    def executescript(self, sql_script: str, /) -> NoReturn:  # noqa: ARG002  # the signature is the library's
        """Refused: it commits before it begins."""
        raise _ends("executescript()")

    def __enter__(self) -> Self:
        """Refused: its end would commit."""
        raise _ends("with connection")

    def set_authorizer(self, _: object) -> NoReturn:
        """Refused."""
        raise DefinitionError(_SUBJECT, "set_authorizer()", "the authorizer of this connection is in use.", mend="leave it out.")

    def _authorize(self, action: int, first: str | None, second: str | None, *_: object) -> int:
        refused = self._refusal(action, first or "", second or "")
        if refused is None:
            return sqlite3.SQLITE_OK
        self._refused = refused
        return sqlite3.SQLITE_DENY

    def _refusal(self, action: int, first: str, second: str) -> DefinitionError | None:
        if not self.in_transaction:
            return _over()
        if action == sqlite3.SQLITE_TRANSACTION:
            return _ends(first)
        if action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH):
            return _elsewhere()
        if action == sqlite3.SQLITE_PRAGMA and first.lower() in _PRAGMAS and second:
            return _not_yours(f"PRAGMA {first}")
        names = (first,) if action in _ROWS else (first, second) if action in _SCHEMA else ()
        return next((_not_yours(name) for name in names if _is_ours(name)), None)


class LentCursor(sqlite3.Cursor):
    """A cursor that says why a statement was refused."""

    def execute(self, sql: str, parameters: Any = (), /) -> Self:
        """Execute a statement."""
        try:
            return super().execute(sql, parameters)
        except sqlite3.Error as error:
            raise _told(self.connection, error) from None

    def executemany(self, sql: str, seq_of_parameters: Iterable[Any], /) -> Self:
        """Execute a statement for each of the parameters."""
        try:
            return super().executemany(sql, seq_of_parameters)
        except sqlite3.Error as error:
            raise _told(self.connection, error) from None

    def executescript(self, sql_script: str, /) -> NoReturn:  # noqa: ARG002  # the signature is the library's
        """Refused: it commits before it begins."""
        raise _ends("executescript()")


def _told(connection: sqlite3.Connection, error: sqlite3.Error) -> Exception:
    return connection.why(error) if isinstance(connection, LentConnection) else error


def _is_ours(name: str) -> bool:
    return name.lower().startswith(OURS)


def _ends(member: str) -> DefinitionError:
    problem = "a handler can't begin or end the transaction: its rows are committed with its call's outcome, or taken back."
    return DefinitionError(_SUBJECT, member, problem, mend="leave it out; for a part that may fail use SAVEPOINT, RELEASE and ROLLBACK TO.")


def _not_yours(member: str) -> DefinitionError:
    problem = "a handler can't change Handgriff's own tables, nor how they are written."
    return DefinitionError(_SUBJECT, member, problem, mend="write tables of your own, under another name; state is written through `call`.")


def _elsewhere() -> DefinitionError:
    problem = "rows in another file are not committed together with the call's outcome."
    return DefinitionError(_SUBJECT, "ATTACH", problem, mend="keep what belongs together in one file, or use a tool without `transaction`.")


def _over() -> DefinitionError:
    problem = "the transaction is over: an error before took all of it back, or the call has ended."
    return DefinitionError(_SUBJECT, "connection", problem, mend="let errors of the database leave the handler, and keep no connection.")
