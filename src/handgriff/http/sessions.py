"""Routes of sessions: create, list, read, delete, stop.

Below are the host's sessions; above, the app's table.
"""

from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from handgriff.core.caller import Caller
from handgriff.core.jsontext import Json
from handgriff.errors import Refusal
from handgriff.host.sessions import PAGE
from handgriff.http.body import number, read, text
from handgriff.http.face import Face, answer_json
from handgriff.http.problems import HEADERS, invalid
from handgriff.http.views import event_view, session_view

EVENTS_PAGE = 500


async def create(face: Face, request: Request, caller: Caller) -> Response:
    """`POST /sessions`: `{"alias"?, "title"?}`."""
    body = await read(request, limit=face.body_bytes, may_be_empty=True)
    session = await face.host.sessions.create(caller, alias=text(body, "alias"), title=text(body, "title"))
    place = f"{request.scope.get('root_path', '')}/sessions/{session.id}"
    return answer_json(session_view(session, await _now(face)), 201, {"Location": place})


async def listed(face: Face, request: Request, caller: Caller) -> Response:
    """`GET /sessions?before=&limit=`: newest first; `next` is the `before` of the next page."""
    limit = min(number(request, "limit", least=1, otherwise=PAGE), PAGE)
    before = request.query_params.get("before")
    if before is not None:
        await _known(face, caller, before)
    sessions = await face.host.sessions.list(caller, before=before, limit=limit)
    now = await _now(face)
    views: list[Json] = [session_view(session, now) for session in sessions]
    return answer_json({"sessions": views, "next": sessions[-1].id if len(sessions) == limit else None})


async def show(face: Face, request: Request, caller: Caller, session_id: str) -> Response:
    """`GET /sessions/{id}?after=&limit=`: the session with a window of its events; `next` is the `after` of the next window."""
    limit = min(number(request, "limit", least=1, otherwise=EVENTS_PAGE), EVENTS_PAGE)
    after = number(request, "after", least=0, otherwise=0)
    session = await face.host.sessions.get(caller, session_id)
    events = await face.host.sessions.events(caller, session_id, after=after, limit=limit)
    views: list[Json] = [event_view(event) for event in events]
    following = events[-1].seq if len(events) == limit else None
    return answer_json({**session_view(session, await _now(face)), "events": views, "next": following})


async def delete(face: Face, request: Request, caller: Caller, session_id: str) -> Response:
    """`DELETE /sessions/{id}`."""
    del request
    await face.host.sessions.delete(caller, session_id)
    return Response(status_code=204, headers=dict(HEADERS))


async def stop(face: Face, request: Request, caller: Caller, session_id: str) -> Response:
    """`POST /sessions/{id}/stop`: whether there was a turn to stop."""
    await read(request, limit=face.body_bytes, may_be_empty=True)
    return answer_json({"stopped": await face.host.stop(caller, session_id)})


async def _known(face: Face, caller: Caller, before: str) -> None:
    try:
        await face.host.sessions.get(caller, before)
    except Refusal:
        raise invalid("before", "expected the id of a session already listed") from None


async def _now(face: Face) -> datetime:
    return (await face.host.engine()).clock.now()
