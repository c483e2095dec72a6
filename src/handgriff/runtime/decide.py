"""A person decides a proposal: outside the model's reach, once, and with everything checked again."""

from dataclasses import dataclass

from handgriff.core.caller import Caller, is_id
from handgriff.core.events import CallOutcome, ProposalState
from handgriff.core.outcome import refused
from handgriff.core.proposal import already, read_grant
from handgriff.core.rows import Proposal, Session
from handgriff.core.skips import DECLINED, EXPIRED
from handgriff.core.transcript import awaits_answer
from handgriff.errors import Refusal, RefusalCode
from handgriff.ports.store import CommitRefused
from handgriff.runtime.boundary.attempt import Attempt, Ended, Place
from handgriff.runtime.engine import Engine, require
from handgriff.runtime.recover import recover


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of a proposal: its state now, the call's outcome, and whether the turn goes on."""

    proposal: Proposal
    outcome: CallOutcome
    continues: bool


async def find(engine: Engine, caller: Caller, proposal_id: str) -> Proposal:
    """The caller's own proposal.

    Raises:
        Refusal: `not_found`, one answer for unknown, foreign, other tenants' and impossible ids.
    """
    proposal = await engine.store.proposal(caller.tenant, proposal_id) if is_id(proposal_id) else None
    if proposal is None or proposal.user != caller.user:
        raise Refusal("not_found", "There is no such proposal.")
    return proposal


async def decide(engine: Engine, caller: Caller, proposal_id: str, approved: object) -> Decided:
    """Carry out or end the proposal. Only True and False decide anything.

    Raises:
        Refusal: `not_found`; `invalid` for anything but a boolean; what became of it, where it was decided already.
    """
    if not isinstance(approved, bool):
        raise Refusal("invalid", "approved: expected true or false.", fields={"approved": "expected true or false"})
    session = await recover(engine, await require(engine, caller, (await find(engine, caller, proposal_id)).session))
    proposal = await find(engine, caller, proposal_id)
    if proposal.state != "pending":
        raise already(proposal.state)
    ended = await _carried_out(engine, caller, session, proposal, approved=approved)
    await engine.outbox.deliver(proposal.tenant)
    events = await engine.store.events(session.tenant, session.id)
    return Decided(await find(engine, caller, proposal_id), ended.body, awaits_answer(events))


async def _carried_out(engine: Engine, caller: Caller, session: Session, proposal: Proposal, *, approved: bool) -> Ended:
    attempt = _attempt(engine, caller, session, proposal)
    if engine.clock.now() >= proposal.expires_at:
        return await _ended(engine, attempt, proposal, EXPIRED, by=None)
    if not approved:
        return await _ended(engine, attempt, proposal, DECLINED, by=caller.user)
    passed = await engine.boundary.pass_through(attempt)
    if not isinstance(passed, Ended):
        raise AssertionError("a confirmed call is not parked again")  # noqa: TRY004  # a promise of consent, not a type
    if not passed.ops:
        return passed
    # It was refused before it was claimed, so nothing is stored yet.
    latest = await find(engine, caller, proposal.id)
    if latest.state != "pending":
        raise already(latest.state)
    return await _store(engine, passed, proposal, by=caller.user)


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
        caller.within(read_grant(proposal.grant)),
        place,
        wire_id=proposal.wire_id,
        is_typed=proposal.typed,
        confirmed=proposal,
    )
