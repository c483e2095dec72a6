"""What a store holds beside events."""

from dataclasses import fields, replace

import pytest

from handgriff.core.rows import Effect, EffectState, Lease, Proposal, QueuedHook, Request, Session
from handgriff.testing.samples import EFFECT, START, at


@pytest.mark.parametrize(
    ("lease", "seconds", "is_held"),
    [
        (Lease(), 0, False),
        (Lease(epoch=7), 0, False),
        (Lease(3, "t1", "h1", at(30)), 0, True),
        (Lease(3, "t1", "h1", at(30)), 29.9, True),
        (Lease(3, "t1", "h1", at(30)), 30, False),
        (Lease(3, "t1", "h1", at(30), stop=True), 0, True),
        (Lease(3, None, None, at(30)), 0, False),
        (Lease(3, "t1", "h1"), 0, False),
    ],
)
def test_a_lease_is_held_by_a_turn_until_its_time_is_over(lease: Lease, seconds: float, is_held: bool) -> None:
    """B014: a holder that died keeps nobody out longer than the lease's time."""
    assert lease.is_held(at(seconds)) is is_held


@pytest.mark.parametrize(
    ("state", "seconds", "is_abandoned"),
    [("running", 59.9, False), ("running", 60, True), ("done", 99, False), ("failed", 99, False), ("indeterminate", 99, False)],
)
def test_a_claim_is_abandoned_when_it_runs_past_its_lease(state: EffectState, seconds: float, is_abandoned: bool) -> None:
    assert replace(EFFECT, state=state, lease_until=at(60)).is_abandoned(at(seconds)) is is_abandoned


@pytest.mark.parametrize("row", [Session, Effect, Proposal, Request, QueuedHook])
def test_the_tenant_is_the_first_column_of_every_row(row: type) -> None:
    assert fields(row)[0].name == "tenant"


def test_a_fresh_session_is_free_and_not_pinned() -> None:
    session = Session("acme", "ada", "s1", START)

    assert (session.head, session.pinned, session.lease) == (0, None, Lease())
