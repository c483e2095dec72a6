"""The host: an assistant joined to its store, its models and the application's objects. Every face stands on it."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from contextlib import aclosing
from datetime import timedelta
from types import TracebackType
from typing import Any, Self, TypeVar

import anyio

from handgriff.core.batch import RequestStop
from handgriff.core.caller import Caller
from handgriff.core.contract import Contract
from handgriff.core.events import Decision, Item
from handgriff.core.outcome import Outcome
from handgriff.core.rows import Session
from handgriff.core.transcript import awaits_answer
from handgriff.errors import BackendError, Refusal
from handgriff.host.adapters import Migrated
from handgriff.host.assembly import assembled
from handgriff.host.calls import call, within
from handgriff.host.effects import HostEffects
from handgriff.host.proposals import HostProposals
from handgriff.host.scratch import HostScratch
from handgriff.host.sessions import HostSessions
from handgriff.host.state import HostState
from handgriff.host.system import RandomIds, SystemClock
from handgriff.host.upkeep import Collected, Erased, collect, erase
from handgriff.host.workflows import HostWorkflows
from handgriff.ports.callers import Callers, Deps
from handgriff.ports.clock import Clock
from handgriff.ports.codes import CodeSender
from handgriff.ports.ids import Ids
from handgriff.ports.model import Model
from handgriff.ports.prices import PriceBook
from handgriff.ports.scratch import Scratch
from handgriff.ports.snapshots import SnapshotStore
from handgriff.ports.store import Store
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.begin import Said, begin, begin_again
from handgriff.runtime.boundary.resolve import look_up, menu, rights_now
from handgriff.runtime.decide import granted
from handgriff.runtime.drive import Driver
from handgriff.runtime.engine import Engine, require
from handgriff.runtime.live import START, Position
from handgriff.runtime.recover import recover
from handgriff.runtime.rounds import Rounds
from handgriff.runtime.turn import RunningTurn

T = TypeVar("T")
CALLS_ALIAS = ":calls"
"""The session behind calls that name none: one for each user."""
FOLLOW_SECONDS = 0.5
"""How often a turn that runs in another process is looked at."""


class Host:
    """An assistant, ready to be served.

    `store` is a name ("memory://", "sqlite:///shop.db", "postgresql://…") or a store itself. `scratch` is where scratch records live if not
    in the store: a name ("redis://…", "file:///folder") or a `Scratch` itself. `callers` says who somebody is today, asked at every call.
    `deps` opens the application's own objects for each call. `model` names the model where the assistant has no lanes; `models` are
    adapters to use instead of the built-in ones; `prices` come before the published ones. `codes` sends the codes that tools with
    `confirm="code"` ask for. `snapshots` keeps workflow instances elsewhere than in the store. `grace` is how many seconds a turn lives on
    without any subscriber.

    Nothing is opened before it is needed; `async with host` or `close` ends it, letting running writes finish.

    Raises:
        DefinitionError: something is missing or unknown.
    """

    def __init__(
        self,
        assistant: Assistant,
        *,
        store: str | Store = "sqlite:///handgriff.db",
        callers: Callers,
        deps: Deps | None = None,
        scratch: str | Scratch | None = None,
        model: str | None = None,
        models: Sequence[Model] = (),
        prices: PriceBook | None = None,
        codes: CodeSender | None = None,
        snapshots: SnapshotStore | None = None,
        grace: float = 30,
        clock: Clock | None = None,
        ids: Ids | None = None,
    ) -> None:
        self.assistant = assistant
        self._assembly = assembled(
            assistant,
            store=store,
            scratch=scratch,
            callers=callers,
            deps=deps,
            model=model,
            models=models,
            prices=prices,
            codes=codes,
            snapshots=snapshots,
            grace=grace,
            clock=clock or SystemClock(),
            ids=ids or RandomIds(),
        )
        self._engine: Engine | None = None
        self._opening = anyio.Lock()
        self._drivers: dict[tuple[str, str], Driver] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._rounds: asyncio.Task[None] | None = None
        self.sessions = HostSessions(self)
        self.proposals = HostProposals(self)
        self.effects = HostEffects(self)
        self.workflows = HostWorkflows(self)
        self.state = HostState(self)
        self.scratch = HostScratch(self)

    async def __aenter__(self) -> Self:
        await self.engine()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def turn(
        self,
        caller: Caller,
        session: str,
        text: str,
        *,
        hints: str | None = None,
        temp: Mapping[str, Any] | None = None,
        detach: bool = False,
    ) -> AsyncGenerator[Item, None]:
        """One turn: events and frames as they come, to the terminal event. Leaving early only unsubscribes.

        Raises:
            Refusal: `not_found`, `invalid`, `too_large`, `conversation_busy`, `permanent` where its context lacks a required key; nothing
                was stored.
            BackendError: the store failed; the turn is closed at the next access.
        """
        engine = await self.engine()
        # The lease is in the store when a turn has begun, so nothing may separate beginning from driving.
        running = await self.uncut(self._begun(engine, caller, session, Said(text, hints, temp), detach=detach))
        async with aclosing(running.live.watch()) as items:
            async for item in items:
                yield item

    async def follow(self, caller: Caller, session: str, *, after: Position = START) -> AsyncGenerator[Item, None]:
        """What was stored behind *after*, then what happens, until no turn runs.

        Raises:
            Refusal: `not_found`.
        """
        engine = await self.engine()
        opened = await recover(engine, await require(engine, caller, session))
        key = (opened.tenant, opened.id)
        if key not in engine.live:
            await self.uncut(self._taken_up(engine, caller, opened))
        while True:
            live = engine.live.get(key)
            for event in await engine.store.events(*key, after=after[0]):
                if live is None or event.seq < live.first_seq:
                    after = (event.seq, 0)
                    yield event
            if live is not None:
                async with aclosing(live.watch(after)) as items:
                    async for item in items:
                        yield item
                return
            found = await engine.store.session(*key)
            if found is None or not found.lease.is_held(engine.clock.now()):
                return
            await engine.clock.sleep(FOLLOW_SECONDS)

    async def stop(self, caller: Caller, session: str) -> bool:
        """Stop the running turn, wherever it runs; whether there was one.

        Raises:
            Refusal: `not_found`.
        """
        engine = await self.engine()
        found = await require(engine, caller, session)
        driver = self._drivers.get((found.tenant, found.id))
        if driver is not None and not driver.turn.live.is_over:
            driver.stop("stop")
            return True
        if not found.lease.is_held(engine.clock.now()) or found.lease.turn is None:
            return False
        await engine.store.commit((RequestStop(found.tenant, found.id, found.lease.turn),))
        return True

    async def call(
        self, caller: Caller, tool: str, args: Mapping[str, Any] | str, *, session: str | None = None, typed: bool = True
    ) -> Outcome:
        """One call through the boundary, by a person or a program: its arguments count as typed by the user, unless a model wrote them.

        A call that a person must confirm is refused as `unconfirmed`; its proposal waits and is named in the outcome. One whose task is
        cancelled ends where it only reads; what it has begun to write is carried through, and its outcome stored.

        Raises:
            Refusal: `not_found`; there is no such session of this caller's.
        """
        scope = anyio.CancelScope()

        async def made() -> Outcome:
            engine = await self.engine()
            found = await self.sessions.open(caller, CALLS_ALIAS) if session is None else await require(engine, caller, session)
            return await call(engine, caller, found, tool, args, typed=typed, scope=scope)

        try:
            outcome = await self.uncut(within(scope, made()))
        except anyio.get_cancelled_exc_class():
            scope.cancel()
            raise
        if outcome is None:
            raise AssertionError("only a caller that was cancelled itself gets no outcome")
        return outcome

    async def caller(self, tenant: str, user: str) -> Caller:
        """Who somebody is today, as the application says.

        Raises:
            Refusal: `not_found`; there is no such caller.
        """
        found = await look_up(self._assembly.callers, tenant, user)
        if found is None:
            raise Refusal("not_found", f"There is no caller {tenant}/{user}.")
        return found

    async def menu(self, caller: Caller) -> tuple[Contract, ...]:
        """The tools this caller is offered now, by name.

        Raises:
            Refusal: `not_found`; there is no such caller any more.
        """
        engine = await self.engine()
        return menu(self.assistant, await rights_now(self._assembly.callers, caller), engine.boundary.surroundings)

    async def erase(self, tenant: str, user: str | None = None) -> Erased:
        """Remove everything of a tenant, or of one of its users. Ledger rows stay, under a pseudonym.

        Raises:
            Refusal: `invalid`; nobody can have that name.
        """
        engine = await self.engine()
        for (owner, session), driver in list(self._drivers.items()):
            if owner == tenant and user in (None, driver.turn.session.user):
                engine.log.info("the turn of session %s is stopped, because its user is erased", session)
                driver.stop("stop")
        return await self.uncut(erase(engine, tenant, user))

    async def collect(self, *, tenant: str | None = None, idle: timedelta | None = None) -> Collected:
        """Remove expired scratch records, and with *idle* the sessions without an event for that long; of one tenant, or of all.

        Raises:
            Refusal: `invalid`; *idle* is no time.
        """
        return await collect(await self.engine(), tenant=tenant, idle=idle)

    async def migrate(self) -> Migrated:
        """Bring the store to the newest schema. Nothing else is opened, so no model's key is needed.

        Raises:
            DefinitionError: the store was given as an object; whoever made it migrates it.
            BackendError: it has a newer schema already, or can't be reached.
        """
        return await self._assembly.migrate()

    async def close(self) -> None:
        """Stop the turns that run here, let their writes finish, and close what was opened."""
        rounds, self._rounds = self._rounds, None
        if rounds is not None:
            rounds.cancel()
            await asyncio.wait([rounds])
        while self._tasks:
            for driver in self._drivers.values():
                driver.stop("shutdown")
            await asyncio.wait(self._tasks)
        engine, self._engine = self._engine, None
        if engine is not None:
            await self._assembly.close(engine)

    async def engine(self) -> Engine:
        """The runtime, opened at first use.

        Raises:
            DefinitionError: a model's key is missing, a name is unknown.
            BackendError: the store cannot be opened.
        """
        if self._engine is None:
            async with self._opening:
                if self._engine is None:
                    self._engine = await self._assembly.open()
                    self._rounds = asyncio.create_task(Rounds(self._engine).run(), name="rounds")
        return self._engine

    async def go_on(self, caller: Caller, session: Session) -> bool:
        """Begin the turn that follows the last decision of *session*, where there is one and nobody else has begun it."""
        engine = await self.engine()
        try:
            running = await begin_again(engine, caller, session.id)
        except (Refusal, BackendError) as error:
            # The decision stands; what it came to is told with the next message.
            engine.log.info("session %s goes on without a continuation: %s", session.id, error)
            return False
        if running is not None:
            self._start(engine, running)
        return running is not None

    async def uncut(self, work: Coroutine[Any, Any, T]) -> T:
        """Carry *work* through, also when whoever waits for it is cancelled; `close` waits for it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def _taken_up(self, engine: Engine, caller: Caller, session: Session) -> None:
        """Begin what follows the last decision, where a crash came in between."""
        if session.lease.is_held(engine.clock.now()):
            return
        events = await engine.store.events(session.tenant, session.id)
        last = next((event.body for event in reversed(events) if isinstance(event.body, Decision)), None)
        if last is None or not awaits_answer(events):
            return
        proposal = await engine.store.proposal(session.tenant, last.proposal)
        if proposal is not None:
            await self.go_on(granted(caller, proposal), session)

    async def _begun(self, engine: Engine, caller: Caller, session: str, said: Said, *, detach: bool) -> RunningTurn:
        running = await begin(engine, caller, session, said, detach=detach)
        self._start(engine, running)
        return running

    def _start(self, engine: Engine, running: RunningTurn) -> None:
        key = (running.session.tenant, running.session.id)
        driver = Driver(engine, running)
        engine.live[key], self._drivers[key] = running.live, driver
        task = asyncio.create_task(self._perform(driver), name=f"turn {running.id}")
        self._tasks.add(task)

        def ended(done: asyncio.Task[None]) -> None:
            self._tasks.discard(done)
            if self._drivers.get(key) is driver:
                del self._drivers[key], engine.live[key]

        task.add_done_callback(ended)

    async def _perform(self, driver: Driver) -> None:
        ended = await driver.run()
        if ended is not None and ended.status == "waiting":
            # Whoever decided before it had ended could not begin what follows.
            await self.go_on(driver.turn.caller, driver.turn.session)
