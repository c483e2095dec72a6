"""The address of a server or a cluster, read: `redis://user:password@host:6379/0`, `rediss://h1:7000,h2:7000?cluster=true`.

It knows no library. What it complains about never shows the address, because a password may stand in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from handgriff.errors import DefinitionError

PORT: Final = 6379
_PLAIN, _TLS = "redis", "rediss"
_FILES: Final = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
_WORDS: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Address:
    """Where the servers are, and how they are spoken to."""

    nodes: tuple[tuple[str, int], ...]
    is_cluster: bool = False
    database: int = 0
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    is_encrypted: bool = False
    files: Mapping[str, str] = field(default_factory=dict)
    """Certificates and keys of an encrypted connection, by the library's names."""


def read_address(text: str) -> Address:
    """The address *text* says.

    Raises:
        DefinitionError: it is none.
    """
    try:
        split = urlsplit(text)
    except ValueError as error:
        raise _wrong("it can't be read as a URL.") from error
    if split.scheme not in (_PLAIN, _TLS):
        raise _wrong("it begins with neither of the two.")
    login, _, hosts = split.netloc.rpartition("@")
    username, _, password = login.partition(":")
    options = _options(split.query, is_encrypted=split.scheme == _TLS)
    address = Address(
        nodes=tuple(_node(host) for host in hosts.split(",")),
        is_cluster=_word(options.pop("cluster", "false")),
        database=_database(split.path),
        username=unquote(username) or None,
        password=unquote(password) or None,
        is_encrypted=split.scheme == _TLS,
        files=options,
    )
    if address.is_cluster and address.database:
        raise _wrong("a cluster has one database, which is 0.")
    if not address.is_cluster and len(address.nodes) > 1:
        raise _wrong("it names several hosts without '?cluster=true'.")
    return address


def _options(query: str, *, is_encrypted: bool) -> dict[str, str]:
    allowed = ("cluster", *(_FILES if is_encrypted else ()))
    found = dict(parse_qsl(query, keep_blank_values=True))
    for name in found:
        if name not in allowed:
            raise _wrong(f"{name!r} is no option; these are: {', '.join(('cluster', *_FILES))}, the last three with {_TLS}.")
    return found


def _node(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":") if _has_port(text) else (text, "", str(PORT))
    if not host.strip("[]") or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise _wrong("a host is missing, or a port is none.")
    return unquote(host.removeprefix("[").removesuffix("]")), int(port)


def _has_port(text: str) -> bool:
    # Colons within brackets belong to the host.
    return ":" in text.rpartition("]")[2]


def _database(path: str) -> int:
    number = path.removeprefix("/") or "0"
    if not (number.isdecimal() and number.isascii()):
        raise _wrong("its path is no number of a database.")
    return int(number)


def _word(value: str) -> bool:
    if value not in _WORDS:
        raise _wrong("'cluster' is 'true' or 'false'.")
    return _WORDS[value]


def _wrong(problem: str) -> DefinitionError:
    return DefinitionError(
        "RedisScratch",
        "address",
        f"{problem} (It is not shown: a password may stand in it.)",
        mend="write 'redis://host:6379/0', 'rediss://user:password@host:6379', or 'redis://host1:7000,host2:7000?cluster=true'; "
        "in names and passwords write %40 for @ and so on.",
    )
