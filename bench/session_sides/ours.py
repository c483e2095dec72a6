"""Our side: appends through the store port, as a call's outcome is stored; opening through a host, as a face does it.

python -m bench.session_sides.ours
"""

from datetime import UTC, datetime
from itertools import count
from secrets import token_hex

from bench.session_sides.protocol import EVENTS, INCREMENTS, KEYS, RECENT, TASKS, TEXT, serve, together
from handgriff.core.batch import AppendEvent, CreateSession, StateChange
from handgriff.core.caller import Caller
from handgriff.core.delta import Delta, Increment, Set
from handgriff.core.events import AssistantMessage, Written
from handgriff.core.rows import Session
from handgriff.core.state import StateLimits
from handgriff.host.adapters import open_store
from handgriff.host.host import Host
from handgriff.ports.store import Store
from handgriff.runtime.assistant import Assistant

TENANT, USER = "acme", "ada"
LIMITS = StateLimits(keys=20_000, scope_bytes=2**26)
AT_ONCE = 100
"""Events in one commit while a session is filled."""
_STORES: dict[str, Store] = {}
_LARGE: dict[tuple[str, int], str] = {}
_NUMBERS = count()


async def append(*, store: str, each: int, durable: bool, shared: bool = False) -> dict[str, float]:
    """Events with three sets: each task in a session of its own, or all in one."""
    opened = await _opened(store)
    sessions = [await _session(opened) for _ in range(TASKS)]

    async def one(task: int, number: int) -> None:
        values = (str(number), str(number), '"v"')
        delta = tuple(Set("session", key, value) for key, value in zip(KEYS, values, strict=True))
        await opened.commit((_event(sessions[0 if shared else task], delta),), durable=durable)

    return await together(each, one)


async def flat(*, store: str, size: int, each: int, durable: bool) -> dict[str, float]:
    """The same in one session that holds *size* events and *size* keys; the keys that are set are spread over all of them."""
    opened = await _opened(store)
    session = _LARGE.get((store, size)) or await _filled(opened, size, keys=size)
    if size >= EVENTS:
        _LARGE[store, size] = session  # what is added to it makes no difference, and filling it takes its time

    async def one(task: int, number: int) -> None:
        picked = [(7919 * (task * each + number) + place) % size for place in range(len(KEYS))]
        await opened.commit((_event(session, tuple(_set(key, number) for key in picked)),), durable=durable)

    return await together(each, one)


async def counter(*, store: str) -> dict[str, float]:
    """Sixteen writers of one counter."""
    opened = await _opened(store)
    session = await _session(opened)

    async def one(_: int, __: int) -> None:
        await opened.commit((_event(session, (Increment("session", "n", 1),)),), durable=True)

    told = await together(INCREMENTS, one)
    found = await opened.values(TENANT, "session", session, ["n"])
    return told | {"lost": TASKS * INCREMENTS - int(found["n"].text), "attempts": TASKS * INCREMENTS}


async def opening(*, store: str, each: int) -> dict[str, float]:
    """A session with a long history: itself, what it sees of state in all scopes, and its last events."""
    opened = await _opened(store)
    session = await _filled(opened, EVENTS, keys=len(KEYS))
    caller = Caller(TENANT, USER)
    async with Host(
        Assistant("bench", instructions="You help.", toolboxes=[]), store=opened, callers=_anybody, model="scripted:none"
    ) as host:

        async def one(_: int, __: int) -> None:
            found = await host.sessions.get(caller, session)
            state = await host.sessions.state(caller, session)
            events = await host.sessions.events(caller, session, after=found.head - RECENT)
            if len(events) != RECENT or len(state) != len(KEYS):
                raise AssertionError((len(events), len(state)))

        await one(0, 0)
        return await together(each, one, tasks=1)


async def close() -> None:
    """Close what was opened."""
    for store in _STORES.values():
        await store.close()


async def _anybody(tenant: str, user: str) -> Caller:
    return Caller(tenant, user)


async def _opened(name: str) -> Store:
    if name not in _STORES:
        _STORES[name] = await open_store(name)
    return _STORES[name]


async def _session(store: Store) -> str:
    session = f"s-{token_hex(8)}"
    await store.commit((CreateSession(Session(TENANT, USER, session, datetime.now(UTC))),), durable=True)
    return session


async def _filled(store: Store, size: int, *, keys: int) -> str:
    session = await _session(store)
    for start in range(0, size, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, size))
        await store.commit(tuple(_event(session, _key(number, keys)) for number in numbers))
    return session


def _key(number: int, keys: int) -> Delta:
    return (_set(number, 0),) if number < keys else ()


def _set(key: int, number: int) -> Set:
    return Set("session", f"key{key}", f'"{number:098}"')  # always a hundred bytes, so that only the number of keys differs


def _event(session: str, delta: Delta) -> AppendEvent:
    written = Written(f"e-{next(_NUMBERS)}", "turn", datetime.now(UTC), AssistantMessage("r", TEXT, "end"))
    return AppendEvent(TENANT, session, written, StateChange(USER, delta, LIMITS) if delta else None)


if __name__ == "__main__":
    serve({"append": append, "flat": flat, "counter": counter, "open": opening}, close)
