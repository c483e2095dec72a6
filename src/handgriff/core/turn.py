"""The turn machine: fed what happened, it answers with what to do. It knows no clock, no provider and no store.

    requesting --message with calls--> calling --all ended--> requesting … --message without calls--> over
                                          `--a call is parked--> over (waiting)

Calls run in the order the model gave: runs of reads between writes run together, a write runs alone. Outcomes are settled run by run in
call order, so the order in which they arrive changes nothing. Text deltas are not fed: there is nothing to decide about them.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, assert_never

from handgriff.core.events import Stop, TurnStatus
from handgriff.core.lane import Limits
from handgriff.errors import RefusalCode

IDENTICAL_FAILURES = 3
"""The third identical failing call in a row is not run any more (specification 4, limits)."""
BACK_OFF_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 60.0
"""A provider that asks for a longer wait is told to the user instead: nobody watches a page that long."""

SkipReason: TypeAlias = Literal["cut", "not_run", "limit", "tool_limit", "repeated"]
StopReason: TypeAlias = Literal["stop", "grace", "lease", "shutdown"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A call the model asked for. `is_barrier` says that it writes; `most` is how often its tool may be called in a turn."""

    id: str
    tool: str
    arguments: str
    is_barrier: bool
    most: int | None = None


@dataclass(frozen=True, slots=True)
class MessageEnded:
    """The model's message is complete."""

    calls: tuple[Asked, ...]
    stop: Stop


@dataclass(frozen=True, slots=True)
class RequestFailed:
    """The model request failed."""

    kind: str
    is_retryable: bool
    had_content: bool
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A call has its outcome: `code` is None for success; a parked one has no result yet."""

    id: str
    code: RefusalCode | None = None
    is_parked: bool = False


@dataclass(frozen=True, slots=True)
class StopRequested:
    """Somebody wants the turn to stop."""

    reason: StopReason


@dataclass(frozen=True, slots=True)
class TimeUp:
    """The turn's wall time is over."""


Happened: TypeAlias = MessageEnded | RequestFailed | CallEnded | StopRequested | TimeUp


@dataclass(frozen=True, slots=True)
class SendRequest:
    """Send a model request, after `delay` seconds. `final` asks for words only.

    `is_spread` lets whoever waits vary the delay, so that turns that failed together do not come back together.
    """

    attempt: int = 1
    final: bool = False
    delay: float = 0.0
    is_spread: bool = False


@dataclass(frozen=True, slots=True)
class RunCalls:
    """Run these calls together."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SkipCalls:
    """Answer these calls without running them."""

    ids: tuple[str, ...]
    reason: SkipReason


@dataclass(frozen=True, slots=True)
class SettleCalls:
    """Store the outcomes of these calls, in this order, where they are not stored yet."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CancelReads:
    """Cancel the reads that run; a write is let finish."""


@dataclass(frozen=True, slots=True)
class CloseStream:
    """Close the provider's stream and keep what it had sent as a partial message."""


@dataclass(frozen=True, slots=True)
class End:
    """Store the terminal event and let go of the session."""

    status: TurnStatus
    code: str | None = None


Command: TypeAlias = SendRequest | RunCalls | SkipCalls | SettleCalls | CancelReads | CloseStream | End
Commands: TypeAlias = tuple[Command, ...]
_NOT_OVER: Commands = ()


