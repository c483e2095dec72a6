"""Ledger rows: opened before a request is sent, closed in every case, priced exactly."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from handgriff.core.estimate import estimate_tokens
from handgriff.core.events import TurnEnded
from handgriff.core.lane import Lane
from handgriff.core.money import cost
from handgriff.core.rows import Request, Session
from handgriff.core.usage import Usage, settle
from handgriff.runtime.engine import Engine


def open_row(engine: Engine, session: Session, *, turn: str, lane_name: str, lane: Lane, attempt: int, body: bytes) -> Request:
    """A row for the request *body*, which is about to be sent."""
    return Request(
        tenant=session.tenant,
        user=session.user,
        session=session.id,
        turn=turn,
        id=engine.ids.new("request"),
        attempt=attempt,
        assistant=engine.assistant.name,
        lane=lane_name,
        provider=lane.provider,
        model=lane.name,
        opened_at=engine.clock.now(),
        reserved_tokens=estimate_input(body) + lane.max_tokens,
    )


def estimate_input(body: bytes) -> int:
    """The tokens of a request, estimated from its text."""
    return estimate_tokens(body.decode())


def close(
    engine: Engine,
    row: Request,
    usage: Usage,
    *,
    status: Literal["ok", "failed", "aborted"],
    estimate_input: int,
    estimate_output: int,
    served_model: str | None = None,
) -> Request:
    """*row* with its last totals, what was not reported estimated, and its price. An unknown model stays unpriced."""
    settled, estimated = settle(usage, estimate_input=estimate_input, estimate_output=estimate_output)
    now = engine.clock.now()
    prices = engine.prices.prices(row.provider, served_model or row.model, now)
    return replace(
        row,
        status=status,
        served_model=served_model,
        closed_at=now,
        input_tokens=settled.input,
        cache_read_tokens=settled.cache_read,
        cache_write_5m_tokens=settled.cache_write_5m,
        cache_write_1h_tokens=settled.cache_write_1h,
        output_tokens=settled.output,
        reasoning_tokens=settled.reasoning,
        server_tool_uses=sum(count for _, count in settled.server_tool_uses),
        estimated=estimated,
        price_version=prices.version if prices else None,
        cost_pico=cost(settled, prices),
    )


def totals(rows: Sequence[Request], ended: TurnEnded) -> TurnEnded:
    """*ended* with the sums of its turn's rows. Input is everything that was sent, cached or not."""
    return replace(
        ended,
        model_requests=len(rows),
        input_tokens=sum(row.input_tokens + row.cache_read_tokens + row.cache_write_5m_tokens + row.cache_write_1h_tokens for row in rows),
        output_tokens=sum(row.output_tokens for row in rows),
        cache_read_tokens=sum(row.cache_read_tokens for row in rows),
        cache_write_tokens=sum(row.cache_write_5m_tokens + row.cache_write_1h_tokens for row in rows),
        cost_pico=sum(priced) if (priced := [row.cost_pico for row in rows if row.cost_pico is not None]) else None,
        unpriced=sum(row.cost_pico is None for row in rows),
    )
