"""The driver: performs a turn as a task of its own. It feeds the machine what happened and does what the machine says.

    inbox -> machine.feed -> commands -> (store, then show) -> inbox …

Beside the machine run its children: the model stream, the calls of one run, and three watchers (lease and stop flag, wall time, grace).
"""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup

from handgriff.core.batch import AppendEvent, CheckLease, OpenRequest, Operation, ReleaseLease
from handgriff.core.call import Reading
from handgriff.core.catalogue import say
from handgriff.core.events import Retrying, TurnEnded
from handgriff.core.message import Message
from handgriff.core.outcome import refused
from handgriff.core.proposal import parked
from handgriff.core.skips import CANCELLED, SKIPS
from handgriff.core.turn import (
    CallEnded,
    CancelReads,
    CloseStream,
    Command,
    End,
    Happened,
    RunCalls,
    SendRequest,
    SettleCalls,
    SkipCalls,
    SkipReason,
    StopReason,
    StopRequested,
)
from handgriff.errors import Refusal
from handgriff.ports.store import CommitRefused
from handgriff.runtime.ask import ask
from handgriff.runtime.boundary.access import Access
from handgriff.runtime.boundary.attempt import Attempt, Ended, Parked, Passed, Place
from handgriff.runtime.boundary.invoke import invoke_within
from handgriff.runtime.boundary.state import BoundState
from handgriff.runtime.engine import Engine, stored
from handgriff.runtime.metering import open_row, totals
from handgriff.runtime.turn import RunningTurn, show
from handgriff.runtime.watch import Watch


@dataclass(frozen=True, slots=True)
class TurnOver:
    """What an `on_turn_end` hook is told."""

    tenant: str
    user: str
    session: str
    turn: str
    ended: TurnEnded
    state: Reading
    """What the turn saw at its end, its own `temp:` values among it, to read."""


