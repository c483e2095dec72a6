"""One model request: opened in the ledger, streamed, closed in every case. What had come when it failed or was stopped is kept."""

from dataclasses import dataclass, replace

import anyio

from handgriff.core import jsontext
from handgriff.core.batch import AppendEvent, CheckLease, CloseRequest, Operation
from handgriff.core.estimate import estimate_tokens
from handgriff.core.events import AssistantMessage, PartialMessage, RequestedCall, TextDelta, Written
from handgriff.core.message import Message
from handgriff.core.rows import Request, RequestStatus
from handgriff.core.skips import PARTIAL_NOTE
from handgriff.core.turn import Asked, MessageEnded, RequestFailed
from handgriff.core.usage import Usage
from handgriff.ports.model import Ended, ModelFault, Started, Text, Working
from handgriff.ports.store import CommitRefused
from handgriff.runtime.engine import Engine, stored
from handgriff.runtime.metering import close, estimate_input
from handgriff.runtime.turn import RunningTurn, show


@dataclass(slots=True)
class _Received:
    """What a stream has brought so far."""

    text: list[str]
    usage: Usage
    model: str | None = None
    has_content: bool = False
    first_token_us: int | None = None
    ended: Ended | None = None


async def ask(engine: Engine, turn: RunningTurn, row: Request, body: bytes) -> MessageEnded | RequestFailed:
    """Send *body*, whose ledger row is open, and tell what became of it. Cancelling it closes the stream, the row and the message."""
    received = _Received([], Usage())
    started = engine.clock.monotonic()
    status: RequestStatus = "aborted"
    fault: ModelFault | None = None
    try:
        await _receive(engine, turn, row, body, received, started)
        status = "ok"
    except ModelFault as raised:
        status, fault = "failed", raised
        engine.log.warning("request %s of turn %s failed: %s", row.id, turn.id, raised)
    finally:
        # Neither a stop nor a client that has gone may skip this: the row is closed, and it is waited for.
        with anyio.CancelScope(shield=True):
            closed = _closed(engine, row, body, received, status, fault, started)
            ended = await _keep(engine, turn, closed, received)
    if fault is not None:
        return RequestFailed(fault.kind, fault.is_retryable, received.has_content, fault.retry_after)
    if ended is None:
        raise AssertionError("a stream without its end raises ModelFault")
    return ended


async def _receive(engine: Engine, turn: RunningTurn, row: Request, body: bytes, received: _Received, started: float) -> None:
    send, text = turn.live.send, received.text
    async with turn.model.stream(turn.lane, body) as events:
        async for event in events:
            match event:
                case Text():
                    if not received.has_content:
                        _first(engine, received, started)
                    text.append(event.text)
                    send(TextDelta(row.id, event.text))
                case Working():
                    if event.is_content and not received.has_content:
                        _first(engine, received, started)
                case Started():
                    received.model, received.usage = event.model, event.usage
                case Ended():
                    received.ended, received.usage = event, event.usage
    if received.ended is not None and any(call.wire_id in turn.wire_ids for call in received.ended.answer.calls):
        # No provider takes such a history back, so the message is not kept.
        received.ended = None
        raise ModelFault("broken_stream", is_retryable=False, detail="a call's id stood in the history already", usage=received.usage)
    if received.ended is None:
        raise ModelFault("broken_stream", is_retryable=True, detail="the adapter ended without Ended", usage=received.usage)


def _first(engine: Engine, received: _Received, started: float) -> None:
    received.has_content = True
    received.first_token_us = int((engine.clock.monotonic() - started) * 1_000_000)


def _closed(
    engine: Engine, row: Request, body: bytes, received: _Received, status: RequestStatus, fault: ModelFault | None, started: float
) -> Request:
    usage = fault.usage if fault is not None and fault.usage.reported else received.usage
    # A request the provider turned away before it began has used nothing; one that was cut has used what can only be estimated.
    was_taken = received.model is not None or status == "aborted"
    closed = close(
        engine,
        row,
        usage,
        status="ok" if status == "ok" else "failed" if status == "failed" else "aborted",
        estimate_input=estimate_input(body) if was_taken else 0,
        estimate_output=estimate_tokens("".join(received.text)) if was_taken else 0,
        served_model=received.model,
    )
    return replace(
        closed,
        estimated=closed.estimated and was_taken,
        cost_pico=closed.cost_pico if was_taken else 0,
        aborted_by="stop" if status == "aborted" else None,
        first_token_us=received.first_token_us,
        duration_us=int((engine.clock.monotonic() - started) * 1_000_000),
        miss_reason=received.ended.miss_reason if received.ended else None,
    )


async def _keep(engine: Engine, turn: RunningTurn, closed: Request, received: _Received) -> MessageEnded | None:
    """Store the message with its row closed, in one commit."""
    turn.rows.append(closed)
    turn.row = None
    event, calls = _message(engine, turn, closed, received)
    operations: list[Operation] = [CloseRequest(closed)]
    if event is not None:
        guard = CheckLease(turn.session.tenant, turn.session.id, turn.id, turn.epoch)
        operations = [guard, AppendEvent(turn.session.tenant, turn.session.id, event), *operations]
    try:
        committed = await engine.store.commit(tuple(operations))
    except CommitRefused:
        # The session is somebody else's by now. The message is refused; what it cost is not forgotten.
        await engine.store.commit((CloseRequest(closed),))
        raise
    if event is not None:
        await show(engine.store, turn, stored(event, committed.seqs[0]))
    if received.ended is None:
        return None
    answer = received.ended.answer
    # A call whose block never ended is cut, whatever the provider gives as its reason.
    is_cut = answer.stop == "tools" and not all(call.is_closed for call in answer.calls)
    return MessageEnded(calls, "length" if is_cut else answer.stop)


def _message(engine: Engine, turn: RunningTurn, closed: Request, received: _Received) -> tuple[Written | None, tuple[Asked, ...]]:
    if received.ended is None:
        return _partial(engine, turn, closed, "".join(received.text)), ()
    answer = received.ended.answer
    calls = tuple(RequestedCall(engine.ids.new("call"), call.wire_id, call.tool, jsontext.clean(call.arguments)) for call in answer.calls)
    turn.calls = {call.id: call for call in calls}
    turn.wire_ids.update(call.wire_id for call in calls)
    turn.passed = {}
    if answer.blocks:
        turn.messages.append(Message("assistant", answer.blocks))
    body = AssistantMessage(closed.id, jsontext.clean(answer.text), answer.stop, answer.blocks, calls)
    return engine.written(turn.id, body), tuple(_asked(engine, call) for call in calls)


def _partial(engine: Engine, turn: RunningTurn, closed: Request, text: str) -> Written | None:
    if not text.strip():
        return None
    wire = (turn.model.wire.text(f"{jsontext.clean(text)}\n{PARTIAL_NOTE}"),)
    turn.messages.append(Message("assistant", wire))
    return engine.written(turn.id, PartialMessage(closed.id, jsontext.clean(text), wire))


def _asked(engine: Engine, call: RequestedCall) -> Asked:
    contract = engine.assistant.contracts.get(call.tool)
    if contract is None:
        return Asked(call.id, call.tool, call.arguments, is_barrier=False)
    return Asked(call.id, call.tool, call.arguments, contract.is_barrier, contract.limits.calls)
