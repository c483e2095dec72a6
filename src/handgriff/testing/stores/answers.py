"""Short ways for tests to ask a store: what refused a batch, what a scope holds."""

from handgriff.core.batch import Operation
from handgriff.core.delta import Value, weight
from handgriff.core.rows import Record
from handgriff.core.scope import Scope
from handgriff.core.state import Totals
from handgriff.ports.store import CommitRefused, Guard, Store
from handgriff.testing.samples import TENANT, USER, at


async def refusal(store: Store, *batch: Operation, durable: bool = False) -> tuple[Guard, str]:
    """The guard that refuses *batch*, and its subject.

    Raises:
        AssertionError: the batch was written.
    """
    try:
        await store.commit(batch, durable=durable)
    except CommitRefused as refused:
        return refused.guard, refused.subject
    raise AssertionError(f"nothing refused {batch}")


async def texts(store: Store, scope: Scope = "session", owner: str | None = None) -> dict[str, str]:
    """JSON texts by key, of the sample session or of *owner*."""
    values = await store.values(TENANT, scope, owner_of(scope) if owner is None else owner)
    return {key: value.text for key, value in values.items()}


async def versions(store: Store, scope: Scope = "session", owner: str | None = None) -> dict[str, int]:
    """Versions by key."""
    values = await store.values(TENANT, scope, owner_of(scope) if owner is None else owner)
    return {key: value.version for key, value in values.items()}


async def notes(store: Store, namespace: str = "notes", *, now: float = 0, session: str = "s1") -> dict[str, str] | None:
    """JSON texts by key of a scratch record at *now* seconds after `START`; None where there is none."""
    found = await store.record(TENANT, session, namespace, now=at(now))
    return None if found is None else note_texts(found)


async def note(store: Store, key: str, *, now: float = 0) -> Value:
    """One value of the record "notes" of the sample session."""
    return (await _record(store, now)).values[key]


async def deadline(store: Store, *, now: float = 0) -> float:
    """When the record "notes" of the sample session is over, in seconds after `START`."""
    return ((await _record(store, now)).expires_at - at(0)).total_seconds()


def note_texts(record: Record) -> dict[str, str]:
    """JSON texts by key."""
    return {key: value.text for key, value in record.values.items()}


async def recount(store: Store, scope: Scope, owner: str) -> Totals:
    """What the scope holds, counted from its values."""
    held = await texts(store, scope, owner)
    return Totals(len(held), sum(weight(key, text) for key, text in held.items()))


def owner_of(scope: Scope) -> str:
    """The id of the sample session's scope."""
    return {"app": "", "user": USER, "session": "s1", "scratch": "s1"}[scope]


async def _record(store: Store, now: float) -> Record:
    found = await store.record(TENANT, "s1", "notes", now=at(now))
    if found is None:
        raise AssertionError(f"there is no record {now} seconds after START")
    return found
