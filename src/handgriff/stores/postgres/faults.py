"""PostgreSQL's errors in the operator's words. Every failure of this adapter leaves it as a `BackendError` from its cause.

No hint repeats what was sent or the address, which may hold a password.
"""

from typing import Final, cast

from handgriff.core.jsontext import JsonError
from handgriff.errors import BackendError
from handgriff.ports.store import CommitRefused, Guard
from handgriff.stores.postgres.driver import LOST, MISUSED, fields_of
from handgriff.stores.postgres.texts import given

_CONFLICTS: Final = frozenset({"40001", "40P01"})
_NO_RIGHTS: Final = frozenset({"42501", "25006"})
_MIGRATE: Final = "The tables are missing or older than this version of Handgriff; run `handgriff migrate`."
_LOST: Final = "The connection was lost; what was sent may have been written or not."
_HINTS: Final = {
    "08000": _LOST,
    "08003": _LOST,
    "08006": _LOST,
    "28P01": "The role or its password is wrong.",
    "28000": "The server does not let this role in from here; look at its pg_hba.conf.",
    "3D000": "The database does not exist; create it, or name another.",
    "42501": "The role has no right to that; grant it USAGE on schema handgriff and its sequence, and all four rights on its tables.",
    "25006": "The server is read-only; give the address of the primary.",
    "53100": "The server's disk is full; free some space.",
    "53200": "The server is out of memory.",
    "53300": "The server has no connection left; lower `?pool=` in the address, or raise max_connections.",
    "57P01": _LOST,
    "57P02": _LOST,
    "57P03": "The server is just starting or stopping; try again in a moment.",
    "3F000": _MIGRATE,
    "42P01": _MIGRATE,
    "42883": _MIGRATE,
}


class StoredAlreadyError(BackendError):
    """An event of the batch is stored already, and nothing was written: it must come again the long way."""


def fault(operation: str, cause: Exception, *, hint: str | None = None) -> BackendError:
    """The error to raise for *cause*, which becomes its cause."""
    error = BackendError("postgres", operation, hint=_hint(cause) if hint is None else hint)
    error.__cause__ = cause
    return error


def refusal(error: Exception) -> CommitRefused | StoredAlreadyError | None:
    """The answer that *error* stands for, if it is one."""
    state, guard, subject = fields_of(error)
    match state:
        case "HG001":
            return CommitRefused(cast("Guard", guard), given(subject))  # our functions name no other guards
        case "23505":
            # Whatever else may be there already is met by the statement itself.
            stored = StoredAlreadyError("postgres", "commit", hint="An event of the batch is stored already.")
            stored.__cause__ = error
            return stored
        case _:
            return None


def is_conflict(error: Exception) -> bool:
    """Whether two transactions stood in each other's way, and this one was undone."""
    return fields_of(error)[0] in _CONFLICTS


def is_lost(error: Exception) -> bool:
    """Whether the connection ended, so that nobody knows what became of its statement."""
    return isinstance(error, LOST)


def is_forbidden(error: Exception) -> bool:
    """Whether the role, or this server, may not do that."""
    return fields_of(error)[0] in _NO_RIGHTS


def _hint(cause: Exception) -> str:
    if isinstance(cause, (UnicodeEncodeError, JsonError)):
        return f"The batch holds what no store can keep: {cause}."
    if isinstance(cause, OSError):
        return f"No server answers at the address ({type(cause).__name__}); start it, or mend the address."
    if isinstance(cause, MISUSED):
        return "The driver refused; the cause says why."
    return _HINTS.get(fields_of(cause)[0], f"{cause}.")
