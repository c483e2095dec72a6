"""The address of a database, and what of it is for us: `?pool=10`, how many connections a process opens at most.

An address holds a password, so nothing here repeats it, not even to say that it cannot be read.
"""

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from handgriff.errors import DefinitionError

SCHEMES: Final = ("postgresql://", "postgres://")
_OURS: Final = "pool="
_POOL: Final = 10
_MOST: Final = 1000


@dataclass(frozen=True, slots=True)
class Address:
    """Where the database is, for the driver, and how many connections to open at most."""

    dsn: str = field(repr=False)
    pool: int = _POOL


def read_address(dsn: str) -> Address:
    """The address that *dsn* writes.

    Raises:
        DefinitionError: it is none.
    """
    if not dsn.startswith(SCHEMES):
        raise unreadable()
    place, _, query = dsn.partition("?")
    if not _has_ports(place):
        raise unreadable()
    options = [option for option in query.split("&") if option]
    rest = "&".join(option for option in options if not option.startswith(_OURS))
    ours = [option.removeprefix(_OURS) for option in options if option.startswith(_OURS)]
    return Address(f"{place}?{rest}" if rest else place, _pool(ours[-1]) if ours else _POOL)


def unreadable() -> DefinitionError:
    """The address can't be read. To be raised without a cause: what could not be read may be a part of the password."""
    return DefinitionError(
        "PostgresStore",
        "address",
        "it can't be read.",
        mend="write postgresql://user:password@host:5432/database, with / @ : ? # % of the password as %2F %40 %3A %3F %23 %25.",
    )


def _has_ports(place: str) -> bool:
    """Whether each server of *place*, there may be several, has a port that can be one, or none."""
    try:
        servers = urlsplit(place).netloc.rpartition("@")[2].split(",")
        return all(urlsplit(f"//{server}").port != 0 for server in servers)
    except ValueError:
        return False


def _pool(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= _MOST:
        raise DefinitionError(
            "PostgresStore", "pool", f"{text!r} is no number of connections.", mend=f"write ?pool= and a number from 1 to {_MOST}."
        )
    return int(text)
