"""The peer: google-adk's DatabaseSessionService, driven as its documentation does. It runs in an environment of its own.

python -m bench.session_sides.adk     (needs google-adk[db] and asyncpg)
"""

import logging
from itertools import count
from secrets import token_hex
from typing import Any

from google.adk.errors._stale_session_error import StaleSessionError  # type: ignore[import-not-found]  # the peer's own environment
from google.adk.events.event import Event  # type: ignore[import-not-found]
from google.adk.events.event_actions import EventActions  # type: ignore[import-not-found]
from google.adk.sessions import DatabaseSessionService  # type: ignore[import-not-found]
from google.adk.sessions.base_session_service import GetSessionConfig  # type: ignore[import-not-found]
from google.genai import types  # type: ignore[import-not-found]

from bench.session_sides.protocol import EVENTS, INCREMENTS, RECENT, TASKS, TEXT, serve, together

APP, USER = "bench", "ada"
_SERVICES: dict[str, Any] = {}
_NUMBERS = count()


async def append(*, store: str, each: int, durable: bool) -> dict[str, float]:
    """Events with three values. Each task has a session of its own: on one session all but one would be told that theirs is stale."""
    if not durable:
        raise AssertionError("this service flushes every commit")
    service = _service(store)
    sessions = [await _session(service) for _ in range(TASKS)]

    async def one(task: int, number: int) -> None:
        await service.append_event(sessions[task], _event({"a": number, "b": number, "c": "v"}))

    return await together(each, one)


async def counter(*, store: str) -> dict[str, float]:
    """Sixteen writers of one counter: read the session, add, append, and again where it was stale."""
    service = _service(store)
    session = (await _session(service)).id
    attempts = 0

    async def one(_: int, __: int) -> None:
        nonlocal attempts
        while True:
            attempts += 1
            found = await _got(service, session, RECENT)
            try:
                await service.append_event(found, _event({"n": found.state.get("n", 0) + 1}))
            except StaleSessionError:
                continue
            return

    told = await together(INCREMENTS, one)
    found = await _got(service, session, 0)
    return told | {"lost": TASKS * INCREMENTS - found.state["n"], "attempts": attempts}


async def opening(*, store: str, each: int, recent: int | None = None) -> dict[str, float]:
    """A session with a long history: all of it, as the runner reads it, or its *recent* events."""
    service = _service(store)
    session = await _long(service, store)

    async def one(_: int, __: int) -> None:
        found = await _got(service, session, recent)
        if len(found.events) != (recent or EVENTS):
            raise AssertionError(len(found.events))

    await one(0, 0)
    return await together(each, one, tasks=1)


async def close() -> None:
    """Close what was opened."""
    for service in _SERVICES.values():
        await service.close()


_LONG: dict[str, str] = {}


async def _long(service: Any, store: str) -> str:
    if store not in _LONG:
        session = await _session(service)
        for number in range(EVENTS):
            await service.append_event(session, _event({"a": number, "b": number, "c": "v"}))
        _LONG[store] = session.id
    return _LONG[store]


async def _got(service: Any, session: str, recent: int | None) -> Any:
    config = None if recent is None else GetSessionConfig(num_recent_events=recent)
    return await service.get_session(app_name=APP, user_id=USER, session_id=session, config=config)


async def _session(service: Any) -> Any:
    return await service.create_session(app_name=APP, user_id=USER, session_id=token_hex(8))


def _service(store: str) -> Any:
    if store not in _SERVICES:
        scheme, _, rest = store.partition("://")
        _SERVICES[store] = DatabaseSessionService(f"{'sqlite+aiosqlite' if scheme == 'sqlite' else 'postgresql+asyncpg'}://{rest}")
    return _SERVICES[store]


def _event(delta: dict[str, Any]) -> Any:
    content = types.Content(role="model", parts=[types.Part(text=TEXT)])
    return Event(author="model", invocation_id=f"inv{next(_NUMBERS)}", content=content, actions=EventActions(state_delta=delta))


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    serve({"append": append, "counter": counter, "open": opening}, close)
