"""Where the state of a machine's instances lives: what an author says of it, and what of that goes together."""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Final, Literal, TypeAlias, TypedDict, get_args

from handgriff.core.jsontext import Json
from handgriff.core.machine.invariants import Invariant
from handgriff.errors import DefinitionError

Instance: TypeAlias = Literal["session", "handle", "process"]
Owner: TypeAlias = Literal["user", "tenant"]
StateOf: TypeAlias = Callable[..., Awaitable[object] | object]
"""Reads a derived machine's state from the application's own data: `(args, call)`, or `(call)` where no argument matters."""
Migration: TypeAlias = Callable[[Mapping[str, Json]], Mapping[str, Json]]
"""Makes of a snapshot (`value`, `context`, `history`, …) of an earlier machine one of this machine."""

EXPIRES: Final = timedelta(days=30)
LONGEST: Final = timedelta(days=36_525)
"""How long anything is kept at most. A date beyond it may not exist."""
RESERVED: Final = frozenset({"machine", "state", "open"})
"""What results tell beside the handle, under its own name."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")


class Keeping(TypedDict, total=False):
    """The members of a machine beside its definition."""

    state_of: StateOf | None
    """Makes it a derived machine."""
    instance: Instance | None
    """Where a kept machine's instances are: one for each session where nothing is said."""
    handle: str | None
    """The parameter that names an instance; the machine's id where nothing is said."""
    owner: Owner
    """Whose an instance with a handle is: the user's who began it, or the whole tenant's."""
    expires: timedelta
    """How long an instance with a handle lives after its last transition: 30 days where nothing is said."""
    migrations: Mapping[str, Migration] | None
    """How snapshots of earlier machines go on, by the hash of each."""
    formerly: Sequence[str] | None
    """The ids it had before, under which its instances are still found; `()` says that it is new."""
    invariants: Sequence[Invariant]
    """What is promised of it, and proved when an assistant is built."""


def place_of(kept: Keeping) -> Instance | None:
    """Where the instances are; None for a derived machine."""
    if kept.get("instance") is not None:
        return kept["instance"]
    return None if kept.get("state_of") is not None else "handle" if kept.get("handle") is not None else "session"


def check_keeping(subject: str, kept: Keeping) -> None:
    """Refuse what does not go together.

    Raises:
        DefinitionError: it names the machine and the member.
    """
    unknown = next((name for name in kept if name not in Keeping.__annotations__), None)
    if unknown is not None:
        raise DefinitionError(subject, unknown, "a machine has no such member.", mend=f"it has {', '.join(Keeping.__annotations__)}.")
    where, state_of, handle = place_of(kept), kept.get("state_of"), kept.get("handle")
    _check_place(subject, kept, where)
    if state_of is not None and not callable(state_of):
        raise DefinitionError(
            subject, "state_of", f"{state_of!r} is no function.", mend="give a function (args, call) that answers the state."
        )
    if handle is not None and where != "handle":
        raise DefinitionError(subject, "handle", "only instances with a handle have one.", mend="say instance='handle', or leave it out.")
    if where == "handle" and not _NAME.fullmatch(handle or subject):
        problem = f"{handle or subject!r} is no name of a parameter."
        raise DefinitionError(subject, "handle", problem, mend="give handle= small letters, digits and _, a letter first.")
    if where == "handle" and (handle or subject) in RESERVED:
        problem = f"{handle or subject!r} stands for something else where the model is told of the workflow."
        raise DefinitionError(subject, "handle", problem, mend="give another name with handle=.")
    _check_former(subject, kept)
    _check_migrations(subject, kept)
    expires: object = kept.get("expires", EXPIRES)
    if not isinstance(expires, timedelta) or not timedelta(0) < expires <= LONGEST:
        problem = f"{expires!r} is no time from more than zero to a hundred years."
        raise DefinitionError(subject, "expires", problem, mend=f"give a positive timedelta of {LONGEST.days} days at most.")


def reads_arguments(state_of: StateOf | None) -> bool:
    """Whether *state_of* asks for a call's arguments, and not for the call alone: what it may be called without is no such question."""
    if state_of is None:
        return False
    try:
        parameters = inspect.signature(state_of).parameters.values()
    except (TypeError, ValueError):
        return True
    positional = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    required = [each for each in positional if each.default is each.empty]
    return len(required) > 1 or (not required and len(positional) != 1)


def _check_former(subject: str, kept: Keeping) -> None:
    formerly: object = kept.get("formerly")
    if formerly is None:
        return
    if kept.get("state_of") is not None:
        problem = "nothing is kept of a derived machine, so it may be called anything."
        raise DefinitionError(subject, "formerly", problem, mend="leave it out.")
    if isinstance(formerly, str) or not isinstance(formerly, Sequence) or not all(isinstance(each, str) and each for each in formerly):
        raise DefinitionError(subject, "formerly", f"{formerly!r} are no ids.", mend="give a tuple of the ids it had, () for none.")
    if subject in formerly:
        raise DefinitionError(subject, "formerly", "that is its present id.", mend="name those it had before.")


def _check_migrations(subject: str, kept: Keeping) -> None:
    migrations: object = kept.get("migrations")
    if migrations is None:
        return
    if not isinstance(migrations, Mapping):
        mend = "give functions by the hash of the machine before."
        raise DefinitionError(subject, "migrations", f"{migrations!r} is no mapping.", mend=mend)
    for key, migration in migrations.items():
        where = f"migrations[{key!r}]"
        if not isinstance(key, str) or not _HASH.fullmatch(key):
            # It would never be looked for, and what it was meant for would stay closed.
            problem = "the key is no hash of a machine, which has 64 digits from 0 to 9 and a to f."
            mend = "give the machine.hash of the machine before, which `handgriff workflow show` tells too."
            raise DefinitionError(subject, where, problem, mend=mend)
        if not callable(migration):
            raise DefinitionError(subject, where, f"{migration!r} is no function.", mend="give one that makes a snapshot of a snapshot.")


def _check_place(subject: str, kept: Keeping, where: Instance | None) -> None:
    instance, owner = kept.get("instance"), kept.get("owner", "user")
    if instance is not None and kept.get("state_of") is not None:
        problem = "a derived machine is read from the application's data, so nothing is kept of it."
        raise DefinitionError(subject, "instance", problem, mend="leave out instance, or state_of.")
    if instance is not None and instance not in get_args(Instance):
        raise DefinitionError(subject, "instance", f"{instance!r} is no place.", mend="say 'session', 'handle' or 'process'.")
    if owner not in get_args(Owner):
        raise DefinitionError(subject, "owner", f"{owner!r} owns nothing.", mend="say 'user' or 'tenant'.")
    if owner == "tenant" and where != "handle":
        problem = "an instance of several people is found by its handle."
        raise DefinitionError(subject, "owner", problem, mend="say instance='handle', or leave it out.")
