"""What a batch locks before it begins: nothing where nothing can go wrong, else everything in one order."""

from collections.abc import Sequence

import pytest

from handgriff.core.batch import Batch, CheckLease, CheckNothingRuns, ClaimEffect, DeleteSession, Erase, ForkSession, RenewScratch
from handgriff.core.delta import Increment
from handgriff.core.rows import Session
from handgriff.stores.postgres.locks import locks_of
from handgriff.testing.samples import EFFECT, START, TENANT, USER, at, change, create, put, renew, say

APP, MINE = Increment("app", "n", 1), Increment("user", "n", 1)


@pytest.mark.parametrize(
    "batch",
    [
        (),
        (change(APP, MINE),),
        (CheckLease(TENANT, "s1", "t1", 1), say("e1"), change(MINE, APP)),
        (say("e1"), put("k", "1"), ClaimEffect(EFFECT)),
        (CheckNothingRuns(TENANT, START, "s1"), DeleteSession(TENANT, "s1")),
        (CheckNothingRuns(TENANT, START, user=USER), Erase(TENANT, USER, "gone")),
        (create("s1"), create("s2"), ClaimEffect(EFFECT)),
    ],
    ids=["nothing", "one append", "under a lease", "of one session", "where nothing runs", "of a user", "of none"],
)
def test_a_batch_of_one_session_that_it_locks_first_needs_nothing(batch: Batch) -> None:
    assert list(locks_of(batch)) == []


@pytest.mark.parametrize(
    ("batch", "expected"),
    [
        ((ClaimEffect(EFFECT), say("e1")), ["s1"]),
        ((create("s1"), say("e1")), ["s1"]),
        ((CheckNothingRuns(TENANT, START), say("e1")), ["s1"]),
        ((RenewScratch(TENANT, "s1", "n", START, at(1)), say("e1")), ["s1"]),
        ((say("e1", session="s2"), say("e1", session="s1")), ["s1", "s2"]),
        ((ForkSession("s3", Session(TENANT, USER, "s4", START), 1, ()), say("e1", session="s1")), ["s1", "s3"]),
    ],
    ids=["a record first", "a new session", "a guard of all", "a record of scratch first", "two sessions", "a source"],
)
def test_sessions_are_locked_in_their_order(batch: Batch, expected: Sequence[str]) -> None:
    assert list(locks_of(batch)) == [word for session in expected for word in ("session", TENANT, session)]


def test_shared_scopes_come_behind_the_sessions_and_in_one_order() -> None:
    batch = (change(MINE, session="s2"), change(APP, renew(), session="s1"), change(MINE, session="s1", user="bob"))

    assert list(locks_of(batch)) == [
        *("session", TENANT, "s1", "session", TENANT, "s2"),
        *("app", TENANT, "", "user", TENANT, USER, "user", TENANT, "bob"),
    ]


def test_one_append_has_its_scopes_in_order_itself() -> None:
    assert list(locks_of((change(MINE, APP), say("e1"), put("k", "1")))) == []
