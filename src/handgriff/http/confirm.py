"""`GET /confirm/{id}`: the page for who comes by a link. It shows; only its buttons decide, by `POST /proposals/{id}`, like any client.

Below are cards and the host's proposals; above, the app's table. Nothing here changes anything, because programs follow links as well.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from handgriff.core.caller import Caller
from handgriff.core.catalogue import LANGUAGES
from handgriff.core.rows import Proposal
from handgriff.core.titles import title_in
from handgriff.errors import Refusal
from handgriff.http.card import card
from handgriff.http.face import Face
from handgriff.http.page import page, static, word
from handgriff.http.problems import Problem, answer

PATH: Final = "confirm"
FILES: Final[Mapping[tuple[str, ...], Mapping[str, Callable[[Face], Awaitable[ASGIApp]]]]] = {
    ("confirm.js",): {"GET": static("confirm.js", "text/javascript")},
    ("confirm.css",): {"GET": static("confirm.css", "text/css")},
}
_WORDS: Final = {401: "card_sign_in", 404: "card_missing"}


async def show(face: Face, request: Request, caller: Caller, proposal_id: str) -> Response:
    """The page of a proposal, with those that were asked for together with it."""
    del request
    now = (await face.host.engine()).clock.now()
    cards = [
        card(
            proposal,
            caller,
            state=proposal.state_at(now),
            title=_title(face, caller, proposal),
            name=f"card-{number}",
        )
        for number, proposal in enumerate(await _together(face, caller, proposal_id), start=1)
    ]
    return page("\n".join(cards), caller.locale)


def explained(request: Request, problem: Problem) -> Response:
    """*problem* as a page in the browser's language, or as it is for who takes nothing but JSON."""
    accepted = request.headers.get("accept", "*/*").lower()
    if "json" in accepted and not ("html" in accepted or "*/*" in accepted):
        return answer(problem)
    content = f'<p role="alert">{word(_WORDS.get(problem.status, "card_failed"), _locale(request))}</p>'
    return page(content, _locale(request), status=problem.status, headers=problem.headers)


async def _together(face: Face, caller: Caller, proposal_id: str) -> list[Proposal]:
    """The proposal and its siblings of the same answer, oldest first, as far as *caller* may see them."""
    asked = await face.host.proposals.get(caller, proposal_id)
    if asked.turn is None:
        return [asked]
    store = (await face.host.engine()).store
    of_session = await store.proposals(caller.tenant, user=asked.user, session=asked.session)
    found: list[Proposal] = []
    for sibling in of_session:
        if sibling.turn == asked.turn:
            try:
                found.append(await face.host.proposals.get(caller, sibling.id))
            except Refusal:
                # Another tool's rights: for who comes as the second person it is not there.
                continue
    return found


def _title(face: Face, caller: Caller, proposal: Proposal) -> str:
    contract = face.host.assistant.contracts.get(proposal.tool)
    return (title_in(contract.title, caller.locale) if contract else None) or proposal.tool


def _locale(request: Request) -> str:
    """Which of our languages the browser likes best."""
    liked: list[tuple[float, str]] = []
    for entry in request.headers.get("accept-language", "").replace(" ", "").split(",")[:20]:
        name, _, weight = entry.partition(";q=")
        try:
            weighed = -float(weight or 1)
        except ValueError:
            continue
        if name.partition("-")[0].lower() in LANGUAGES:
            liked.append((weighed, name))
    return min(liked, default=(0.0, "en"), key=lambda each: each[0])[1]
