"""Routes that stream: a turn, its continuation after decisions, and a session's replay.

Below are the host's turns and the encoder; above, the app's table. Whatever can be refused is refused before the first byte, with a status;
after it, a failure is the run's terminal event.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Final

import anyio
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from handgriff.core.caller import Caller
from handgriff.core.events import CallOutcome, Decision, Event, Item, OperatorChange, ParkedCall, UserMessage
from handgriff.core.proposal import already, parked
from handgriff.core.rows import Proposal, Session
from handgriff.core.titles import title_in
from handgriff.errors import BackendError, Refusal
from handgriff.http.agui import Encoder
from handgriff.http.body import read
from handgriff.http.face import Face
from handgriff.http.problems import HEADERS, Problem, problem_of
from handgriff.http.run_input import Resume, RunInput, run_input, speaks_one
from handgriff.http.snapshot import client_ids
from handgriff.http.sse import EventStream, frames
from handgriff.http.words import too_late, undecided

_POSITION: Final = re.compile(r"([0-9]{1,15})(?:\.[0-9]{1,15})?")
_OWN_IDS: Final = "s_"
"""How our session ids begin. A thread id like this is looked up and never made a new conversation's name."""


async def run(face: Face, request: Request, caller: Caller) -> ASGIApp:
    """`POST /agui`: one turn, or what follows the decisions of `resume`."""
    wish = run_input(await read(request, limit=face.body_bytes))
    if wish.resume:
        return await _resumed(face, caller, wish)
    session = await _thread(face, caller, wish.thread)
    temp = await face.temp(request) if face.temp else None
    encoder = await _encoder(face, caller, wish, session)
    items = face.host.turn(caller, session.id, wish.text, hints=wish.hints, temp=temp, detach=face.detach)
    first = await _opening(items)
    encoder.run = wish.run or first[0].turn or session.id
    return EventStream(_turn(face, caller, session, encoder, wish, first, items))


async def follow(face: Face, request: Request, caller: Caller, session_id: str) -> ASGIApp:
    """`GET /sessions/{id}/stream?after=`: what came behind *after*, then what happens, until no turn runs.

    A message is said from its beginning, so of an id only the seq counts. The conversation up to it comes first, as a snapshot: whoever
    had half a message, or lost an id, is right again.
    """
    session = await face.host.sessions.get(caller, session_id)
    after = _after(request, session.head)
    now = (await face.host.engine()).clock.now()
    if after == session.head and not session.lease.is_held(now):
        return Response(status_code=204, headers=dict(HEADERS))
    known = await face.host.sessions.events(caller, session.id, limit=after) if after else ()
    encoder = Encoder(
        thread=session.alias or session.id,
        run=session.lease.turn or session.id,
        is_one=speaks_one(request.query_params.get("protocol")),
        with_usage=face.with_usage,
        is_replay=True,
        titles=await _titles(face, caller),
        locale=caller.locale,
        workflow=await _states(face, caller, session),
        head=session.head,
    )
    return EventStream(_replay(face, caller, session, encoder, known, after))


async def _resumed(face: Face, caller: Caller, wish: RunInput) -> ASGIApp:
    proposals = [await face.host.proposals.get(caller, entry.proposal) for entry in wish.resume]
    session = await face.host.sessions.get(caller, proposals[0].session)
    if wish.thread not in (session.id, session.alias) or any(proposal.session != session.id for proposal in proposals):
        raise Refusal("not_found", "There is no such proposal.")
    for proposal in proposals:
        if proposal.state == "running":
            raise undecided(already(proposal.state), proposal, caller.locale)
    known = await face.host.sessions.events(caller, session.id)
    encoder = await _encoder(face, caller, wish, session)
    return EventStream(_decided(face, caller, session, encoder, wish, proposals, known))


async def _turn(
    face: Face, caller: Caller, session: Session, encoder: Encoder, wish: RunInput, first: Sequence[Event], items: AsyncIterator[Item]
) -> AsyncGenerator[bytes, None]:
    async with aclosing(items):  # type: ignore[type-var]  # the host yields, so this is a generator
        try:
            yield frames(encoder.begin())
            if len(first) > 1:
                # The message has decided what was open; those results come with the history they belong to.
                events = await face.host.sessions.events(caller, session.id, limit=first[-1].seq)
                yield frames(encoder.snapshot(events, client_ids(events, wish.said)))
            yield frames(encoder.encode(first[-1]), first[-1])
            last: Item = first[-1]
            async for last in items:
                yield frames(encoder.encode(last), last)
            yield frames(encoder.finish(), last)
        except Exception as error:  # noqa: BLE001  # the boundary to clients; what is no refusal is logged there
            yield _broken(encoder, error)


