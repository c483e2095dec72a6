"""PostgreSQL's errors in the operator's words. Every failure of this adapter leaves it as a `BackendError` from its cause.

No hint repeats what was sent or the address, which may hold a password.
"""

from typing import Final, cast

from handgriff.core.jsontext import JsonError
from handgriff.errors import BackendError
from handgriff.ports.store import CommitRefused, Guard
from handgriff.ports.transaction import EndedByHandError
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


_NOTHING: Final = "Nothing of the transaction was kept."
_UNDONE: Final = {
    "40001": f"Another transaction was in the way of this one. {_NOTHING} The call may be made again.",
    "40P01": f"Another transaction and this one waited for each other. {_NOTHING} The call may be made again.",
    "25P02": f"A statement in the transaction had failed, and its error was passed over. {_NOTHING} "
    "Where a statement may fail, put it in `async with connection.transaction():`, which takes back that part alone.",
    "HG002": "The transaction was ended by hand, and the call's outcome was not written. "
    "Leave BEGIN, COMMIT and ROLLBACK to Handgriff; for a part of it use `async with connection.transaction():`.",
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


def undone(cause: Exception) -> BackendError:
    """The error to raise where *cause* ended a transaction that was not committed."""
    state = fields_of(cause)[0]
    if is_lost(cause):
        return fault("commit", cause, hint=f"The connection was lost before the commit. {_NOTHING}")
    if isinstance(cause, MISUSED):
        return fault("commit", cause, hint=f"The connection was lost, or the handler had left something running on it. {_NOTHING}")
    if state == "HG002":
        ended = EndedByHandError("postgres", "commit", hint=_UNDONE[state])
        ended.__cause__ = cause
        return ended
    # The message of an unknown one may be the application's own, and repeat its values.
    known = _HINTS.get(state, f"{type(cause).__name__}; the cause says why.")
    return fault("commit", cause, hint=_UNDONE.get(state, f"{known} {_NOTHING}"))


def unfinished(cause: Exception) -> BackendError:
    """The error to raise where *cause* came in the place of a COMMIT's answer. What the server itself says was not committed."""
    is_answer = fields_of(cause)[0] and not is_lost(cause)
    return undone(cause) if is_answer else fault("commit", cause, hint=_LOST)


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
