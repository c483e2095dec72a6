"""A person decides a proposal: outside the model's reach, once, and with everything checked again."""

from dataclasses import dataclass, replace

from handgriff.core import jsontext
from handgriff.core.caller import Caller, is_id
from handgriff.core.events import CallOutcome, ProposalState
from handgriff.core.outcome import Outcome, refused
from handgriff.core.proposal import already, read_grant
from handgriff.core.rows import Proposal, Session
from handgriff.core.skips import DECLINED, EXPIRED, WRONG_CODES
from handgriff.core.transcript import awaits_answer
from handgriff.core.undecided import PASSING
from handgriff.errors import Refusal, RefusalCode
from handgriff.ports.store import CommitRefused
from handgriff.runtime.boundary.attempt import Attempt, Ended, Place
from handgriff.runtime.boundary.codes import TRIES
from handgriff.runtime.engine import Engine
from handgriff.runtime.recover import recover


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of a proposal: its state now, the call's outcome, and whether the turn goes on."""

    proposal: Proposal
    outcome: CallOutcome
    continues: bool


async def find(engine: Engine, caller: Caller, proposal_id: str) -> Proposal:
    """The caller's own proposal, or one that they may confirm as the second person.

    Raises:
        Refusal: `not_found`, one answer for unknown, foreign, other tenants' and impossible ids.
    """
    proposal = await engine.store.proposal(caller.tenant, proposal_id) if is_id(proposal_id) else None
    if proposal is None or not await _may_still(engine, caller, proposal):
        raise Refusal("not_found", "There is no such proposal.")
    return proposal


async def decide(engine: Engine, caller: Caller, proposal_id: str, approved: object, code: object = None) -> Decided:
    """Carry out or end the proposal. Only True and False decide anything.

    Raises:
        Refusal: `not_found`; `invalid` for anything but a boolean, or where a code is demanded and none was given; `denied` for a wrong
            code, and where the owner can't be the second person; what became of it, where it was decided already; why it can't be checked
            just now. The proposal then stays as it was.
    """
    if not isinstance(approved, bool):
        raise Refusal("invalid", "approved: expected true or false.", fields={"approved": "expected true or false"})
    session = await recover(engine, await _session(engine, await find(engine, caller, proposal_id)))
    proposal = await find(engine, caller, proposal_id)
    if proposal.state != "pending":
        raise already(proposal.state)
    ended = await _carried_out(engine, caller, session, proposal, approved=approved, code=code)
    await engine.outbox.deliver(proposal.tenant)
    events = await engine.store.events(session.tenant, session.id)
    # A session may have been deleted, or cut back, while its call ran; then only the outcome is left to tell.
    gone = replace(proposal, state=_state(ended.outcome.code))
    return Decided(await engine.store.proposal(proposal.tenant, proposal.id) or gone, ended.body, awaits_answer(events))


def granted(caller: Caller, proposal: Proposal) -> Caller:
    """Under which rights a decided proposal runs: its turn's, and of its owner's deciding request no more than that grants."""
    grant = read_grant(proposal.grant)
    return caller.within(grant) if caller.user == proposal.user else grant


async def _session(engine: Engine, proposal: Proposal) -> Session:
    session = await engine.store.session(proposal.tenant, proposal.session)
    if session is None:
        raise Refusal("not_found", "There is no such proposal.")
    return session


