"""What goes wrong with a server, in the operator's words. No address is shown, because a password may stand in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from redis import exceptions

from handgriff.core.jsontext import JsonError
from handgriff.errors import BackendError
from handgriff.stores.redis.text import Damaged

# The first that fits; the library's classes inherit from each other.
_HINTS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (exceptions.AuthenticationError, "It wants another name or password; look at the address."),
    (exceptions.NoPermissionError, "The user may not do this; allow GET, SET, DEL, UNLINK, EVAL and SCAN on 'handgriff:*'."),
    (exceptions.MovedError, "It is a node of a cluster; end the address with '?cluster=true'."),
    (exceptions.ClusterDownError, "The cluster is down; look at its nodes."),
    (exceptions.OutOfMemoryError, "Its memory is full; give it more."),
    (exceptions.ReadOnlyError, "It is a replica; name the primary."),
    (exceptions.BusyLoadingError, "It is still loading its data."),
    (exceptions.TimeoutError, "It did not answer in time; is it overloaded, or the network down?"),
    (exceptions.ConnectionError, "It can't be reached; does it run, is the address right, and with rediss:// its certificate known?"),
    (exceptions.RedisClusterException, "The cluster can't be reached, or the server is none; look at its nodes and the address."),
)


@contextmanager
def translated(operation: str) -> Iterator[None]:
    """Within it, what goes wrong leaves as a `BackendError`.

    Raises:
        BackendError: something went wrong.
    """
    try:
        yield
    except (exceptions.RedisError, exceptions.RedisClusterException, OSError) as error:
        raise BackendError("redis", operation, hint=_hint(error)) from error
    except (UnicodeEncodeError, JsonError) as error:
        raise BackendError("redis", operation, hint=f"The record holds what no server can keep: {error}.") from error


def damaged(operation: str, key: str, cause: Damaged) -> BackendError:
    """The error to raise for a key that holds something else."""
    return BackendError(
        "redis", operation, hint=f"The key {key!r} is not ours: {cause}. Delete it, and its session begins that record anew."
    )


def _hint(error: Exception) -> str:
    return next((hint for kind, hint in _HINTS if isinstance(error, kind)), f"It answered: {error}.")
