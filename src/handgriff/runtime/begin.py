"""The beginning of a turn: what a crash left is closed, open proposals are superseded, lane and prefix are pinned, and one durable commit
holds lease, user message and the first ledger row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain
from typing import Any

from handgriff.core import jsontext
from handgriff.core.batch import AppendEvent, DecideProposal, HoldLease, IntroduceTyped, KeepPrefix, OpenRequest, Operation, PinSession
from handgriff.core.caller import Caller
from handgriff.core.envelope import enclose
from handgriff.core.events import (
    AssistantMessage,
    CallOutcome,
    Decision,
    Event,
    ProposalState,
    RequestedCall,
    TextPart,
    UserMessage,
    Written,
)
from handgriff.core.jsontext import Json
from handgriff.core.lane import Lane
from handgriff.core.message import HostedFace, Message
from handgriff.core.outcome import refused
from handgriff.core.prompt import face, prefix_hash, shared_instructions
from handgriff.core.requirement import holds
from handgriff.core.rows import Pinned, Proposal, Session
from handgriff.core.scope import parse_key
from handgriff.core.skips import EXPIRED, SUPERSEDED
from handgriff.core.state import check_value
from handgriff.core.transcript import awaits_answer, news, open_calls, transcript
from handgriff.core.turn import Turn
from handgriff.core.workflow import moved_fact
from handgriff.errors import BackendError, DefinitionError, Refusal
from handgriff.ports.model import Model
from handgriff.ports.store import CommitRefused
from handgriff.runtime.beside import beside
from handgriff.runtime.boundary.resolve import menu, rights_now
from handgriff.runtime.context import Changes, changes, freeze
from handgriff.runtime.engine import LEASE_SECONDS, Engine, require, stored
from handgriff.runtime.live import Live
from handgriff.runtime.metering import open_row
from handgriff.runtime.recover import AT_ONCE, check_nothing_new, recover, refuse_busy, unanswered
from handgriff.runtime.steering import steering
from handgriff.runtime.turn import RunningTurn, show

_TRIES = 3
"""A decision or another turn may slip in between reading and committing; then it is read again."""
_TITLE = 80


@dataclass(frozen=True, slots=True)
class Said:
    """What a user sends: text, untrusted hints of the client, and the request's own temporary values."""

    text: str
    hints: str | None = None
    temp: Mapping[str, Any] | None = None


async def begin(engine: Engine, caller: Caller, session_id: str, said: Said, *, detach: bool) -> RunningTurn:
    """Begin a turn with a user's message.

    Raises:
        Refusal: `not_found`, `invalid` (no text), `too_large`, `conversation_busy`, `permanent` (the context can't be filled in).
        DefinitionError: a temporary value is none.
        BackendError: the store failed, or the session's lane has no model here.
    """
    text = _checked(engine, said.text)
    hints = _bounded(engine, said.hints, "The hints have") if said.hints and said.hints.strip() else None
    checked = replace(said, text=text, hints=hints, temp=_temporary(engine, said.temp or {}))
    running = await _begun(engine, caller, session_id, checked, detach=detach)
    if running is None:
        raise AssertionError("a message is always something to go on with")
    return running


async def begin_again(engine: Engine, caller: Caller, session_id: str) -> RunningTurn | None:
    """Begin the turn that goes on after the last decision; None where there is nothing to go on with."""
    return await _begun(engine, caller, session_id, None, detach=False)


async def _begun(engine: Engine, caller: Caller, session_id: str, said: Said | None, *, detach: bool) -> RunningTurn | None:
    for attempt in range(_TRIES):
        session = await recover(engine, await require(engine, caller, session_id))
        # Asked at every try: whoever was quicker may have gone on to the end meanwhile.
        if said is None and not awaits_answer(await engine.store.events(session.tenant, session.id)):
            return None
        try:
            return await _try(engine, caller, session, said, detach=detach)
        except CommitRefused as refused_commit:
            if attempt == _TRIES - 1 or refused_commit.guard not in ("lease", "proposal", "effect", "session", "event"):
                break
    raise Refusal("conversation_busy", "Another turn of this session runs.", next="Wait until it has ended, or stop it.", retry_after=1)


