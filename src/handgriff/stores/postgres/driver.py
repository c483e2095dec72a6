"""asyncpg, imported here alone: what this package uses of it, with types. A store that nobody names does not load it."""

from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Protocol, TypeAlias

from handgriff.errors import DefinitionError
from handgriff.stores.postgres.address import unreadable

try:
    import asyncpg  # type: ignore[import-untyped]  # it ships no types
except ImportError as missing:
    raise DefinitionError(
        "Host", "import", "PostgreSQL's driver is not installed.", mend="install the extra: pip install 'handgriff[postgres]'."
    ) from missing

Row: TypeAlias = Any
"""A row: by name or by number."""

_CONNECT_SECONDS: Final = 10.0

ERRORS: Final[tuple[type[Exception], ...]] = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,  # also of a connection that takes too long
)
"""What the driver raises when something is wrong with the server, the way to it, or a value."""
LOST: Final[tuple[type[Exception], ...]] = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    OSError,
)
"""Of those, what a connection raises that ended: whether its statement was carried out is unknown."""
MISUSED: Final[tuple[type[Exception], ...]] = (asyncpg.InterfaceError, asyncpg.InternalClientError)
"""Of those, what did not come from the server. The messages may repeat values."""


class Connection(Protocol):
    """A connection to the server."""

    async def fetch(self, statement: str, *values: object) -> list[Row]:
        """The rows of one statement."""
        ...

    async def fetchval(self, statement: str, *values: object) -> Any:
        """The first value of the first row."""
        ...

    async def execute(self, script: str, *values: object) -> str:
        """Carry out a statement, or a script of several without values."""
        ...

    def transaction(self, *, isolation: str | None = None) -> "Block":
        """All of what happens within, or nothing. Within another one it is a savepoint."""
        ...

    def get_reset_query(self) -> str:
        """What takes back the settings, locks and cursors that outlive a transaction, as far as the server has them."""
        ...

    async def close(self) -> None:
        """End the connection."""
        ...

    def terminate(self) -> None:
        """End it at once, whatever it is doing."""
        ...


class Block(Protocol):
    """A transaction, by `async with` or by hand."""

    async def __aenter__(self) -> object:
        """Begin it."""
        ...

    async def __aexit__(self, *raised: object) -> None:
        """Commit it, or roll it back where something was raised."""
        ...

    async def start(self) -> None:
        """Begin it."""
        ...

    async def commit(self) -> None:
        """Keep what happened since."""
        ...

    async def rollback(self) -> None:
        """Take back what happened since."""
        ...


class Pool(Protocol):
    """Connections to one server."""

    async def fetch(self, statement: str, *values: object) -> list[Row]:
        """The rows of one statement, on whichever connection is free."""
        ...

    def acquire(self) -> AbstractAsyncContextManager[Connection]:
        """A connection for a while."""
        ...

    async def close(self) -> None:
        """Close the connections when they are free."""
        ...


async def connect(dsn: str) -> Connection:
    """One connection.

    Raises:
        DefinitionError: *dsn* is no address.
    """
    try:
        connection: Connection = await asyncpg.connect(dsn, timeout=_CONNECT_SECONDS)
    except ValueError:
        raise unreadable() from None
    return connection


async def open_pool(dsn: str, size: int) -> Pool:
    """At most *size* connections, the first of them made at once.

    Raises:
        DefinitionError: *dsn* is no address.
    """
    return await _pool(dsn, min_size=1, max_size=size, reset=_leave)


async def open_lent_pool(dsn: str, size: int) -> Pool:
    """At most *size* connections that somebody else works with; each is made when it is asked for.

    Raises:
        DefinitionError: *dsn* is no address.
    """
    return await _pool(dsn, min_size=0, max_size=size, reset=_clean)


async def _pool(dsn: str, **options: Any) -> Pool:
    try:
        pool: Pool = await asyncpg.create_pool(dsn, timeout=_CONNECT_SECONDS, **options)
    except ValueError:
        raise unreadable() from None
    return pool


async def _leave(_: Connection) -> None:
    # The driver's own way of making a connection clean costs a round trip. Ours hold nothing: every setting ends with its transaction.
    return


async def _clean(connection: Connection) -> None:
    # Whose role it was, and what it kept for itself, is nothing to the next one, who may be of another tenant.
    await connection.execute(f"RESET SESSION AUTHORIZATION; DISCARD TEMP; {connection.get_reset_query()}")


def fields_of(error: Exception) -> tuple[str, str, str]:
    """SQLSTATE, constraint and detail of a server's error; empty texts where it is none, or has none."""
    if not isinstance(error, asyncpg.PostgresError):
        return "", "", ""
    return error.sqlstate or "", error.constraint_name or "", error.detail or ""
