"""Items of a turn as AG-UI events: one encoder for one run, fed in order. It opens nothing and waits for nothing.

Below are events and frames; above, a response sends what comes out. A run is one connection: it begins once, ends with exactly one
terminal event, and says nothing after it. What clients of 0.0.59 cannot take (they end a run over it) is said only to those of 1.0.

    begin -> (snapshot) -> encode, encode, … -> finish | fail
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, assert_never

from handgriff.core import jsontext
from handgriff.core.catalogue import say
from handgriff.core.events import (
    AssistantMessage,
    CallOutcome,
    Decision,
    Event,
    Frame,
    Item,
    Moved,
    OperatorChange,
    ParkedCall,
    PartialMessage,
    Progress,
    ProposalState,
    RequestedCall,
    Retrying,
    SessionCreated,
    TextDelta,
    TurnEnded,
    UserMessage,
)
from handgriff.core.jsontext import Json
from handgriff.core.workflow import PROCESS
from handgriff.http.content import arguments, content, error
from handgriff.http.interrupt import VENDOR, interrupt
from handgriff.http.problems import Problem
from handgriff.http.snapshot import is_told, messages, tool_message

Encoded: TypeAlias = dict[str, Json]
"""One AG-UI event."""

PROTOCOL: Final = "1.0"


@dataclass(slots=True)
class _Message:
    """A message that is being said: what of it was sent, and what is held back."""

    id: str
    sent: str = ""
    held: str = ""


@dataclass(slots=True)
class Encoder:
    """One run of `thread`. `titles` are display names of tools; `is_replay` also tells what the client has not said itself."""

    thread: str
    run: str
    is_one: bool = False
    """Whether the client speaks protocol 1.0."""
    with_usage: bool = False
    is_replay: bool = False
    titles: Mapping[str, str] = field(default_factory=dict)
    locale: str = "en"
    """The language of words that are ours."""
    workflow: Mapping[str, str] = field(default_factory=dict)
    """Where the session's workflows stand, by machine, as of `head`."""
    head: int = 0
    _message: _Message | None = None
    _open: dict[str, str] = field(default_factory=dict)
    """Calls that were started here and have no result, with their tools."""
    _refused: dict[str, str] = field(default_factory=dict)
    """Why proposals that were decided in this run still wait."""
    _ended: TurnEnded | None = None
    _is_over: bool = False

    def begin(self) -> tuple[Encoded, ...]:
        """The first events: the run, and the state a client may see."""
        started: Encoded = {"type": "RUN_STARTED", "threadId": self.thread, "runId": self.run}
        if self.is_one:
            started["protocolVersion"] = PROTOCOL
        return started, {"type": "STATE_SNAPSHOT", "snapshot": {"workflow": dict(self.workflow), "limits": {}}}

    def snapshot(self, events: Sequence[Event], ids: Mapping[str, str] | None = None) -> tuple[Encoded, ...]:
        """The conversation so far."""
        told: Encoded = {"type": "MESSAGES_SNAPSHOT", "messages": messages(events, ids)}
        return (told | _stamp(events[-1]) if events else told,)

    def encode(self, item: Item) -> tuple[Encoded, ...]:
        """What *item* is to the client. A terminal event is kept until `finish`, because the next turn may follow in the same run."""
        if self._is_over:
            return ()
        self._ended = None
        if isinstance(item, Frame):
            return tuple(self._frame(item))
        return tuple(event | _stamp(item) for event in self._event(item))

    def refuse(self, proposal: str, problem: Problem) -> tuple[Encoded, ...]:
        """A decision of this run that was not taken. The run goes on; where the proposal still waits, it ends with the interrupt open."""
        message = self._refused[proposal] = problem.message or problem.detail
        told: dict[str, Json] = {"proposal": proposal, "code": problem.code, "message": message}
        left, state = problem.facts.get("tries_left"), problem.facts.get("state")
        told |= {"tries_left": left} if isinstance(left, int) else {}
        told |= {"state": state} if isinstance(state, str) else {}
        return (*self._hush(), _custom("refused", told))

    def finish(self, pending: Sequence[ParkedCall] | None = None) -> tuple[Encoded, ...]:
        """The terminal event. *pending* is what waits for a person now, where that may have changed since the turn ended."""
        if self._is_over:
            return ()
        ended = self._ended
        parked = ended.parked if ended else ()
        waiting = parked if pending is None else tuple(pending)
        if ended is None or ended.status in ("done", "limit", "waiting") or (waiting and self.is_replay):
            return self._last(self._finished(ended, waiting), {held.call: None for held in waiting})
        still = {held.call: held for held in parked}
        if ended.status == "aborted" and self.is_one:
            return self._last(self._run_finished({"type": "cancelled"}), still)
        code = "cancelled" if ended.status == "aborted" else ended.code or ended.status
        return self._last(_run_error(code, ended.message or "The answer failed."), still)

    def fail(self, code: str, message: str) -> tuple[Encoded, ...]:
        """The terminal event of a run that broke."""
        return () if self._is_over else self._last(_run_error(code, message), {})

    def _frame(self, frame: Frame) -> Iterable[Encoded]:
        match frame.body:
            case TextDelta(request, text):
                return self._say(request, text)
            case Progress(call, done, total, text):
                return [_custom("progress", {"toolCallId": call, "done": done, "total": total, "text": text})]
            case Retrying(_, attempt, seconds):
                return [_custom("retrying", {"attempt": attempt, "seconds": seconds})]
            case _:
                assert_never(frame.body)

    def _event(self, event: Event) -> Iterable[Encoded]:
        match event.body:
            case UserMessage() as said:
                return [*self._hush(), *(_whole(event.id, "user", said.text) if self.is_replay else ())]
            case AssistantMessage(request, text, calls=calls):
                spoken = self._complete(request, text)
                return [*spoken, *(started for call in calls for started in self._start(call, request if text.strip() else None))]
            case PartialMessage(request, text):
                return self._complete(request, text)
            case CallOutcome() as outcome:
                return [*self._hush(), *self._result(event.id, outcome), *self._moved(event.seq, outcome.moved)]
            case Decision(proposal, call, state):
                return [*self._hush(), self._decided(proposal, call, state)]
            case TurnEnded() as ended:
                return [*self._hush(), *self._end(event.id, ended)]
            case SessionCreated() | OperatorChange():
                return ()
            case _:
                assert_never(event.body)

    def _decided(self, proposal: str, call: str, state: ProposalState) -> Encoded:
        told: dict[str, Json] = {"proposal": proposal, "toolCallId": call, "state": state}
        return _custom("decision", told | {"message": say(f"state_{state}", self.locale)})

    def _say(self, request: str, text: str) -> list[Encoded]:
        """More of a message. Half a character waits for its other half, and blank space for something to stand before."""
        events: list[Encoded] = []
        message = self._message
        if message is None or message.id != request:
            events = self._hush()
            message = self._message = _Message(request)
        text = message.held + text
        split = len(text) - (1 if "\ud800" <= text[-1:] <= "\udbff" else 0)
        said, message.held = text[:split], text[split:]
        if not message.sent and not said.strip():
            message.held = text
            return events
        if not said:
            return events
        if not message.sent:
            events.append(_start_text(request, "assistant"))
        said = jsontext.clean(said)
        message.sent += said
        return [*events, _text(request, said)]

    def _complete(self, request: str, text: str) -> list[Encoded]:
        """What is left of a message, and its end."""
        message = self._message
        if message is None or message.id != request:
            return [*self._hush(), *(_whole(request, "assistant", text) if text.strip() else ())]
        rest = text[len(message.sent) :] if text.startswith(message.sent) else ""
        message.held = ""
        return [*(self._say(request, rest) if rest else ()), *self._hush()]

    def _hush(self) -> list[Encoded]:
        """Close the message that is open."""
        message, self._message = self._message, None
        return [{"type": "TEXT_MESSAGE_END", "messageId": message.id}] if message is not None and message.sent else []

    def _start(self, call: RequestedCall, parent: str | None) -> list[Encoded]:
        self._open[call.id] = call.tool
        started: Encoded = {"type": "TOOL_CALL_START", "toolCallId": call.id, "toolCallName": call.tool}
        if parent is not None:
            started["parentMessageId"] = parent
        if self.is_one and call.tool in self.titles:
            started["metadata"] = {VENDOR: {"title": self.titles[call.tool]}}
        return [
            started,
            {"type": "TOOL_CALL_ARGS", "toolCallId": call.id, "delta": arguments(call)},
            {"type": "TOOL_CALL_END", "toolCallId": call.id},
        ]

    def _result(self, event_id: str, outcome: CallOutcome) -> list[Encoded]:
        if outcome.parent is not None:
            return []
        if not is_told(outcome):
            return [_custom("late_outcome", {"toolCallId": outcome.call, **content(outcome)})]
        self._open.pop(outcome.call, None)
        told = tool_message(event_id, outcome)
        return [_returned(event_id, outcome.call, told["content"])]

    def _moved(self, seq: int, moved: Moved | None) -> list[Encoded]:
        """A transition. One with a handle of its own stands under machine and handle, because there may be many."""
        if moved is None or seq <= self.head:
            return []
        is_one = moved.snapshot is not None or moved.handle == PROCESS
        key = moved.machine if is_one else f"{moved.machine}:{moved.handle}"
        path = "/workflow/" + key.replace("~", "~0").replace("/", "~1")
        # `add` also replaces (RFC 6902, 4.1), so a client that has missed one is right again.
        return [{"type": "STATE_DELTA", "delta": [{"op": "add", "path": path, "value": moved.after}]}]

    def _end(self, event_id: str, ended: TurnEnded) -> list[Encoded]:
        self._ended = ended
        if ended.message is None or ended.status in ("done", "waiting"):
            return []
        if ended.status == "limit":
            # The user always reads an answer, and this one is the server's.
            return _whole(event_id, "assistant", ended.message)
        told: dict[str, Json] = {"status": ended.status, "code": ended.code, "message": ended.message}
        return [_custom("turn_ended", told)] if self.is_replay else []

    def _finished(self, ended: TurnEnded | None, waiting: Sequence[ParkedCall]) -> Encoded:
        if waiting:
            interrupts: list[Json] = [interrupt(parked, self.locale, self._refused.get(parked.proposal)) for parked in waiting]
            return self._run_finished({"type": "interrupt", "interrupts": interrupts})
        finished = self._run_finished({"type": "success"})
        if ended is not None and ended.status == "limit":
            finished["result"] = {"stop": ended.code or "limit"}
        return finished

    def _run_finished(self, outcome: dict[str, Json]) -> Encoded:
        return {"type": "RUN_FINISHED", "threadId": self.thread, "runId": self.run, "outcome": outcome}

    def _last(self, terminal: Encoded, parked: Mapping[str, ParkedCall | None]) -> tuple[Encoded, ...]:
        """The terminal event, behind the end of all that is open. A parked call without its proposal is answered by its interrupt."""
        closing = self._hush()
        for call in self._open:
            if call not in parked:
                told: dict[str, Json] = {"summary": "Its outcome is not known yet.", "error": error("indeterminate")}
            elif (held := parked[call]) is not None:
                told = {"summary": held.summary, "proposal": held.proposal}
            else:
                continue
            closing.append(_returned(f"{call}:open", call, jsontext.dumps(told)))
        self._is_over = True
        if self.with_usage and self._ended is not None:
            terminal["usage"] = [_usage(self._ended)]
        return *closing, terminal


