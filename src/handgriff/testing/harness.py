"""An assistant under test: its real turn, boundary and store, a scripted provider on loopback behind the real SDK.

async with harness(assistant, caller, script=[ToolUse("list_orders", {}), "You have two."]) as chat:
    told = await chat.say("What have I ordered?")
    assert told.text == "You have two."
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from handgriff.core.caller import Caller
from handgriff.core.events import AssistantMessage, CallOutcome, Event, Item, ParkedCall, PartialMessage, TurnEnded
from handgriff.core.rows import Session
from handgriff.host.host import Host
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.ports.callers import Callers, Deps
from handgriff.ports.clock import Clock
from handgriff.ports.codes import CodeSender
from handgriff.ports.ids import Ids
from handgriff.ports.prices import PriceBook
from handgriff.ports.scratch import Scratch
from handgriff.ports.snapshots import SnapshotStore
from handgriff.ports.store import Store
from handgriff.prices.table import PriceTable
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.decide import Decided
from handgriff.runtime.live import Position
from handgriff.testing.loopback.provider import LoopbackProvider
from handgriff.testing.loopback.script import Script

MODEL = "anthropic:claude-sonnet-5"
"""The model an assistant without lanes is run with."""
PRICES = PriceTable(
    {"claude-sonnet-5": {"input": "3", "output": "15", "cache_write_5m": "3.75", "cache_write_1h": "6", "cache_read": "0.30"}},
    version="test",
)


@dataclass(frozen=True, slots=True)
class Told:
    """What one turn yielded."""

    items: tuple[Item, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """The stored ones."""
        return tuple(item for item in self.items if isinstance(item, Event))

    @property
    def text(self) -> str:
        """What the assistant said, one line a message."""
        return "\n".join(
            event.body.text for event in self.events if isinstance(event.body, (AssistantMessage, PartialMessage)) and event.body.text
        )

    @property
    def outcomes(self) -> tuple[CallOutcome, ...]:
        """How its calls ended, in the order they were stored."""
        return tuple(event.body for event in self.events if isinstance(event.body, CallOutcome))

    @property
    def ended(self) -> TurnEnded:
        """The terminal event's body; the last one, where several turns were followed."""
        return next(event.body for event in reversed(self.events) if isinstance(event.body, TurnEnded))

    @property
    def parked(self) -> tuple[ParkedCall, ...]:
        """What waits for a person."""
        return self.ended.parked


@dataclass(slots=True)
class Harness:
    """One conversation of one caller with an assistant."""

    host: Host
    provider: LoopbackProvider
    caller: Caller
    session: Session
    _seen: Position = field(default=(0, 0))

    async def say(self, text: str) -> Told:
        """Send a message and read the whole turn."""
        return self._told([item async for item in self.host.turn(self.caller, self.session.id, text)])

    async def confirm(self, proposal: str | None = None, *, code: str | None = None) -> tuple[Decided, Told]:
        """Confirm a proposal, the oldest one by default, and read what follows."""
        return await self._decide(proposal, approved=True, code=code)

    async def decline(self, proposal: str | None = None) -> tuple[Decided, Told]:
        """Decline a proposal, the oldest one by default, and read what follows."""
        return await self._decide(proposal, approved=False)

    async def events(self) -> Sequence[Event]:
        """Everything stored."""
        return await self.host.sessions.events(self.caller, self.session.id)

    async def _decide(self, proposal: str | None, *, approved: bool, code: str | None = None) -> tuple[Decided, Told]:
        waiting = [found.id for found in await self.host.proposals.list(self.caller, session=self.session.id)]
        if proposal is None and not waiting:
            raise AssertionError("nothing waits for a person")
        decided = await self.host.proposals.decide(self.caller, proposal or waiting[0], approved, code)
        return decided, self._told([item async for item in self.host.follow(self.caller, self.session.id, after=self._seen)])

    def _told(self, items: list[Item]) -> Told:
        events = [item for item in items if isinstance(item, Event)]
        if events:
            self._seen = (events[-1].seq, 0)
        return Told(tuple(items))


@asynccontextmanager
async def harness(
    assistant: Assistant,
    caller: Caller,
    *,
    script: Script = (),
    store: str | Store = "memory://",
    scratch: str | Scratch | None = None,
    callers: Callers | None = None,
    deps: Deps | None = None,
    prices: PriceBook = PRICES,
    codes: CodeSender | None = None,
    snapshots: SnapshotStore | None = None,
    grace: float = 30,
    clock: Clock | None = None,
    ids: Ids | None = None,
) -> AsyncIterator[Harness]:
    """*assistant*, talking to *caller*, with a provider that answers by *script*.

    Without *callers* the caller keeps the rights it was given, and nobody else exists.
    """

    async def only_this_one(tenant: str, user: str) -> Caller | None:
        return caller if (tenant, user) == (caller.tenant, caller.user) else None

    async with LoopbackProvider(script, clock=clock) as provider:
        model = AnthropicModel(api_key=provider.api_key, base_url=provider.url)
        try:
            async with Host(
                assistant,
                store=store,
                scratch=scratch,
                callers=callers or only_this_one,
                deps=deps,
                model=None if assistant.lanes else MODEL,
                models=[model],
                prices=prices,
                codes=codes,
                snapshots=snapshots,
                grace=grace,
                clock=clock,
                ids=ids,
            ) as host:
                yield Harness(host, provider, caller, await host.sessions.create(caller))
        finally:
            await model.close()
