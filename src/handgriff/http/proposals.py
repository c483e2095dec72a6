"""Routes of proposals, and the menu: list, show, decide.

Below are the host's proposals; above, the app's table. Only a JSON boolean of an authenticated request decides anything.
"""

from starlette.requests import Request
from starlette.responses import Response

from handgriff.core.caller import Caller
from handgriff.core.jsontext import Json
from handgriff.http.body import read
from handgriff.http.face import Face, answer_json
from handgriff.http.problems import invalid
from handgriff.http.views import outcome_view, proposal_view, tool_view


async def listed(face: Face, request: Request, caller: Caller) -> Response:
    """`GET /proposals?session=`: what waits for this caller, oldest first."""
    session = request.query_params.get("session")
    if session is not None:
        await face.host.sessions.get(caller, session)
    waiting = await face.host.proposals.list(caller, session=session)
    views: list[Json] = [proposal_view(proposal) for proposal in waiting]
    return answer_json({"proposals": views})


async def show(face: Face, request: Request, caller: Caller, proposal_id: str) -> Response:
    """`GET /proposals/{id}`, in whatever state it is."""
    del request
    return answer_json(proposal_view(await face.host.proposals.get(caller, proposal_id)))


async def decide(face: Face, request: Request, caller: Caller, proposal_id: str) -> Response:
    """`POST /proposals/{id}`: `{"approved": true}`, answered with what became of it; a turn that goes on is followed on `/stream`."""
    body = await read(request, limit=face.body_bytes)
    approved = body.get("approved")
    if not isinstance(approved, bool):
        # An unknown proposal must not be told from a known one by the order of two checks.
        await face.host.proposals.get(caller, proposal_id)
        raise invalid("approved", "expected true or false")
    decided = await face.host.proposals.decide(caller, proposal_id, approved)
    outcome = outcome_view(decided.outcome)
    return answer_json({"proposal": proposal_view(decided.proposal), "outcome": outcome, "continues": decided.continues})


async def menu(face: Face, request: Request, caller: Caller) -> Response:
    """`GET /menu`: the tools this caller is offered now."""
    del request
    tools: list[Json] = [tool_view(contract, caller.locale) for contract in await face.host.menu(caller)]
    return answer_json({"tools": tools})