async def _carried_out(engine: Engine, caller: Caller, session: Session, proposal: Proposal, *, approved: bool, code: object) -> Ended:
    attempt = _attempt(engine, caller, session, proposal)
    if engine.clock.now() >= proposal.expires_at:
        return await _ended(engine, attempt, proposal, EXPIRED, by=None)
    if not approved:
        return await _ended(engine, attempt, proposal, DECLINED, by=caller.user)
    if proposal.confirm == "second_person" and caller.user == proposal.user:
        raise Refusal("denied", "Another person must confirm this.", next="Ask somebody who may do the same to confirm it.")
    if proposal.confirm == "code" and not await engine.boundary.codes.is_right(proposal, code):
        return await _wrong_code(engine, attempt, proposal, by=caller.user)
    passed = await engine.boundary.pass_through(attempt)
    if not isinstance(passed, Ended):
        raise AssertionError("a confirmed call is not parked again")  # noqa: TRY004  # a promise of consent, not a type
    if not passed.ops:
        return passed
    # It was refused before it was claimed, so nothing is stored yet.
    latest = await engine.store.proposal(proposal.tenant, proposal.id)
    if latest is not None and latest.state == "running" and (passed.body.step, passed.outcome.code) == ("effect", "indeterminate"):
        # It was claimed here, and how it ended could not be stored: the next access finds it.
        return passed
    if latest is None or latest.state != "pending":
        raise already(latest.state if latest else "expired")
    if (passing := _passing(passed.outcome)) is not None:
        raise passing
    if passed.outcome.code == "denied" and not await _may_still(engine, caller, proposal):
        raise Refusal("not_found", "There is no such proposal.")
    return await _store(engine, passed, proposal, by=caller.user)


async def _may_still(engine: Engine, caller: Caller, proposal: Proposal) -> bool:
    return caller.user == proposal.user or await engine.boundary.second_person.may_be(caller, proposal)


async def _wrong_code(engine: Engine, attempt: Attempt, proposal: Proposal, *, by: str) -> Ended:
    latest = await engine.store.proposal(proposal.tenant, proposal.id)
    if latest is None or latest.state != "pending":
        raise already(latest.state if latest else "expired")
    left = TRIES - latest.code_tries
    if left > 0:
        raise Refusal("denied", "The code is wrong.", next="Use the last one that was sent.", tries_left=left)
    return await _ended(engine, attempt, proposal, WRONG_CODES, by=by)


def _passing(outcome: Outcome) -> Refusal | None:
    """What to say where the reason may be gone in a moment: it could not be checked, or the same wish is just being carried out."""
    if outcome.code is None:
        return None
    told = jsontext.loads(outcome.text)
    retry = told.get("retry_after") if isinstance(told, dict) else None
    seconds = retry if isinstance(retry, int) else None
    if not (outcome.code in PASSING or (outcome.code == "conflict" and seconds is not None)):
        return None
    message = f"{outcome.shown.summary} The proposal still waits."
    return Refusal(outcome.code, message, next=outcome.next, incident=outcome.incident, retry_after=seconds)


async def _ended(engine: Engine, attempt: Attempt, proposal: Proposal, refusal: Refusal, *, by: str | None) -> Ended:
    effects = engine.boundary.effects
    ended = effects.ended(attempt, "consent", refused(refusal), proposal.digest, started=engine.clock.monotonic())
    return await _store(engine, ended, proposal, by=by)


async def _store(engine: Engine, ended: Ended, proposal: Proposal, *, by: str | None) -> Ended:
    """The end of a proposal that was not run, with its call's outcome, in one durable commit."""
    decision = engine.boundary.effects.decided(proposal, "pending", _state(ended.outcome.code), by)
    try:
        await engine.store.commit((*decision, *ended.ops), durable=True)
    except CommitRefused:
        latest = await engine.store.proposal(proposal.tenant, proposal.id)
        raise already(latest.state if latest else "expired") from None
    return ended


def _state(code: RefusalCode | None) -> ProposalState:
    """What a proposal has become whose call ended with *code* without having been claimed."""
    match code:
        case None:
            return "done"  # the same wish was done already, and its result given again
        case "declined" | "expired" | "stale" | "indeterminate":
            return code
        case _:
            return "failed"


def _attempt(engine: Engine, caller: Caller, session: Session, proposal: Proposal) -> Attempt:
    """The stored arguments, under what the turn was granted and the deciding request grants, both."""
    place = Place(proposal.tenant, proposal.user, proposal.session, proposal.turn, wire=engine.wire(session, proposal.wire_id))
    return Attempt(
        proposal.call,
        proposal.tool,
        proposal.arguments,
        granted(caller, proposal),
        place,
        wire_id=proposal.wire_id,
        is_typed=proposal.typed,
        confirmed=proposal,
        decided_by=caller.user,
        second=caller if caller.user != proposal.user else None,
    )
