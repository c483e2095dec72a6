"""Routes of proposals, and the menu: list, show, decide, ask for a code.

Below are the host's proposals; above, the app's table. Only a JSON boolean of an authenticated request decides anything.
"""

from starlette.requests import Request
from starlette.responses import Response

from handgriff.core.caller import Caller
from handgriff.core.jsontext import Json
from handgriff.core.proposal import already
from handgriff.core.rows import Proposal
from handgriff.errors import BackendError, Refusal
from handgriff.http.body import read
from handgriff.http.face import Face, answer_json
from handgriff.http.problems import invalid
from handgriff.http.run_input import check_nothing_else, check_unedited, code
from handgriff.http.views import outcome_view, proposal_view, tool_view
from handgriff.http.words import too_late, undecided, unsent


async def listed(face: Face, request: Request, caller: Caller) -> Response:
    """`GET /proposals?session=`: what waits for this caller, oldest first; without *session* also what others want and they may confirm."""
    session = request.query_params.get("session")
    if session is not None:
        await face.host.sessions.get(caller, session)
    views: list[Json] = [await _view(face, caller, proposal) for proposal in await face.host.proposals.list(caller, session=session)]
    return answer_json({"proposals": views})


async def show(face: Face, request: Request, caller: Caller, proposal_id: str) -> Response:
    """`GET /proposals/{id}`, in whatever state it is."""
    del request
    return answer_json(await _view(face, caller, await face.host.proposals.get(caller, proposal_id)))


async def decide(face: Face, request: Request, caller: Caller, proposal_id: str) -> Response:
    """`POST /proposals/{id}`: `{"approved": true, "code"?: "123456"}`, answered with what became of it; a turn that goes on is followed
    on `/stream`."""
    body = await read(request, limit=face.body_bytes)
    # An unknown proposal must not be told from a known one by the order of two checks.
    proposal = await face.host.proposals.get(caller, proposal_id)
    approved = body.get("approved")
    if not isinstance(approved, bool):
        raise invalid("approved", "expected true or false")
    given = code(body)
    check_unedited(body)
    check_nothing_else(body)
    try:
        decided = await face.host.proposals.decide(caller, proposal_id, approved, given)
    except (Refusal, BackendError) as error:
        raise undecided(error, proposal, caller.locale) from error
    if (late := too_late(decided)) is not None:
        raise undecided(late, proposal, caller.locale)
    view = await _view(face, caller, decided.proposal)
    return answer_json({"proposal": view, "outcome": outcome_view(decided.outcome), "continues": decided.continues})


async def send_code(face: Face, request: Request, caller: Caller, proposal_id: str) -> Response:
    """`POST /proposals/{id}/code`: send the owner a new code; the one before is no longer good."""
    await read(request, limit=face.body_bytes, may_be_empty=True)
    proposal = await face.host.proposals.get(caller, proposal_id)
    state = proposal.state_at((await face.host.engine()).clock.now())
    if state != "pending":
        raise undecided(already(state), proposal, caller.locale)
    try:
        sent = await face.host.proposals.send_code(caller, proposal_id)
    except (Refusal, BackendError) as error:
        raise unsent(error, caller.locale) from error
    return answer_json(await _view(face, caller, sent))


async def menu(face: Face, request: Request, caller: Caller) -> Response:
    """`GET /menu`: the tools this caller may use; with `?session=` those that are callable there now."""
    session = request.query_params.get("session")
    if session is None:
        tools: list[Json] = [tool_view(contract, caller.locale) for contract in await face.host.menu(caller)]
    else:
        offered = await face.host.workflows.offered(caller, session)
        tools = [tool_view(tool.contract, caller.locale, tool.description) for tool in offered]
    return answer_json({"tools": tools})


async def _view(face: Face, caller: Caller, proposal: Proposal) -> dict[str, Json]:
    return proposal_view(proposal, caller.locale, (await face.host.engine()).clock.now())
