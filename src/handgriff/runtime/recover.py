"""What a crash left: found at the next access, settled and closed in one commit. Nothing is run again.

A turn is found by its lease that is over; a call outside a turn by its effect's lease. What had finished is kept; a claimed effect
without outcome is indeterminate; what never began is said not to have run.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Final

from handgriff.core.batch import AppendEvent, CloseRequest, HoldLease, Operation, ReleaseLease, SettleEffect
from handgriff.core.catalogue import say
from handgriff.core.claim import read_outcome, unknown
from handgriff.core.events import CallOutcome, Event, RequestedCall, TurnEnded
from handgriff.core.outcome import Outcome, refused, without_moves
from handgriff.core.proposal import parked
from handgriff.core.rows import Effect, Proposal, Request, Session
from handgriff.core.skips import NOT_RUN
from handgriff.core.transcript import open_calls
from handgriff.core.usage import Usage
from handgriff.errors import Refusal
from handgriff.ports.store import CommitRefused
from handgriff.runtime.beside import beside
from handgriff.runtime.engine import Engine
from handgriff.runtime.metering import close, totals

_TRIES = 3
"""An outcome may arrive between reading and committing; then it is read again."""
AT_ONCE: Final = 8
"""Calls of one session that are asked about at the same time. Whoever looks at it waits for the slowest, not for their sum."""


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
    # Events last: what is decided or settled while these are read has its outcome among them, or fails this commit.
    proposals = [each for each in await engine.store.proposals(session.tenant, session=session.id) if each.state in ("pending", "running")]
    effects = await engine.store.effects(session.tenant, session=session.id)
    events = await engine.store.events(session.tenant, session.id)
    rows = await engine.store.requests(session.tenant, session=session.id, turn=turn)
    closed = tuple(_abort(engine, row) for row in rows)
    operations: list[Operation] = [HoldLease(session.tenant, session.id, turn, engine.holder, lease.epoch, now, now)]
    operations += [CloseRequest(row) for row, was in zip(closed, rows, strict=True) if was.status == "open"]
    calls, by_call = open_calls(events), {effect.call: effect for effect in effects}
    # What a person decides, or has decided just now, is answered by that decision.
    held = {proposal.call for proposal in proposals}
    left = [call for call in calls if call.id not in held]
    found = await beside(left, lambda call: unanswered(engine, session, turn, call, by_call.get(call.id)), most=AT_ONCE)
    operations += chain.from_iterable(found)
    inner = {effect.call for effect in effects if effect.turn == turn and effect.proposal is None} - {call.id for call in calls}
    told = _told(events)
    found = await beside(sorted(inner), lambda call: _found_running(engine, session, by_call[call], is_told=call in told), most=AT_ONCE)
    operations += chain.from_iterable(found)
    # Whoever was asked about a call may have taken a while.
    await check_nothing_new(engine, session, events)
    waiting = tuple(parked(proposal) for proposal in proposals if proposal.turn == turn)
    ended = totals(closed, TurnEnded("interrupted", code="interrupted", message=say("interrupted", "en"), parked=waiting))
    operations.append(AppendEvent(session.tenant, session.id, engine.written(turn, ended)))
    operations.append(ReleaseLease(session.tenant, session.id, turn, lease.epoch + 1))
    return tuple(operations)


async def check_nothing_new(engine: Engine, session: Session, read: Sequence[Event]) -> None:
    """Nothing that the model is to be told has arrived behind *read*, so that no call is answered twice and no news is passed over.

    Raises:
        CommitRefused: `event`.
    """
    for event in await engine.store.events(session.tenant, session.id, after=read[-1].seq if read else 0):
        if isinstance(event.body, CallOutcome) and (event.body.wire or event.body.late):
            raise CommitRefused("event", event.id)


async def unanswered(
    engine: Engine, session: Session, turn: str | None, call: RequestedCall, effect: Effect | None
) -> tuple[Operation, ...]:
    """What to write for a call that has no outcome; a claim that nobody holds any more is settled with it."""
    if effect is not None and effect.state == "running":
        return await _found_running(engine, session, effect, wire_id=call.wire_id)
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
        return without_moves(read_outcome(effect.result))
    return refused(NOT_RUN if effect.state == "failed" else unknown())


async def _found_running(
    engine: Engine, session: Session, effect: Effect, proposal: Proposal | None = None, *, wire_id: str = "", is_told: bool = False
) -> tuple[Operation, ...]:
    """What to write for a claim that nobody holds any more: the truth, or that nobody knows. Nothing where it has its outcome.

    With *is_told* its outcome could not be settled, and was told as unknown: the truth is news then, and nothing else is said again.
    """
    if effect.state != "running":
        return ()
    truths = engine.boundary.truths
    ran = await truths.of(effect)
    if ran is not None:
        return truths.settling(effect, ran, proposal, wire=None if is_told else engine.wire(session, wire_id)(ran.outcome))
    # One that was cut back, or became something else meanwhile, is not decided.
    decided = (
        ()
        if proposal is None or proposal.state != "running"
        else engine.boundary.effects.decided(proposal, "running", "indeterminate", proposal.decided_by)
    )
    settle = SettleEffect(effect.tenant, effect.tool, effect.key, effect.claim, "indeterminate", engine.clock.now())
    if is_told:
        return (*decided, settle)
    outcome = _outcome(engine, session, effect.turn, effect.call, effect.tool, refused(unknown()), wire_id=wire_id, digest=effect.digest)
    return (*decided, settle, outcome)


def _told(events: Sequence[Event]) -> frozenset[str]:
    """The calls that have an outcome."""
    return frozenset(event.body.call for event in events if isinstance(event.body, CallOutcome))


async def _settle_abandoned(engine: Engine, session: Session) -> None:
    """Claims outside a turn whose process died: a confirmed call, or one of a program. Their own lease says when they are over.

    What was uncertain before is asked about again.
    """
    open_ones = await engine.store.unsettled(session.tenant, session=session.id)
    await beside(open_ones, lambda effect: _settle_if_abandoned(engine, session, effect), most=AT_ONCE)


async def _settle_if_abandoned(engine: Engine, session: Session, effect: Effect) -> None:
    if engine.boundary.effects.is_running(effect):
        return
    if effect.state == "indeterminate":
        await engine.boundary.truths.settle_late(effect)
        return
    is_of_this_turn = effect.proposal is None and effect.turn is not None and effect.turn == session.lease.turn
    if is_of_this_turn:
        return
    proposal = None if effect.proposal is None else await engine.store.proposal(effect.tenant, effect.proposal)
    is_told = effect.call in _told(await engine.store.events(session.tenant, session.id))
    batch = await _found_running(engine, session, effect, proposal, wire_id=proposal.wire_id if proposal else "", is_told=is_told)
    try:
        await engine.store.commit(batch, durable=True)
    except CommitRefused:
        engine.log.info("call %s was settled by somebody else", effect.call)


async def recover_deleted(engine: Engine, tenant: str, session: str) -> None:
    """What a crash left of a session that was deleted since: its effect records, whose keys still protect."""
    open_ones = await engine.store.unsettled(tenant, session=session)
    await beside(open_ones, lambda effect: _settle_deleted(engine, effect), most=AT_ONCE)


async def _settle_deleted(engine: Engine, effect: Effect) -> None:
    if engine.boundary.effects.is_running(effect):
        return
    if await engine.boundary.truths.settle_late(effect) or effect.state == "indeterminate":
        return
    settle = SettleEffect(effect.tenant, effect.tool, effect.key, effect.claim, "indeterminate", engine.clock.now())
    with suppress(CommitRefused):
        await engine.store.commit((settle,), durable=True)


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