async def _try(engine: Engine, caller: Caller, session: Session, said: Said | None, *, detach: bool) -> RunningTurn:
    await engine.outbox.deliver(session.tenant)
    # Pending ones first, events last: what is decided from here on is seen as running, or has its outcome among the events, or fails this
    # turn's commit.
    pending = await engine.store.proposals(session.tenant, session=session.id, state="pending")
    running = await engine.store.proposals(session.tenant, session=session.id, state="running")
    events = await engine.store.events(session.tenant, session.id)
    refuse_busy(engine, session, running=running, events=events)
    turn_id = engine.ids.new("turn")
    pinned, prefix, pin = await _pin(engine, caller, session, said)
    changed = await changes(engine, session, pinned, events) if said is not None and session.pinned is not None else Changes()
    steered = await steering(engine, caller, session, events) if said is not None else Changes()
    session = replace(session, pinned=pinned)
    closing = await _close_open_calls(engine, session, events, pending, turn_id) if said is not None else ()
    user = _user_message(engine, pinned, turn_id, said, events, changed, steered) if said is not None else None
    model = _model(engine, pinned)
    lane = pinned.settings or engine.lanes[pinned.lane]
    turn = RunningTurn(
        id=turn_id,
        caller=caller,
        session=session,
        epoch=session.lease.epoch + 1,
        pinned=pinned,
        lane=lane,
        model=model,
        prefix=prefix,
        parallel=_parallel(engine, lane),
        machine=Turn(engine.assistant.limits),
        live=Live(turn_id),
        messages=_history(events, closing, user),
        temp=dict(said.temp or {}) if said is not None else {},
        detach=detach,
        wire_ids={call.wire_id for event in events if isinstance(event.body, AssistantMessage) for call in event.body.calls},
    )
    # Making ready may take a while: it asks the application.
    await check_nothing_new(engine, session, events)
    await _commit(engine, turn, pin, closing, user, said)
    return turn


async def _commit(
    engine: Engine, turn: RunningTurn, pin: Sequence[Operation], closing: Sequence[Operation], user: Written | None, said: Said | None
) -> None:
    session, now = turn.session, engine.clock.now()
    turn.body = turn.request(final=engine.assistant.limits.model_requests == 1)
    turn.row = open_row(engine, session, turn=turn.id, lane_name=turn.pinned.lane, lane=turn.lane, attempt=1, body=turn.body)
    lease = HoldLease(session.tenant, session.id, turn.id, engine.holder, session.lease.epoch, now, now + timedelta(seconds=LEASE_SECONDS))
    operations: list[Operation] = [lease, *pin, *closing]
    if user is not None and said is not None:
        operations += [AppendEvent(session.tenant, session.id, user), IntroduceTyped(session.tenant, session.id, said.text)]
    committed = await engine.store.commit((*operations, OpenRequest(turn.row)), durable=True)
    turn.live.begin_after(session.head)
    written = [operation.event for operation in operations if isinstance(operation, AppendEvent)]
    for event, seq in zip(written, committed.seqs, strict=True):
        await show(engine.store, turn, stored(event, seq))


def _history(events: Sequence[Event], closing: Sequence[Operation], user: Written | None) -> list[Message]:
    fresh = [operation.event for operation in closing if isinstance(operation, AppendEvent)] + ([user] if user else [])
    seq = events[-1].seq if events else 0
    return list(transcript([*events, *(stored(event, seq + index + 1) for index, event in enumerate(fresh))]))


async def _close_open_calls(
    engine: Engine, session: Session, events: Sequence[Event], pending: Sequence[Proposal], turn: str
) -> tuple[Operation, ...]:
    """A new message decides what was open: proposals are superseded, anything else is said to be unknown or not run."""
    calls = open_calls(events)
    if not calls:
        return ()
    proposals = {proposal.call: proposal for proposal in pending}
    effects = {effect.call: effect for effect in await engine.store.effects(session.tenant, session=session.id)}

    async def closed(call: RequestedCall) -> tuple[Operation, ...]:
        if call.id in proposals:
            return _supersede(engine, session, proposals[call.id], turn)
        return await unanswered(engine, session, turn, call, effects.get(call.id))

    return tuple(chain.from_iterable(await beside(calls, closed, most=AT_ONCE)))


def _supersede(engine: Engine, session: Session, proposal: Proposal, turn: str) -> tuple[Operation, ...]:
    # Nobody confirmed in time, or the user wrote something else instead: the model is told which.
    is_expired = engine.clock.now() >= proposal.expires_at
    state: ProposalState = "expired" if is_expired else "superseded"
    outcome = refused(EXPIRED if is_expired else SUPERSEDED)
    body = CallOutcome(
        call=proposal.call,
        tool=proposal.tool,
        step="consent",
        shown=outcome.shown,
        digest=proposal.digest,
        code=outcome.code,
        wire=engine.wire(session, proposal.wire_id)(outcome),
        next=outcome.next,
        proposal=proposal.id,
    )
    return (
        DecideProposal(proposal.tenant, proposal.id, "pending", state, engine.clock.now()),
        AppendEvent(session.tenant, session.id, engine.written(turn, Decision(proposal.id, proposal.call, state))),
        AppendEvent(session.tenant, session.id, engine.written(turn, body)),
    )


