"""Where written conversations are played: the shop's database, a provider on the loopback interface whose answers are scripted, the
provider's own SDK, and the assistant's host with its SQLite store. `replay` and `violate` stand on it.

The script is a queue: each request of a turn takes the next answer. Conversations are played one after another, so one provider serves all.
"""

from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from examples.retail.assistant import assistant as retail
from examples.retail.assistant import shop_at, visitors
from examples.retail.database import Database, Snapshot, load, write_json
from handgriff import Assistant, Caller, Host
from handgriff.core.events import AssistantMessage, CallOutcome, Event, Item, TurnEnded
from handgriff.core.rows import Proposal
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.ports.clock import Clock
from handgriff.testing.loopback.journal import Request
from handgriff.testing.loopback.provider import LoopbackProvider
from handgriff.testing.loopback.script import Entry, Text, ToolUse

WHOLE = 4096
"""Characters of one streamed piece: what is tested here is not the streaming, and small pieces only cost time."""


@dataclass(slots=True)
class Lines:
    """What the model will say next. With nothing left it says that it is done, so that every turn ends."""

    left: deque[Entry] = field(default_factory=deque)
    calls: int = 0

    def __call__(self, request: Request) -> Entry:  # noqa: ARG002  # the order of the script is all that counts
        """The answer to the next request."""
        return self.left.popleft() if self.left else Text("That is all.", chunk=WHOLE)

    def call(self, tool: str, arguments: Mapping[str, Any] | str) -> ToolUse:
        """A call with an id of its own, by which its outcome is found again; text as arguments is sent as it is."""
        self.calls += 1
        raw = arguments if isinstance(arguments, str) else write_json(dict(arguments))
        return ToolUse(tool, raw=raw, id=f"toolu_retail{self.calls:07d}", chunk=WHOLE)


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything a conversation needs, and the shop as it was at first."""

    host: Host
    lines: Lines
    provider: LoopbackProvider
    database: Database
    original: Snapshot

    async def visit(self, name: str) -> "Visit":
        """A new conversation, of a visitor of its own."""
        caller = Caller("retail", name)
        return Visit(self, caller, (await self.host.sessions.create(caller)).id)


@dataclass(slots=True)
class Visit:
    """One conversation of one visitor. `seen` is the last stored event that was watched."""

    stage: Stage
    caller: Caller
    session: str
    seen: int = 0

    async def say(self, text: str, rounds: Iterable[Sequence[ToolUse]] = ()) -> None:
        """The visitor writes, the model makes the calls of *rounds*, and the turn is followed to its end, or to a proposal."""
        self.stage.lines.left.clear()
        self.stage.lines.left.extend(tuple(calls) for calls in rounds)
        await self._watch(self.stage.host.turn(self.caller, self.session, text))

    async def waiting(self) -> Sequence[Proposal]:
        """What the visitor is asked to confirm."""
        return await self.stage.host.proposals.list(self.caller, session=self.session)

    async def decide(self, proposal: Proposal, *, approved: bool, rounds: Iterable[Sequence[ToolUse]] = ()) -> None:
        """The visitor decides, the model goes on with what was scripted and with *rounds*, and that turn is followed to its end."""
        self.stage.lines.left.extend(tuple(calls) for calls in rounds)
        await self.stage.host.proposals.decide(self.caller, proposal.id, approved)
        await self._watch(self.stage.host.follow(self.caller, self.session, after=(self.seen, 0)))

    async def confirm_all(self) -> None:
        """Confirm what is proposed, until nothing more is."""
        while waiting := await self.waiting():
            await self.decide(waiting[0], approved=True)

    async def events(self) -> Sequence[Event]:
        """What is stored of the conversation."""
        return await self.stage.host.sessions.events(self.caller, self.session)

    async def outcomes(self) -> Mapping[str, CallOutcome]:
        """How each call ended, by the id it was scripted with."""
        bodies = [event.body for event in await self.events()]
        scripted = {call.id: call.wire_id for body in bodies if isinstance(body, AssistantMessage) for call in body.calls}
        return {scripted[body.call]: body for body in bodies if isinstance(body, CallOutcome) and body.call in scripted}

    async def troubles(self) -> Sequence[str]:
        """Turns that did not end well, and final changes that were proposed without showing them; in words."""
        ended = [event.body for event in await self.events() if isinstance(event.body, TurnEnded)]
        badly = [f"a turn ended {body.status}: {body.message}" for body in ended if body.status not in ("done", "waiting")]
        return badly + [
            f"{card.tool} was proposed without a diff" for body in ended for card in body.parked if not card.diff and _is_final(card.tool)
        ]

    async def _watch(self, items: AsyncIterator[Item]) -> None:
        async for item in items:
            self.seen = item.seq


def _is_final(tool: str) -> bool:
    contract = retail.contract(tool)
    return contract is not None and contract.effect == "irreversible"


@asynccontextmanager
async def stage(source: str | Path, *, assistant: Assistant = retail, clock: Clock | None = None) -> AsyncIterator[Stage]:
    """Set the stage for the JSON database *source*; everything is in a folder that goes when it ends.

    Raises:
        ValueError: *source* is no database of this form.
    """
    lines = Lines()
    with TemporaryDirectory(prefix="retail-") as folder:
        path = Path(folder, "shop.sqlite")
        load(source, path)
        with closing(Database(path)) as database:
            # One request is under way at a time, and only the newest is ever looked at.
            async with LoopbackProvider(lines, keep=1) as provider:
                model = AnthropicModel(api_key=provider.api_key, base_url=provider.url)
                host = Host(
                    assistant,
                    store=f"sqlite:///{Path(folder, 'handgriff.sqlite')}",
                    callers=visitors,
                    deps=shop_at(path),
                    model="anthropic:claude-sonnet-4-5",
                    models=[model],
                    clock=clock,
                )
                try:
                    async with host:
                        yield Stage(host, lines, provider, database, database.snapshot())
                finally:
                    await model.close()
