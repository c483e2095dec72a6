"""What a crash left: found at the next access, settled and closed in one commit. Nothing is run again.

A turn is found by its lease that is over; a confirmed proposal by its effect's lease. What had finished is kept; a claimed effect
without outcome is indeterminate; what never began is said not to have run.
"""

from collections.abc import Sequence
from dataclasses import replace

from handgriff.core.batch import AppendEvent, CloseRequest, DecideProposal, HoldLease, Operation, ReleaseLease, SettleEffect
from handgriff.core.catalogue import say
from handgriff.core.claim import unknown
from handgriff.core.events import CallOutcome, Decision, Event, RequestedCall, TurnEnded
from handgriff.core.outcome import Outcome, refused
from handgriff.core.proposal import parked
from handgriff.core.rows import Effect, Proposal, Request, Session
from handgriff.core.skips import NOT_RUN
from handgriff.core.transcript import open_calls
from handgriff.core.usage import Usage
from handgriff.errors import Refusal
from handgriff.ports.store import CommitRefused
from handgriff.runtime.engine import Engine
from handgriff.runtime.metering import close, totals


async def recover(engine: Engine, session: Session) -> Session:
    """Close what a crash left of *session*; the session as it is then. A turn that still runs somewhere is left alone."""
    now = engine.clock.now()
    await _settle_proposals(engine, session)
    if session.lease.turn is None or session.lease.is_held(now):
        return session
    try:
        await engine.store.commit(await _closing(engine, session, session.lease.turn), durable=True)
    except CommitRefused:
        # Somebody else was quicker, or an outcome arrived meanwhile; what they wrote is as good.
        engine.log.info("session %s was recovered by somebody else", session.id)
    return await engine.store.session(session.tenant, session.id) or session


async def _closing(engine: Engine, session: Session, turn: str) -> tuple[Operation, ...]:
    now, lease = engine.clock.now(), session.lease
    events = await engine.store.events(session.tenant, session.id)
    proposals = {proposal.call: proposal for proposal in await engine.store.proposals(session.tenant, session=session.id, state="pending")}
    effects = {effect.call: effect for effect in await engine.store.effects(session.tenant, session=session.id)}
    rows = await engine.store.requests(session.tenant, session=session.id, turn=turn)
    closed = tuple(_abort(engine, row) for row in rows)
    operations: list[Operation] = [HoldLease(session.tenant, session.id, turn, engine.holder, lease.epoch, now, now)]
    operations += [CloseRequest(row) for row, was in zip(closed, rows, strict=True) if was.status == "open"]
    for call in open_calls(events):
        if call.id not in proposals:
            operations += unanswered(engine, session, turn, call, effects.get(call.id))
    waiting = tuple(parked(proposal) for proposal in proposals.values() if proposal.turn == turn)
    ended = totals(closed, TurnEnded("interrupted", code="interrupted", message=say("interrupted", "en"), parked=waiting))
    operations.append(AppendEvent(session.tenant, session.id, engine.written(turn, ended)))
    operations.append(ReleaseLease(session.tenant, session.id, turn, lease.epoch + 1))
    return tuple(operations)


def unanswered(engine: Engine, session: Session, turn: str | None, call: RequestedCall, effect: Effect | None) -> tuple[Operation, ...]:
    """What to write for a call that has no outcome: unknown where its effect had begun, not run otherwise."""
    if effect is None or effect.state not in ("running", "indeterminate"):
        return (_outcome(engine, session, turn, call.id, call.tool, refused(NOT_RUN), wire_id=call.wire_id, digest=""),)
    event = _outcome(engine, session, turn, call.id, call.tool, refused(unknown()), wire_id=call.wire_id, digest=effect.digest)
    if effect.state == "indeterminate":
        return (event,)
    return (SettleEffect(effect.tenant, effect.tool, effect.key, effect.claim, "indeterminate", engine.clock.now()), event)


async def _settle_proposals(engine: Engine, session: Session) -> None:
    """A confirmed call whose process died: its claim's lease is over and it has no outcome."""
    now = engine.clock.now()
    for proposal in await engine.store.proposals(session.tenant, session=session.id, state="running"):
        effect = await _effect_of(engine, proposal)
        if effect is None or effect.state != "running" or now < effect.lease_until:
            continue
        outcome = refused(unknown())
        event = _outcome(
            engine, session, proposal.turn, proposal.call, proposal.tool, outcome, wire_id=proposal.wire_id, digest=proposal.digest
        )
        decision = engine.written(proposal.turn, Decision(proposal.id, proposal.call, "indeterminate"))
        batch = (
            SettleEffect(effect.tenant, effect.tool, effect.key, effect.claim, "indeterminate", now),
            DecideProposal(proposal.tenant, proposal.id, "running", "indeterminate", now),
            AppendEvent(session.tenant, session.id, decision),
            event,
        )
        try:
            await engine.store.commit(batch, durable=True)
        except CommitRefused:
            engine.log.info("proposal %s was settled by somebody else", proposal.id)


async def _effect_of(engine: Engine, proposal: Proposal) -> Effect | None:
    effects = await engine.store.effects(proposal.tenant, session=proposal.session)
    return next((effect for effect in effects if effect.proposal == proposal.id), None)


def _outcome(
    engine: Engine, session: Session, turn: str | None, call: str, tool: str, outcome: Outcome, *, wire_id: str, digest: str
) -> AppendEvent:
    wire = engine.wire(session, wire_id)
    body = CallOutcome(
        call=call, tool=tool, step="recover", shown=outcome.shown, digest=digest, code=outcome.code, wire=wire(outcome), next=outcome.next
    )
    return AppendEvent(session.tenant, session.id, engine.written(turn, body))


def _abort(engine: Engine, row: Request) -> Request:
    """A row that was open when the process died: what was sent is estimated, what came back is unknown."""
    if row.status != "open":
        return row
    lane = engine.lanes.get(row.lane)
    estimate = max(0, row.reserved_tokens - (lane.max_tokens if lane else 0))
    return replace(close(engine, row, Usage(), status="aborted", estimate_input=estimate, estimate_output=0), aborted_by="crash")


def refuse_busy(engine: Engine, session: Session, running: Sequence[Proposal], events: Sequence[Event]) -> None:
    """Whether somebody else is at this session.

    Raises:
        Refusal: `conversation_busy`.
    """
    now = engine.clock.now()
    if session.lease.is_held(now) and session.lease.until is not None:
        raise _busy((session.lease.until - now).total_seconds())
    waiting = {call.id for call in open_calls(events)}
    if any(proposal.call in waiting for proposal in running):
        raise _busy(1)


def _busy(seconds: float) -> Refusal:
    return Refusal(
        "conversation_busy",
        "Another turn of this session runs.",
        next="Wait until it has ended, or stop it.",
        retry_after=max(1, int(seconds)),
    )
