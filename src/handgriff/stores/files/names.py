"""Names of files and folders, made of ids: readable where an id is plain, one name for one id on every file system.

Letters of any case, characters of any alphabet, dots and slashes: what a file system might fold, cut or follow is escaped as in a URL.
"""

import hashlib
from typing import Final

_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.")
_NOTHING: Final = "%"
_LONGEST: Final = 100
"""Of one part, in bytes: two of them and the ending fit into the 255 that file systems take."""
_SHOWN: Final = 32
"""How much of a longer part is shown before its digest."""
_ENDING: Final = ".json"


def folder_name(tenant: str) -> str:
    """The name of a tenant's folder."""
    return _part(tenant, also="_")


def file_name(namespace: str, session: str) -> str:
    """The name of a record's file. The first `_` parts the two, because none stands in the namespace's part."""
    return f"{_part(namespace)}_{_part(session, also='_')}{_ENDING}"


def is_record(name: str) -> bool:
    """Whether a file of that name is a record's."""
    return name.endswith(_ENDING) and "_" in name and not name.startswith(".")


def is_of_session(name: str, session: str) -> bool:
    """Whether a record's file belongs to *session*."""
    return name.removesuffix(_ENDING).partition("_")[2] == _part(session, also="_")


def _part(text: str, *, also: str = "") -> str:
    name = "".join(character if character in _PLAIN or character in also else _escaped(character) for character in text) or _NOTHING
    # A dot is only harmless in the middle.
    if name[0] == ".":
        name = f"%2e{name[1:]}"
    if name[-1] == ".":
        name = f"{name[:-1]}%2e"
    return name if len(name) <= _LONGEST else f"{name[:_SHOWN]}%~{hashlib.sha256(_bytes(text)).hexdigest()}"


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in _bytes(character))


def _bytes(text: str) -> bytes:
    # Half a character is refused when a record is written; it is no reason to fail where one is looked for.
    return text.encode(errors="surrogatepass")