async def _decided(
    face: Face,
    caller: Caller,
    session: Session,
    encoder: Encoder,
    wish: RunInput,
    proposals: Sequence[Proposal],
    known: Sequence[Event],
) -> AsyncGenerator[bytes, None]:
    try:
        ids = client_ids(known, wish.said)
        # Before the results, because they answer calls of an earlier run; after them, because some clients have put results of their own.
        yield frames((*encoder.begin(), *encoder.snapshot(known, ids)))
        refused = await _decide(face, caller, wish.resume, proposals)
        head = known[-1].seq
        results = _results(await face.host.sessions.events(caller, session.id, after=head))
        for event in results:
            yield frames(encoder.encode(event), event)
        if results:
            yield frames(encoder.snapshot((*known, *results), ids))
        for proposal, problem in refused.items():
            yield frames(encoder.refuse(proposal, problem))
        async with aclosing(_followed(face, caller, session, encoder, results[-1].seq if results else head)) as rest:
            async for chunk in rest:
                yield chunk
    except Exception as error:  # noqa: BLE001  # as above
        yield _broken(encoder, error)


async def _replay(
    face: Face, caller: Caller, session: Session, encoder: Encoder, known: Sequence[Event], after: int
) -> AsyncGenerator[bytes, None]:
    try:
        yield frames((*encoder.begin(), *encoder.snapshot(known)))
        async with aclosing(_followed(face, caller, session, encoder, after)) as rest:
            async for chunk in rest:
                yield chunk
    except Exception as error:  # noqa: BLE001  # as above
        yield _broken(encoder, error)


async def _followed(face: Face, caller: Caller, session: Session, encoder: Encoder, after: int) -> AsyncGenerator[bytes, None]:
    """What comes behind *after*, and the terminal event, which tells what waits for a person now."""
    last: Item | None = None
    async with aclosing(face.host.follow(caller, session.id, after=(after, 0))) as items:
        async for last in items:
            yield frames(encoder.encode(last), last)
    yield frames(encoder.finish(await _waiting(face, caller, session)), last)


async def _decide(face: Face, caller: Caller, entries: Sequence[Resume], proposals: Sequence[Proposal]) -> dict[str, Problem]:
    """Carry out every decision that was sent, whether or not the client still listens; why some were not taken, by proposal."""
    refused: dict[str, Problem] = {}
    with anyio.CancelScope(shield=True):
        for entry, proposal in zip(entries, proposals, strict=True):
            error = await _refusal(face, caller, entry, proposal)
            if error is not None:
                refused[proposal.id] = undecided(error, proposal, caller.locale)
    return refused


async def _refusal(face: Face, caller: Caller, entry: Resume, proposal: Proposal) -> Refusal | BackendError | None:
    """Why the decision was not taken; None where it was."""
    if proposal.state != "pending":
        return already(proposal.state)
    try:
        return too_late(await face.host.proposals.decide(caller, proposal.id, entry.approved, entry.code))
    except (Refusal, BackendError) as error:
        return error


async def _thread(face: Face, caller: Caller, thread: str) -> Session:
    try:
        return await face.host.sessions.get(caller, thread)
    except Refusal as refusal:
        if refusal.code != "not_found" or thread.startswith(_OWN_IDS):
            raise
    return await face.host.sessions.open(caller, thread)


async def _opening(items: AsyncIterator[Item]) -> list[Event]:
    """The first events of a turn, to the user's message: stored together, so all are there. A refusal comes instead of the first."""
    opening: list[Event] = []
    async for item in items:
        if isinstance(item, Event):
            opening.append(item)
            if isinstance(item.body, UserMessage):
                break
    return opening


async def _encoder(face: Face, caller: Caller, wish: RunInput, session: Session) -> Encoder:
    titles = await _titles(face, caller) if wish.is_one else {}
    return Encoder(
        thread=wish.thread,
        run=wish.run or wish.thread,
        is_one=wish.is_one,
        with_usage=face.with_usage,
        titles=titles,
        locale=caller.locale,
        workflow=await _states(face, caller, session),
        head=session.head,
    )


async def _states(face: Face, caller: Caller, session: Session) -> dict[str, str]:
    """Where the session's workflows stand. What moves behind its head is told as a change."""
    return await face.host.workflows.states(caller, session.id) if face.host.assistant.machines else {}


async def _titles(face: Face, caller: Caller) -> dict[str, str]:
    if not any(contract.title for contract in face.host.assistant.contracts.values()):
        return {}
    named = {contract.name: title_in(contract.title, caller.locale) for contract in await face.host.menu(caller)}
    return {name: words for name, words in named.items() if words is not None}


async def _waiting(face: Face, caller: Caller, session: Session) -> list[ParkedCall]:
    return [parked(proposal) for proposal in await face.host.proposals.list(caller, session=session.id)]


def _results(events: Sequence[Event]) -> list[Event]:
    """The events of the decisions: what comes before the turn goes on."""
    results: list[Event] = []
    for event in events:
        if not isinstance(event.body, (Decision, CallOutcome, OperatorChange)):
            break
        results.append(event)
    return results


def _after(request: Request, head: int) -> int:
    """Where the client was: the header of a reconnect before the address, and the beginning where it names nothing of this session."""
    given = request.headers.get("last-event-id") or request.query_params.get("after") or ""
    match = _POSITION.fullmatch(given)
    seq = int(match[1]) if match else 0
    return seq if seq <= head else 0


def _broken(encoder: Encoder, error: Exception) -> bytes:
    problem = problem_of(error)
    incident = problem.facts.get("incident")
    return frames(encoder.fail(problem.code, f"{problem.detail} ({incident})" if incident else problem.detail))