async def _pin(engine: Engine, caller: Caller, session: Session, said: Said | None) -> tuple[Pinned, str, tuple[Operation, ...]]:
    """The session's lane and prefix: what it has for life, or, in its first turn, what it gets."""
    if session.pinned is not None:
        prefix = await engine.store.prefix(session.tenant, session.pinned.prefix)
        if prefix is None:
            raise BackendError("store", "reading a kept prefix", hint=f"Session {session.id} has lost it.") from LookupError(
                session.pinned.prefix
            )
        return session.pinned, prefix, ()
    assistant, today = engine.assistant, await rights_now(engine.boundary.callers, caller)
    lane_name, lane = next(iter(engine.lanes.items()))
    model = engine.models[lane.provider]
    tools = [face(contract, model.wire.dialect) for contract in menu(assistant, today, engine.boundary.surroundings)]
    hosted = [
        HostedFace(tool.name)
        for tool in assistant.hosted
        if all(holds(requirement, today, engine.boundary.surroundings) for requirement in tool.requires)
    ]
    prefix = model.wire.prefix(
        tools=tools, hosted=hosted, instructions=shared_instructions(assistant.instructions, _text(assistant.capabilities))
    )
    nonce = engine.ids.new("nonce")
    settings = replace(lane, parallel=_parallel(engine, lane))
    context, told = await freeze(engine, session, nonce)
    pinned = Pinned(lane_name, lane.provider, prefix_hash(prefix), context, nonce, settings, told)
    title = session.title or (_title(said.text) if said else None)
    return pinned, prefix, (KeepPrefix(session.tenant, pinned.prefix, prefix), PinSession(session.tenant, session.id, pinned, title))


def _user_message(
    engine: Engine, pinned: Pinned, turn: str, said: Said, events: Sequence[Event], changed: Changes, steered: Changes
) -> Written:
    model = _model(engine, pinned)
    texts = [_news(engine, outcome, pinned.nonce) for outcome in news(events)]
    if changed.text is not None:
        texts.append(changed.text)
    if steered.text is not None:
        texts.append(steered.text)
    texts.append(said.text)
    if said.hints:
        texts.append("The client sent these hints:\n" + enclose(jsontext.dumps({"hints": said.hints}), pinned.nonce))
    return engine.written(turn, UserMessage((TextPart(said.text),), tuple(map(model.wire.text, texts)), changed.told, steered.told))


def _news(engine: Engine, outcome: CallOutcome, nonce: str) -> str:
    told: dict[str, Json] = {"tool": outcome.tool, "call": outcome.call, "ended": outcome.code or "done", "summary": outcome.shown.summary}
    if outcome.moved is not None:
        told["workflow"] = moved_fact(engine.assistant.machines.get(outcome.moved.machine), outcome.moved)
    return "A call whose outcome had been unknown has ended:\n" + enclose(jsontext.dumps(told), nonce)


def _model(engine: Engine, pinned: Pinned) -> Model:
    model = engine.model(pinned.provider)
    if model is None or pinned.lane not in engine.lanes:
        cause = LookupError(f"lane {pinned.lane!r} of {pinned.provider!r}")
        raise BackendError(
            "models", "opening the session's lane", hint=f"The session keeps lane {pinned.lane!r}; this host does not serve it."
        ) from cause
    return model


def _parallel(engine: Engine, lane: Lane) -> bool:
    if lane.parallel is not None:
        return lane.parallel
    return not any(contract.is_barrier for contract in engine.assistant.contracts.values())


def _checked(engine: Engine, text: object) -> str:
    if not isinstance(text, str) or not text.strip():
        raise Refusal("invalid", "The message is empty.", next="Write something.")
    return _bounded(engine, text, "The message has")


def _bounded(engine: Engine, text: str, has: str) -> str:
    limit, cleaned = engine.assistant.limits.message_bytes, jsontext.clean(text)
    size = len(cleaned.encode())
    if size > limit:
        raise Refusal("too_large", f"{has} more than {limit} bytes.", next="Write less, or in parts.", total=size)
    return cleaned


def _temporary(engine: Engine, given: Mapping[str, Any]) -> Mapping[str, str]:
    """The request's own values as JSON texts, by names without their prefix; a name or value that state would refuse is refused here."""
    declared, limits = engine.assistant.declared, engine.assistant.limits.state
    texts: dict[str, str] = {}
    for name, value in given.items():
        key = parse_key(f"temp:{name}")
        kept = value if declared is None else declared.check(str(key), value)
        texts[key.name] = check_value("host.turn", str(key), kept, limits, is_stored=False)
    return texts


def _text(capabilities: object) -> str | None:
    if capabilities is None or isinstance(capabilities, str):
        return capabilities
    raise DefinitionError("Assistant", "capabilities", "they are no text.", mend="give Markdown text, or a Path to it.")


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1]}…"
