"""The schema: numbered SQL files, applied once each, in order, in one transaction.

Several processes may begin on an empty database at the same moment; a lock lets one of them migrate, and the others find it done.
"""

from pathlib import Path
from typing import Final

from handgriff.stores.postgres.address import read_address
from handgriff.stores.postgres.driver import ERRORS, Connection, connect
from handgriff.stores.postgres.faults import fault, is_forbidden

FOLDER: Final = Path(__file__).with_name("schema")
_LOCK: Final = 0x68616E6467726966  # any number nobody else locks; these are letters of our name
# The catalogue is read as tables: what a connection remembers of names may be older than the lock it has just waited for.
_HAS_SCHEMA: Final = "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'handgriff')"
_HAS_TABLE: Final = "SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'handgriff' AND tablename = 'schema_version')"
_TABLE: Final = (
    "CREATE TABLE handgriff.schema_version (version integer PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now())"
)


class UnfitDatabaseError(Exception):
    """This database can't be used, whoever asks."""


class NewerSchemaError(UnfitDatabaseError):
    """A newer version of Handgriff has migrated it."""

    def __init__(self, found: int, newest: int) -> None:
        super().__init__(f"The database has schema {found} and this version of Handgriff knows {newest}; upgrade Handgriff")


class NarrowEncodingError(UnfitDatabaseError):
    """It can't hold every text."""

    def __init__(self, encoding: str) -> None:
        super().__init__(f"The database has the encoding {encoding}; make one with UTF8, which holds every text")


async def migrate(dsn: str) -> tuple[int, int]:
    """Bring the database at *dsn* to the newest schema, and say which it had and which it has.

    Raises:
        DefinitionError: *dsn* is no address.
        BackendError: the server can't be reached, the role may not, or the database has a newer schema already.
    """
    address = read_address(dsn)
    try:
        connection = await connect(address.dsn)
        try:
            return await bring_up(connection)
        finally:
            await connection.close()
    except UnfitDatabaseError as error:
        raise fault("migrate", error, hint=f"{error}.") from error
    except ERRORS as error:
        raise fault("migrate", error) from error


async def ensure(connection: Connection) -> None:
    """What `migrate` does, at the opening of a store.

    Raises:
        BackendError: the role may not, or the database has a newer schema already.
    """
    try:
        await bring_up(connection)
    except UnfitDatabaseError as error:
        raise fault("open", error, hint=f"{error}.") from error
    except ERRORS as error:
        if not is_forbidden(error):
            raise
        found = await version(connection)
        hint = (
            f"The database has schema {found} and this version of Handgriff needs {newest()}; run `handgriff migrate` with a role that may."
        )
        raise fault("open", error, hint=hint) from error


async def bring_up(connection: Connection) -> tuple[int, int]:
    """Apply what is missing.

    Raises:
        UnfitDatabaseError: the database is newer, or can't hold every text; nothing was changed.
    """
    encoding = await connection.fetchval("SHOW server_encoding")
    if encoding != "UTF8":
        raise NarrowEncodingError(encoding)
    files = sorted(FOLDER.glob("[0-9]*.sql"))
    found = await version(connection)
    if found == len(files):
        return found, found
    async with connection.transaction():
        await connection.fetchval("SELECT pg_advisory_xact_lock($1)", _LOCK)
        found = await version(connection)
        if not await connection.fetchval(_HAS_SCHEMA):
            await connection.execute("CREATE SCHEMA handgriff")
        if found == 0:
            await connection.execute(_TABLE)
        for file in files[found:]:
            await connection.execute(file.read_text("utf-8"))
            await connection.execute("INSERT INTO handgriff.schema_version (version, name) VALUES ($1, $2)", _number(file), file.stem)
    return found, len(files)


async def version(connection: Connection) -> int:
    """The schema the database has, 0 without one.

    Raises:
        NewerSchemaError: it is newer than ours.
    """
    if not await connection.fetchval(_HAS_TABLE):
        return 0
    found: int = await connection.fetchval("SELECT coalesce(max(version), 0) FROM handgriff.schema_version")
    if found > newest():
        raise NewerSchemaError(found, newest())
    return found


def newest() -> int:
    """The schema this version knows."""
    return max(map(_number, FOLDER.glob("[0-9]*.sql")))


def _number(file: Path) -> int:
    return int(file.name.partition("_")[0])