@dataclass(slots=True)
class Driver:
    """One turn's task."""

    engine: Engine
    turn: RunningTurn
    _inbox: list[Happened] = field(default_factory=list)
    _arrived: anyio.Event = field(default_factory=anyio.Event)
    _stream: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    _stream_done: anyio.Event = field(default_factory=anyio.Event)
    _running: dict[str, anyio.CancelScope] = field(default_factory=dict)
    """The calls of the present run. Cancelling one stops a read, and a write that has not begun."""
    _ended: TurnEnded | None = None
    _limiter: anyio.CapacityLimiter = field(init=False)

    def __post_init__(self) -> None:
        self._limiter = anyio.CapacityLimiter(self.engine.assistant.limits.parallel)

    def stop(self, reason: StopReason) -> None:
        """Ask the turn to stop."""
        self._tell(StopRequested(reason))

    async def run(self) -> TurnEnded | None:
        """Perform the turn to its terminal event; None where it could not be stored."""
        turn = self.turn
        try:
            async with anyio.create_task_group() as tasks:
                watch = Watch(self.engine, turn, self._tell)
                for each in (watch.lease, watch.time, watch.subscribers):
                    tasks.start_soon(each)
                await self._loop(tasks)
                tasks.cancel_scope.cancel()
            turn.live.end()
        except Exception as error:
            # No terminal event could be stored: whoever watches is told so, and the next access closes the turn.
            self.engine.log.exception("turn %s ended without a terminal event", turn.id)
            await self._fail(_unwrapped(error))
        except BaseException:
            turn.live.end(RuntimeError("the turn was cancelled"))
            raise
        return self._ended

    async def _fail(self, error: Exception) -> None:
        told: Exception | None = error
        try:
            if isinstance(error, CommitRefused):
                told = await self._overtaken()
        finally:
            self.turn.live.end(told)

    async def _overtaken(self) -> Refusal | None:
        """Somebody has taken the session over: whoever watches is shown the end they gave this turn, or told that there is none."""
        turn, session = self.turn, self.turn.session
        for event in await self.engine.store.events(session.tenant, session.id, after=turn.live.last_seq):
            if event.turn == turn.id:
                turn.live.store(event)
                if isinstance(event.body, TurnEnded):
                    return None
        return Refusal("conflict", "This conversation was taken over while the answer was written.", next="Load it again.")

    async def _loop(self, tasks: TaskGroup) -> None:
        machine = self.turn.machine
        commands = machine.start()
        while True:
            for command in commands:
                await self._perform(command, tasks)
            if machine.phase == "over":
                return
            commands = machine.feed(await self._next())

    async def _next(self) -> Happened:
        while not self._inbox:
            self._arrived = anyio.Event()
            await self._arrived.wait()
        return self._inbox.pop(0)

    def _tell(self, event: Happened) -> None:
        self._inbox.append(event)
        self._arrived.set()

    async def _perform(self, command: Command, tasks: TaskGroup) -> None:
        match command:
            case SendRequest():
                await self._send(command, tasks)
            case RunCalls(ids):
                self._running = {call: anyio.CancelScope() for call in ids}
                for call in ids:
                    tasks.start_soon(self._call, call)
            case SkipCalls(ids, reason):
                for call in ids:
                    self.turn.passed[call] = self._skipped(call, SKIPS[reason], reason)
            case SettleCalls(ids):
                await self._settle(ids)
            case CancelReads():
                for scope in self._running.values():
                    scope.cancel()
            case CloseStream():
                self._stream.cancel()
                await self._stream_done.wait()
            case End():
                await self._end(command)

    async def _send(self, command: SendRequest, tasks: TaskGroup) -> None:
        turn = self.turn
        self._take_results()
        self._stream, self._stream_done = anyio.CancelScope(), anyio.Event()
        if command.delay:
            tasks.start_soon(self._ask_later, command)
            return
        if turn.row is None:
            await self._open(command)
        tasks.start_soon(self._ask)

    async def _open(self, command: SendRequest) -> None:
        """Open the ledger row, together with what the round before it left to store."""
        turn = self.turn
        turn.body = turn.request(final=command.final)
        turn.row = open_row(
            self.engine, turn.session, turn=turn.id, lane_name=turn.pinned.lane, lane=turn.lane, attempt=command.attempt, body=turn.body
        )
        await self.engine.store.commit((self._guard(), OpenRequest(turn.row)))

    async def _ask_later(self, command: SendRequest) -> None:
        async def wait_and_open() -> None:
            turn, seconds = self.turn, _spread(command.delay) if command.is_spread else command.delay
            turn.live.send(Retrying(turn.rows[-1].id, command.attempt, seconds))
            await self.engine.clock.sleep(seconds)
            # A row that was opened is closed by who asks, so nothing may come in between.
            with anyio.CancelScope(shield=True):
                await self._open(command)

        await self._ask(before=wait_and_open)

    async def _ask(self, before: Callable[[], Awaitable[None]] | None = None) -> None:
        turn = self.turn
        try:
            with self._stream:
                if before is not None:
                    await before()
                if turn.row is None:
                    raise AssertionError("a request is sent only under an open ledger row")
                self._tell(await ask(self.engine, turn, turn.row, turn.body))
        finally:
            self._stream_done.set()

    async def _call(self, call: str) -> None:
        passed: Passed | None = None
        with self._running[call]:
            passed = await self._passed(call)
        if passed is None:
            passed = self._skipped(call, CANCELLED, "not_run")
        self.turn.passed[call] = passed
        code = passed.outcome.code if isinstance(passed, Ended) else None
        self._tell(CallEnded(call, code, is_parked=isinstance(passed, Parked)))

    async def _passed(self, call: str) -> Passed:
        contract = self.engine.assistant.contracts.get(self.turn.calls[call].tool)
        if contract is not None and contract.is_barrier:
            return await self.engine.boundary.pass_through(self._attempt(call))
        async with self._limiter:
            return self._within_bytes(call, await self.engine.boundary.pass_through(self._attempt(call)))

    def _attempt(self, call: str) -> Attempt:
        turn, asked = self.turn, self.turn.calls[call]
        place = Place(
            tenant=turn.session.tenant,
            user=turn.session.user,
            session=turn.session.id,
            turn=turn.id,
            wire=self.engine.wire(turn.session, asked.wire_id),
            say=turn.live.send,
            temp=turn.temp,
            guard=(self._guard(),),
        )
        return Attempt(call, asked.tool, asked.arguments, turn.caller, place, wire_id=asked.wire_id)

    def _skipped(self, call: str, refusal: Refusal, step: SkipReason) -> Ended:
        attempt = self._attempt(call)
        return self.engine.boundary.effects.ended(attempt, step, refused(refusal), "", started=self.engine.clock.monotonic())

    def _within_bytes(self, call: str, passed: Passed) -> Passed:
        """Results of one turn are bounded together; a read past the bound is refused, and says so."""
        if not isinstance(passed, Ended):
            return passed
        turn, limit = self.turn, self.engine.assistant.limits.turn_result_bytes
        turn.result_bytes += len(passed.outcome.text.encode())
        if turn.result_bytes <= limit or not passed.outcome.is_ok:
            return passed
        refusal = Refusal(
            "limit", f"The results of this answer have reached {limit} bytes.", next="Answer with what you have, or ask for less."
        )
        return self.engine.boundary.effects.ended(
            self._attempt(call), "effect", refused(refusal), passed.body.digest, started=self.engine.clock.monotonic()
        )

    async def _settle(self, ids: tuple[str, ...]) -> None:
        """Store the outcomes of a run in call order, in one commit, then show them."""
        turn, ended = self.turn, [passed for call in ids if isinstance(passed := self.turn.passed.get(call), Ended)]
        fresh = [passed for passed in ended if passed.seq is None]
        operations: list[Operation] = [operation for passed in fresh for operation in passed.ops]
        seqs = (await self.engine.store.commit((self._guard(), *operations))).seqs if operations else ()
        numbers = dict(zip((passed.event.id for passed in fresh), seqs, strict=True))
        for passed in ended:
            # A late one is news of a turn that somebody else has closed; whoever still watches is shown that end.
            if not passed.body.late:
                await show(self.engine.store, turn, stored(passed.event, passed.seq or numbers[passed.event.id]))
        if any(passed.seq is not None for passed in ended):
            await self.engine.outbox.deliver(turn.session.tenant)

    def _take_results(self) -> None:
        """The round is complete: its results become the next message, in call order."""
        turn = self.turn
        if not turn.calls:
            return
        blocks = [passed.body.wire for call in turn.calls if isinstance(passed := turn.passed[call], Ended)]
        turn.messages.append(Message("user", tuple(blocks)))
        turn.calls = {}

    async def _end(self, command: End) -> None:
        turn = self.turn
        key = command.code if command.code and command.status != "aborted" else command.status
        message = None if command.status == "done" else say(key, turn.caller.locale)
        waiting = tuple(parked(passed.proposal) for passed in turn.passed.values() if isinstance(passed, Parked))
        body = totals(turn.rows, TurnEnded(command.status, code=command.code, message=message, parked=waiting))
        event = self.engine.written(turn.id, body)
        session = turn.session
        release = ReleaseLease(session.tenant, session.id, turn.id, turn.epoch)
        committed = await self.engine.store.commit((AppendEvent(session.tenant, session.id, event), release))
        await show(self.engine.store, turn, stored(event, committed.seqs[0]))
        self._ended = body
        await self._run_hooks(TurnOver(session.tenant, session.user, session.id, turn.id, body, self._state()))

    def _state(self) -> Reading:
        turn, assistant = self.turn, self.engine.assistant
        place = Place(turn.session.tenant, turn.session.user, turn.session.id, turn.id, temp=turn.temp)
        return BoundState(self.engine.store, place, Access(assistant.limits.state), assistant.declared)

    async def _run_hooks(self, over: TurnOver) -> None:
        for hook in self.engine.assistant.turn_end_hooks:
            try:
                await invoke_within(self.engine.assistant.limits.call_seconds, hook, over)
            except Exception:
                self.engine.log.exception("on_turn_end of turn %s failed", over.turn)

    def _guard(self) -> CheckLease:
        turn = self.turn
        return CheckLease(turn.session.tenant, turn.session.id, turn.id, turn.epoch)


def _unwrapped(error: BaseException) -> Exception:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, Exception) else RuntimeError("the turn was cancelled")


def _spread(seconds: float) -> float:
    """*seconds*, varied by a half either way."""
    return seconds * random.uniform(0.5, 1.5)  # noqa: S311  # nothing secret depends on it
