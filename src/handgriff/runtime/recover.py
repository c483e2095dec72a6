"""What a crash left: found at the next access, settled and closed in one commit. Nothing is run again.

A turn is found by its lease that is over; a call outside a turn by its effect's lease. What had finished is kept; a claimed effect
without outcome is indeterminate; what never began is said not to have run.
"""

from collections.abc import Sequence
from dataclasses import replace

from handgriff.core.batch import AppendEvent, CloseRequest, HoldLease, Operation, ReleaseLease, SettleEffect
from handgriff.core.catalogue import say
from handgriff.core.claim import read_outcome, unknown
from handgriff.core.events import CallOutcome, Event, RequestedCall, TurnEnded
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

_TRIES = 3
"""An outcome may arrive between reading and committing; then it is read again."""


async def recover(engine: Engine, session: Session) -> Session:
    """Close what a crash left of *session*; the session as it is then. A turn that still runs somewhere is left alone."""
    for _ in range(_TRIES):
        turn = session.lease.turn
        if turn is None or session.lease.is_held(engine.clock.now()):
            break
        try:
            await engine.store.commit(await _closing(engine, session, turn), durable=True)
            engine.log.warning("turn %s of session %s was interrupted by a crash; it was closed", turn, session.id)
        except CommitRefused:
            # Somebody else was quicker, or an outcome arrived meanwhile; what is left then is looked at anew.
            engine.log.info("session %s changed while it was recovered", session.id)
        session = await engine.store.session(session.tenant, session.id) or session
    await _settle_abandoned(engine, session)
    return session


async def _closing(engine: Engine, session: Session, turn: str) -> tuple[Operation, ...]:
    now, lease = engine.clock.now(), session.lease
    events = await engine.store.events(session.tenant, session.id)
    proposals = [each for each in await engine.store.proposals(session.tenant, session=session.id) if each.state in ("pending", "running")]
    effects = await engine.store.effects(session.tenant, session=session.id)
    rows = await engine.store.requests(session.tenant, session=session.id, turn=turn)
    closed = tuple(_abort(engine, row) for row in rows)
    operations: list[Operation] = [HoldLease(session.tenant, session.id, turn, engine.holder, lease.epoch, now, now)]
    operations += [CloseRequest(row) for row, was in zip(closed, rows, strict=True) if was.status == "open"]
    calls, by_call = open_calls(events), {effect.call: effect for effect in effects}
    for call in calls:
        # What a person decides, or has decided just now, is answered by that decision.
        if call.id not in {proposal.call for proposal in proposals}:
            operations += unanswered(engine, session, turn, call, by_call.get(call.id))
    inner = {effect.call for effect in effects if effect.turn == turn and effect.proposal is None} - {call.id for call in calls}
    operations += [operation for call in sorted(inner) for operation in _unknown(engine, session, by_call[call])]
    waiting = tuple(parked(proposal) for proposal in proposals if proposal.turn == turn)
    ended = totals(closed, TurnEnded("interrupted", code="interrupted", message=say("interrupted", "en"), parked=waiting))
    operations.append(AppendEvent(session.tenant, session.id, engine.written(turn, ended)))
    operations.append(ReleaseLease(session.tenant, session.id, turn, lease.epoch + 1))
    return tuple(operations)


def unanswered(engine: Engine, session: Session, turn: str | None, call: RequestedCall, effect: Effect | None) -> tuple[Operation, ...]:
    """What to write for a call that has no outcome; a claim that nobody holds any more is settled with it."""
    if effect is not None and effect.state == "running":
        return _unknown(engine, session, effect, wire_id=call.wire_id)
    return (answered(engine, session, turn, call, effect),)


def answered(engine: Engine, session: Session, turn: str | None, call: RequestedCall, effect: Effect | None) -> AppendEvent:
    """The outcome of a call that has none: what its effect record says, or that it was not run."""
    digest = effect.digest if effect else ""
    return _outcome(engine, session, turn, call.id, call.tool, _known(effect), wire_id=call.wire_id, digest=digest)


def _known(effect: Effect | None) -> Outcome:
    if effect is None:
        return refused(NOT_RUN)
    # A history that was cut back may lack an outcome that its effect still has.
    if effect.state in ("done", "failed") and effect.result is not None:
        return read_outcome(effect.result)
    return refused(NOT_RUN if effect.state == "failed" else unknown())


def _unknown(engine: Engine, session: Session, effect: Effect, *, wire_id: str = "") -> tuple[Operation, ...]:
    """What to write for a claim that nobody holds any more; nothing where it has its outcome."""
    if effect.state != "running":
        return ()
    settle = SettleEffect(effect.tenant, effect.tool, effect.key, effect.claim, "indeterminate", engine.clock.now())
    return (
        settle,
        _outcome(engine, session, effect.turn, effect.call, effect.tool, refused(unknown()), wire_id=wire_id, digest=effect.digest),
    )


async def _settle_abandoned(engine: Engine, session: Session) -> None:
    """Claims outside a turn whose process died: a confirmed call, or one of a program. Their own lease says when they are over."""
    for effect in await engine.store.effects(session.tenant, session=session.id, state="running"):
        is_of_this_turn = effect.proposal is None and effect.turn is not None and effect.turn == session.lease.turn
        if not effect.is_abandoned(engine.clock.now()) or is_of_this_turn:
            continue
        proposal = None if effect.proposal is None else await engine.store.proposal(effect.tenant, effect.proposal)
        batch: tuple[Operation, ...] = _unknown(engine, session, effect, wire_id=proposal.wire_id if proposal else "")
        if proposal is not None:
            batch = (*engine.boundary.effects.decided(proposal, "running", "indeterminate", None), *batch)
        try:
            await engine.store.commit(batch, durable=True)
        except CommitRefused:
            engine.log.info("call %s was settled by somebody else", effect.call)


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


def refuse_busy(engine: Engine, session: Session, *, running: Sequence[Proposal] = (), events: Sequence[Event] = ()) -> None:
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


def refuse_writing(running: Sequence[Effect]) -> None:
    """Whether a write of this session is being carried out.

    Raises:
        Refusal: `conversation_busy`.
    """
    if running:
        raise _busy(1)


def _busy(seconds: float) -> Refusal:
    return Refusal(
        "conversation_busy",
        "Another turn of this session runs.",
        next="Wait until it has ended, or stop it.",
        retry_after=max(1, int(seconds)),
    )
