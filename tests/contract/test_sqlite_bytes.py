"""What is removed leaves the disk: neither the file nor its log holds a byte of it afterwards."""

import random
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from handgriff.core.batch import (
    Batch,
    ClaimEffect,
    DeleteSession,
    Erase,
    HoldProposal,
    IntroduceSeen,
    IntroduceTyped,
    PinSession,
    QueueHook,
    RewindSession,
    SettleWorkflow,
    StartWorkflow,
    SweepWorkflows,
)
from handgriff.core.delta import Set
from handgriff.stores.sqlite import SqliteStore
from handgriff.testing.samples import (
    EFFECT,
    HELD_WORKFLOW,
    HOOK,
    PINNED,
    PROPOSAL,
    TENANT,
    WORKFLOW,
    at,
    change,
    create,
    jot,
    own_workflow,
    put,
    say,
)

pytestmark = pytest.mark.anyio
CANARY = "canary"
OTHERS = ("innocent", "bystander")


@pytest.mark.parametrize("seed", range(6))
async def test_nothing_of_an_erased_user_is_left_in_the_file(tmp_path: Path, seed: int) -> None:
    """Pages were split, filled and split again since, so images of rows lie about in free space."""
    store = SqliteStore.open(tmp_path / "handgriff.db")
    await _live_through(store, random.Random(seed))  # noqa: S311  # a story, not a secret
    assert _traces(tmp_path) > 100

    await store.commit((Erase(TENANT, CANARY, "gone"),))

    assert _traces(tmp_path) == 0
    assert len(await store.events(TENANT, OTHERS[0])) > 100
    await store.close()


async def test_nothing_of_an_erased_tenant_is_left_in_the_file(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "handgriff.db")
    await store.commit((create("s1", tenant=CANARY), say("e1", tenant=CANARY), put("k", f'"{CANARY}"', "app", tenant=CANARY), create("s2")))
    assert _traces(tmp_path) > 0

    await store.commit((Erase(CANARY, None, "gone"),))

    assert _traces(tmp_path) == 0
    assert await store.tenants() == (TENANT,)
    await store.close()


@pytest.mark.parametrize("seed", range(6))
async def test_nothing_of_a_deleted_session_is_left_when_the_file_is_closed(tmp_path: Path, seed: int) -> None:
    store = SqliteStore.open(tmp_path / "handgriff.db")
    await _live_through(store, random.Random(seed), user=OTHERS[0])  # noqa: S311  # a story, not a secret

    before = _traces(tmp_path)
    await store.commit((DeleteSession(TENANT, CANARY),))
    # Rows are gone at once, and so is the log. What is left is what SQLite forgot in free space.
    assert _traces(tmp_path) < before / 20
    assert _log(tmp_path) == b""

    await store.close()
    assert _traces(tmp_path) == 0


@pytest.mark.parametrize("removal", ["delete", "rewind"])
async def test_a_session_that_is_deleted_or_rewound_leaves_file_and_log_at_once(tmp_path: Path, removal: str) -> None:
    store = SqliteStore.open(tmp_path / "handgriff.db")
    await store.commit((create("s1"), say("e1"), say("e2", CANARY), put("k", f'"{CANARY}"'), IntroduceTyped(TENANT, "s1", CANARY)))
    await store.commit((create("s2"), say("e1", session="s2")))
    assert _traces(tmp_path) > 0

    await store.commit((DeleteSession(TENANT, "s1") if removal == "delete" else RewindSession(TENANT, "s1", 3, 1, ()),))

    assert _traces(tmp_path) == 0
    assert _log(tmp_path) == b""
    assert len(await store.events(TENANT, "s2")) == 1
    await store.close()


async def test_an_instance_whose_time_is_over_leaves_file_and_log_with_the_sweep(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "handgriff.db")
    await store.commit((create(), StartWorkflow(own_workflow()), StartWorkflow(replace(WORKFLOW, snapshot=f'"{CANARY}"'))))
    assert _traces(tmp_path) > 0

    await store.commit((SweepWorkflows(TENANT, at(600), 9),))

    assert _traces(tmp_path) == 0
    assert len(await store.workflows(TENANT)) == 1
    await store.close()


async def test_a_reader_of_another_process_delays_the_log_of_a_deletion_and_nothing_else(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "handgriff.db", patience=0.05)
    await store.commit((create("s1"), say("e1", CANARY)))
    reader = sqlite3.connect(tmp_path / "handgriff.db", isolation_level=None)
    reader.execute("BEGIN")
    assert len(reader.execute("SELECT body FROM handgriff_event").fetchall()) == 1

    await store.commit((DeleteSession(TENANT, "s1"),))
    assert await store.session(TENANT, "s1") is None
    assert _traces(tmp_path) > 0
    reader.execute("COMMIT")
    reader.close()
    # Whoever writes next takes what is owed along.
    await store.commit((create("s3"),), durable=True)
    await store.commit((create("s4"),), durable=True)

    assert _traces(tmp_path) == 0
    await store.close()


async def _live_through(store: SqliteStore, chance: random.Random, *, user: str = CANARY) -> None:
    """Three users talk at the same time, one of them in words that must go."""
    for name in (CANARY, *OTHERS):
        owner = user if name == CANARY else name
        await store.commit((create(name, user=owner), PinSession(TENANT, name, replace(PINNED, context=name * 300), name)))
    for number in range(600):
        name = chance.choice((CANARY, *OTHERS))
        owner = user if name == CANARY else name
        await store.commit(_turn(chance, number, name, owner), durable=number % 150 == 0)


def _turn(chance: random.Random, number: int, name: str, owner: str) -> Batch:
    words = name * chance.choice((1, 6, 60, 600))
    batch: Batch = (
        say(f"{name} {number}", words, session=name),
        change(
            Set("session", f"{name}{chance.randrange(40)}", f'"{name * chance.choice((1, 20, 300))}"'),
            *((Set("user", f"{name}{chance.randrange(9)}", f'"{name}"'),) if owner != OTHERS[0] or name != CANARY else ()),
            session=name,
            user=owner,
        ),
    )
    if number % 5 == 0:
        batch += (IntroduceSeen(TENANT, name, ((name, f"{name}{number}"),)), IntroduceTyped(TENANT, name, words))
        batch += (jot(name, f'"{name}"', f"{name}{number % 4}", until=9e6, session=name),)
    if number % 9 == 0:
        effect = replace(EFFECT, key=f"{name}{number}", claimed_at=at(number), arguments=f'"{words}"', result=f'"{words}"')
        batch += (
            ClaimEffect(replace(effect, user=owner, session=name)),
            HoldProposal(replace(PROPOSAL, id=f"{name}{number}", summary=words, user=owner, session=name)),
            QueueHook(replace(HOOK, id=f"{name}{number}", payload=f'"{name}"', user=owner, session=name)),
            StartWorkflow(
                replace(HELD_WORKFLOW, handle=f"{name}{number}", snapshot=f'"{name}"', next=f'"{words}"', user=owner, session=name)
            ),
        )
    if number % 9 == 4:  # some time later
        batch += (SettleWorkflow(TENANT, HELD_WORKFLOW.machine, f"{name}{number - 4}", "c1", moves=number % 2 == 0),)
    return batch


def _traces(folder: Path) -> int:
    return sum(file.read_bytes().count(CANARY.encode()) for file in folder.iterdir() if not file.name.endswith("-shm"))


def _log(folder: Path) -> bytes:
    return (folder / "handgriff.db-wal").read_bytes()
