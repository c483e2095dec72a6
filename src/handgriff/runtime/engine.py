"""What every part of the runtime works with: one host's assistant, store, models, clock and ids."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from handgriff.core.caller import Caller, is_id
from handgriff.core.envelope import enclose
from handgriff.core.events import Body, Event, Written
from handgriff.core.lane import Lane
from handgriff.core.outcome import Outcome
from handgriff.core.rows import Session
from handgriff.errors import Refusal
from handgriff.ports.clock import Clock
from handgriff.ports.ids import Ids
from handgriff.ports.model import Model
from handgriff.ports.prices import PriceBook
from handgriff.ports.store import Store
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.boundary.hooks import Outbox
from handgriff.runtime.boundary.pipeline import Boundary
from handgriff.runtime.boundary.workflows import Workflows
from handgriff.runtime.live import Live
from handgriff.runtime.notebooks import Notebooks

LEASE_SECONDS = 30.0
RENEW_SECONDS = 10.0
"""A session's lease and how often it is prolonged (specification 5.2)."""


@dataclass(slots=True)
class Engine:
    """One host's runtime. `live` holds the turns that run in this process, by (tenant, session)."""

    assistant: Assistant
    store: Store
    boundary: Boundary
    lanes: dict[str, Lane]
    models: dict[str, Model]
    """By provider."""
    prices: PriceBook
    clock: Clock
    ids: Ids
    holder: str
    grace: float
    outbox: Outbox
    notebooks: Notebooks
    live: dict[tuple[str, str], Live] = field(default_factory=dict)
    log: logging.Logger = field(default_factory=lambda: logging.getLogger("handgriff.turn"))

    @property
    def workflows(self) -> Workflows:
        """The kept instances of machines."""
        return self.boundary.effects.workflows

    def model(self, provider: str) -> Model | None:
        """The adapter of *provider*, where this host has one."""
        return self.models.get(provider)

    def written(self, turn: str | None, body: Body, *, at: datetime | None = None) -> Written:
        """An event on its way to the store."""
        return Written(self.ids.new("event"), turn, at or self.clock.now(), body)

    def wire(self, session: Session, wire_id: str) -> Callable[[Outcome], str]:
        """How an outcome of *session* is written for its pinned lane; empty text where no model reads it."""
        pinned = session.pinned
        model = self.model(pinned.provider) if pinned else None
        if pinned is None or model is None or not wire_id:
            return lambda _: ""
        wire, nonce = model.wire, pinned.nonce
        return lambda outcome: wire.result(wire_id, enclose(outcome.text, nonce), is_error=not outcome.is_ok)


def stored(written: Written, seq: int) -> Event:
    """*written*, with the seq the store gave it."""
    return Event(seq, written.id, written.turn, written.at, written.body)


async def require(engine: Engine, caller: Caller, session: str) -> Session:
    """The caller's own session, by its id or by the client's own name for it.

    Raises:
        Refusal: `not_found`, one answer for unknown, foreign, other tenants' and impossible ids.
    """
    found = await engine.store.session(caller.tenant, session) if is_id(session) else None
    if found is None or found.user != caller.user:
        # Aliases are each user's own, so a foreign session's id may well be one.
        found = await engine.store.session_by_alias(caller.tenant, caller.user, session) if is_id(session) else None
    if found is None:
        raise Refusal("not_found", "There is no such session.")
    return found
