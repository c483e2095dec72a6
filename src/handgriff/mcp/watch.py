"""Who must be told that their list has changed: the caller before the result, others soon after, and nobody whose list is what it was.

Below are the host, the seats and the ears; above, the handlers. It asks the same predicates that make the lists. What changes in another
process, or without a call through this face, is told with a client's next call.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup
from mcp_types import ToolListChangedNotification

from handgriff.core.caller import Caller
from handgriff.core.outcome import Outcome
from handgriff.errors import Refusal
from handgriff.host.host import Host
from handgriff.host.workflows import Offered
from handgriff.mcp.asking import Asking, Context, Principal
from handgriff.mcp.ears import Ear, Ears
from handgriff.mcp.results import LOG
from handgriff.mcp.seats import Seat, Seats
from handgriff.mcp.shown import Withheld, visible, visible_menu

EVERYBODY: Final = None
"""In place of a tenant."""


class Watch:
    """One face's."""

    def __init__(self, host: Host) -> None:
        self.seats = Seats()
        self.ears = Ears()
        self._host = host
        self._tasks: TaskGroup | None = None
        self._stirred = anyio.Event()
        self._where: set[str | None] = set()

    @asynccontextmanager
    async def running(self, server: object) -> AsyncIterator[dict[str, Any]]:
        """While the face is served. The SDK enters this once, however it is served."""
        del server
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            tasks.start_soon(self._go_round)
            try:
                yield {}
            finally:
                self._tasks = None
                self.ears.close()
                tasks.cancel_scope.cancel()

    async def take_seat(self, asking: Asking, ctx: Context) -> Seat:
        """The seat of this request."""
        engine = await self._host.engine()
        return self.seats.take(asking, ctx.session, engine.clock.monotonic())

    async def listed(self, asking: Asking, seat: Seat) -> Sequence[Offered]:
        """The varying list, which its client will have been shown.

        Raises:
            Refusal: there is no such caller.
        """
        ticket = seat.last.ticket()
        offered = await self._offered(asking)
        seat.last.listed(ticket, visible(offered))
        await self._note_rights(asking.caller, seat)
        return offered

    async def called(self, asking: Asking, seat: Seat, ctx: Context) -> None:
        """Tell the client of a call, on the stream of that call, if its list is another one than it was shown."""
        ticket = seat.last.ticket()
        now = visible(await self._offered(asking))
        if seat.last.is_news(ticket, now):
            await ctx.session.send_notification(ToolListChangedNotification(), related_request_id=ctx.request_id)
        await self._note_rights(asking.caller, seat)

    @asynccontextmanager
    async def listening(self, asking: Asking) -> AsyncIterator[Ear]:
        """Where this principal hears of changes; what they are offered now is what they know."""
        with self.ears.lent(asking.principal) as ear:
            if ear.last.told is None:
                ticket = ear.last.ticket()
                ear.withheld = Withheld.of(await self._host.caller(*asking.principal), asking.caller)
                ear.last.listed(ticket, visible_menu(await self._host.menu(asking.caller)))
            yield ear

    async def heard(self, principal: Principal) -> None:
        """Tell the caller themselves, before the result, where they listen."""
        ear = self.ears.of(principal)
        if ear is not None:
            await self._look(ear, await self._host.caller(*principal))

    def stir(self, outcome: Outcome, tenant: str) -> None:
        """Have a look, soon, at everybody whose list a call that changed something may have changed: at its tenant, where somebody's rights
        may be others now, and at all where a machine of the whole process has moved."""
        moved = outcome.moved and self._host.assistant.machines.get(outcome.moved.machine)
        self._where.add(EVERYBODY if moved and moved.instance == "process" else tenant)
        self._stirred.set()

    async def _go_round(self) -> None:
        while True:
            await self._stirred.wait()
            self._stirred = anyio.Event()
            where, self._where = self._where, set()
            for tenant in [EVERYBODY] if EVERYBODY in where else list(where):
                within_reach: tuple[Seat | Ear, ...] = (*self.seats.within_reach(tenant), *self.ears.within_reach(tenant))
                for one in within_reach:
                    await self._look_safely(one)

    async def _look_safely(self, one: Seat | Ear) -> None:
        try:
            await self._look(one, await self._host.caller(*one.principal))
        except Refusal as refusal:
            LOG.debug("a list was not looked at: %s", refusal)
        except Exception:  # noqa: BLE001  # one of many, whose list is looked at again with the next change
            LOG.exception("a list could not be looked at")

    async def _look(self, one: Seat | Ear, today: Caller) -> None:
        ticket, caller = one.last.ticket(), one.withheld.from_(today)
        match one:
            case Seat():
                offered = await self._host.workflows.offered(caller, one.alias)
                if one.last.is_news_by_the_way(ticket, visible(offered)):
                    self._tell(one)
            case Ear():
                if one.last.is_news_by_the_way(ticket, visible_menu(await self._host.menu(caller))):
                    await one.tell()

    def _tell(self, seat: Seat) -> None:
        # A client that reads nothing holds up its own stream and nobody else; what waits there already says all there is to say.
        if self._tasks is not None and not seat.is_being_told:
            seat.is_being_told = True
            self._tasks.start_soon(self._told, seat)

    async def _told(self, seat: Seat) -> None:
        try:
            if seat.session is not None:
                await seat.session.send_tool_list_changed()
        finally:
            seat.is_being_told = False

    async def _offered(self, asking: Asking) -> tuple[Offered, ...]:
        session = await self._host.sessions.open(asking.caller, asking.alias)
        return await self._host.workflows.offered(asking.caller, session.id)

    async def _note_rights(self, caller: Caller, seat: Seat) -> None:
        """Find out what this request's rights lack, once for each grant. A stream may be opened only behind it, and then it is too late."""
        if seat.grant != caller:
            seat.withheld = Withheld.of(await self._host.caller(*seat.principal), caller)
            seat.grant = caller