@dataclass(slots=True)
class Turn:
    """One turn. `start` and then `feed` return the commands to perform, in order; after an `End` it answers nothing more."""

    limits: Limits
    phase: Literal["requesting", "calling", "over"] = "requesting"
    requests: int = 0
    calls: int = 0
    _attempt: int = 1
    _is_final: bool = False
    _is_closing: bool = False
    _is_late: bool = False
    _stopping: StopReason | None = None
    _runs: list[tuple[Asked, ...]] = field(default_factory=list)
    _ended: dict[str, CallEnded] = field(default_factory=dict)
    _failures: dict[tuple[str, str], int] = field(default_factory=dict)
    _used: dict[str, int] = field(default_factory=dict)

    def start(self) -> Commands:
        """The first commands: ask the model."""
        return self._request()

    def feed(self, event: Happened) -> Commands:
        """What to do now that *event* happened."""
        if self.phase == "over":
            return _NOT_OVER
        match event:
            case MessageEnded():
                return self._read(event) if self.phase == "requesting" else _NOT_OVER
            case RequestFailed():
                return self._retry_or_fail(event) if self.phase == "requesting" else _NOT_OVER
            case CallEnded():
                return self._settle(event)
            case StopRequested():
                return self._stop(event.reason)
            case TimeUp():
                return self._time_up()
            case _:
                assert_never(event)

    def _request(self) -> Commands:
        self.phase = "requesting"
        self.requests += 1
        self._attempt = 1
        self._is_final = self._is_closing or self.requests >= self.limits.model_requests
        return (SendRequest(final=self._is_final),)

    def _retry_or_fail(self, failure: RequestFailed) -> Commands:
        is_soon = failure.retry_after is None or failure.retry_after <= LONGEST_WAIT_SECONDS
        if failure.is_retryable and is_soon and not failure.had_content and self._attempt < self.limits.attempts:
            self._attempt += 1
            if failure.retry_after is not None:
                return (SendRequest(attempt=self._attempt, final=self._is_final, delay=failure.retry_after),)
            delay = BACK_OFF_SECONDS * 2 ** (self._attempt - 2)
            return (SendRequest(attempt=self._attempt, final=self._is_final, delay=delay, is_spread=True),)
        return self._end("failed", failure.kind)

    def _read(self, message: MessageEnded) -> Commands:
        if not message.calls:
            return self._answered(message.stop)
        every = tuple(call.id for call in message.calls)
        if self._is_final:
            return (SkipCalls(every, "not_run"), SettleCalls(every), *self._end("limit"))
        if message.stop == "tools":
            return self._begin_round(message.calls)
        skipped = (SkipCalls(every, "cut" if message.stop == "length" else "not_run"), SettleCalls(every))
        # Asking again helps where something was cut off, not where the model declined or can take no more.
        is_over = message.stop in ("refused", "context_full")
        return (*skipped, *(self._answered(message.stop) if is_over else self._request()))

    def _answered(self, stop: Stop) -> Commands:
        match stop:
            case "pause":
                return self._end("limit") if self._is_final else self._request()
            case "length":
                return self._end("limit", "output_limit")
            case "context_full":
                return self._end("limit", "context_full")
            case "refused":
                return self._end("failed", "model_declined")
            case "end" | "tools" | "other":
                return self._end("limit" if self._is_final else "done")
            case _:
                assert_never(stop)

    def _begin_round(self, calls: tuple[Asked, ...]) -> Commands:
        self.phase = "calling"
        self._ended = {}
        self._runs = _runs(calls)
        return self._go_on()

    def _go_on(self) -> Commands:
        """Begin the next run that has something to run; without any, the round is over."""
        commands: list[Command] = []
        while self._runs and self._stopping is None:
            commands += self._begin_run(self._runs[0])
            if not self._is_settled():
                return tuple(commands)
            commands.append(self._settled())
        return (*commands, *self._after_round())

    def _begin_run(self, run: tuple[Asked, ...]) -> Commands:
        reasons = [(call.id, self._refuse(call)) for call in run]
        skipped = [SkipCalls((call_id,), reason) for call_id, reason in reasons if reason is not None]
        running = tuple(call_id for call_id, reason in reasons if reason is None)
        self._ended |= {call_id: CallEnded(call_id, "limit") for call_id, reason in reasons if reason is not None}
        return (*skipped, RunCalls(running)) if running else tuple(skipped)

    def _refuse(self, call: Asked) -> SkipReason | None:
        if self._failures.get((call.tool, call.arguments), 0) >= IDENTICAL_FAILURES - 1:
            self._is_closing = True
            return "repeated"
        if self._is_late or self.calls >= self.limits.calls:
            self._is_closing = True
            return "limit"
        used = self._used.get(call.tool, 0)
        if call.most is not None and used >= call.most:
            return "tool_limit"
        self.calls += 1
        self._used[call.tool] = used + 1
        return None

    def _settle(self, ended: CallEnded) -> Commands:
        if self.phase != "calling" or ended.id in self._ended or ended.id not in {call.id for call in self._runs[0]}:
            return _NOT_OVER
        self._ended[ended.id] = ended
        return (self._settled(), *self._go_on()) if self._is_settled() else _NOT_OVER

    def _is_settled(self) -> bool:
        return all(call.id in self._ended for call in self._runs[0])

    def _settled(self) -> SettleCalls:
        run = self._runs.pop(0)
        self._count_failures(run)
        return SettleCalls(tuple(call.id for call in run))

    def _after_round(self) -> Commands:
        if self._stopping is not None:
            return (*self._skip_rest(), *self._end("aborted", self._stopping))
        if any(ended.is_parked for ended in self._ended.values()):
            return self._end("waiting")
        return self._request()

    def _count_failures(self, run: tuple[Asked, ...]) -> None:
        for call in run:
            ended, key = self._ended[call.id], (call.tool, call.arguments)
            if ended.code is None:
                self._failures.clear()
            else:
                # In a row: another failing call in between starts the count of this one anew.
                self._failures = {key: self._failures.get(key, 0) + 1}

    def _stop(self, reason: StopReason) -> Commands:
        if self.phase == "requesting":
            return (CloseStream(), *self._end("aborted", reason))
        if self._stopping is not None:
            return _NOT_OVER
        self._stopping = reason
        return (CancelReads(),)

    def _time_up(self) -> Commands:
        if self.phase == "requesting":
            return (CloseStream(), *self._end("limit", "time"))
        self._is_closing = self._is_late = True
        return _NOT_OVER

    def _skip_rest(self) -> Commands:
        rest = tuple(call.id for run in self._runs for call in run)
        return (SkipCalls(rest, "not_run"), SettleCalls(rest)) if rest else ()

    def _end(self, status: TurnStatus, code: str | None = None) -> Commands:
        self.phase = "over"
        return (End(status, code),)


def _runs(calls: tuple[Asked, ...]) -> list[tuple[Asked, ...]]:
    """Runs of reads between writes; each write is a run of its own."""
    runs: list[tuple[Asked, ...]] = []
    for call in calls:
        if runs and not call.is_barrier and not runs[-1][-1].is_barrier:
            runs[-1] = (*runs[-1], call)
        else:
            runs.append((call,))
    return runs