def _stamp(event: Event) -> Encoded:
    return {"timestamp": int(event.at.timestamp() * 1000)}


def _custom(name: str, value: dict[str, Json]) -> Encoded:
    told: dict[str, Json] = {key: item for key, item in value.items() if item is not None}
    return {"type": "CUSTOM", "name": f"{VENDOR}.{name}", "value": told}


def _start_text(message_id: str, role: str) -> Encoded:
    return {"type": "TEXT_MESSAGE_START", "messageId": message_id, "role": role}


def _text(message_id: str, text: str) -> Encoded:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": text}


def _whole(message_id: str, role: str, text: str) -> list[Encoded]:
    return [_start_text(message_id, role), _text(message_id, text), {"type": "TEXT_MESSAGE_END", "messageId": message_id}]


def _returned(message_id: str, call: str, text: Json) -> Encoded:
    return {"type": "TOOL_CALL_RESULT", "messageId": message_id, "toolCallId": call, "role": "tool", "content": text}


def _run_error(code: str, message: str) -> Encoded:
    return {"type": "RUN_ERROR", "code": code, "message": message}


def _usage(ended: TurnEnded) -> Encoded:
    return {
        "inputTokens": ended.input_tokens,
        "outputTokens": ended.output_tokens,
        "totalTokens": ended.input_tokens + ended.output_tokens,
        "cachedInputTokens": ended.cache_read_tokens,
        "cacheWriteInputTokens": ended.cache_write_tokens,
    }
