"""Seats of MCP sessions: taken, held by open streams, and forgotten when the SDK forgets its own."""

from typing import Any

import pytest

from handgriff import Caller
from handgriff.mcp import seats as module
from handgriff.mcp.asking import Asking
from handgriff.mcp.seats import IDLE_SECONDS, Seats

SDK: Any = object()
"""In place of the SDK's session, which is only kept here."""


def asking(alias: str, user: str = "ada") -> Asking:
    return Asking(Caller("acme", user), alias)


def test_a_session_has_one_seat_and_each_principal_their_own() -> None:
    seats = Seats()

    assert seats.take(asking("a"), SDK, 0) is seats.take(asking("a"), SDK, 1)
    assert seats.take(asking("a"), SDK, 0) is not seats.take(asking("b"), SDK, 1)
    assert seats.take(asking("a"), SDK, 0) is not seats.take(asking("a", "ben"), SDK, 1)


def test_within_reach_is_who_has_a_stream_open_and_has_asked_for_something() -> None:
    seats, principal = Seats(), ("acme", "ada")
    with seats.streaming(principal, "a", 0):
        assert seats.within_reach(None) == ()
        seat = seats.take(asking("a"), SDK, 0)
        with seats.streaming(principal, "a", 0):
            assert seats.within_reach(None) == (seat,)
        assert seats.within_reach("acme") == (seat,)
        assert seats.within_reach("globex") == ()
    assert seats.within_reach(None) == ()


def test_a_seat_is_forgotten_with_its_session() -> None:
    seats = Seats()
    old = seats.take(asking("a"), SDK, 0)
    with seats.streaming(("acme", "ada"), "held", 0):
        seats.take(asking("c"), SDK, IDLE_SECONDS + 1)

        assert seats.take(asking("a"), SDK, IDLE_SECONDS + 1) is not old


def test_a_stream_holds_its_seat() -> None:
    seats = Seats()
    old = seats.take(asking("a"), SDK, 0)
    with seats.streaming(("acme", "ada"), "a", 0):
        seats.take(asking("b"), SDK, IDLE_SECONDS + 1)

        assert seats.within_reach(None) == (old,)


def test_who_leaves_has_no_seat() -> None:
    seats = Seats()
    old = seats.take(asking("a"), SDK, 0)
    seats.leave(("acme", "ada"), "a")
    seats.leave(("acme", "ada"), "unknown")

    assert seats.take(asking("a"), SDK, 0) is not old


def test_there_are_no_more_seats_than_the_sdk_has_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SESSIONS", 3)
    seats = Seats()
    taken = [seats.take(asking(name), SDK, 0) for name in "abcd"]

    assert seats.take(asking("b"), SDK, 0) is taken[1]
    assert seats.take(asking("a"), SDK, 0) is not taken[0]
