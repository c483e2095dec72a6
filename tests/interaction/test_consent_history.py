"""Whatever becomes of a proposal, the history only grows, and the provider accepts it at every point. Cases B072, B101."""

from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from handgriff.testing.clock import StillClock
from handgriff.testing.harness import Harness
from handgriff.testing.loopback.prompt import extends
from handgriff.testing.mailbox import Mailbox
from tests.interaction.desk import decisions
from tests.interaction.safe import ADA, BOB, Safe, another, opened, pay, refused, waiting
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


async def confirmed(chat: Harness, safe: Safe, clock: StillClock, mail: Mailbox) -> None:
    await chat.confirm()


async def declined(chat: Harness, safe: Safe, clock: StillClock, mail: Mailbox) -> None:
    await chat.decline()


async def expired(chat: Harness, safe: Safe, clock: StillClock, mail: Mailbox) -> None:
    [found] = await waiting(chat.host, ADA)
    clock.move(601)
    await chat.confirm(found)


async def stale(chat: Harness, safe: Safe, clock: StillClock, mail: Mailbox) -> None:
    safe.balance = 80
    await chat.confirm()


async def superseded(chat: Harness, safe: Safe, clock: StillClock, mail: Mailbox) -> None:
    await chat.say("Never mind.")


async def failed(chat: Harness, safe: Safe, clock: StillClock, mail: Mailbox) -> None:
    safe.without(ADA, "pay")
    await chat.confirm()
    safe.people[ADA.tenant, ADA.user] = ADA


async def uncertain(chat: Harness, safe: Safe, clock: StillClock, mail: Mailbox) -> None:
    safe.failing = [TimeoutError("no answer")]
    await chat.confirm()


async def checked_twice(chat: Harness, safe: Safe, clock: StillClock, mail: Mailbox) -> None:
    safe.going_wrong = [ConnectionError("away")]
    [found] = await waiting(chat.host, ADA)
    await refused(chat.host.proposals.decide(ADA, found, True))
    await chat.confirm()


async def by_code(chat: Harness, safe: Safe, clock: StillClock, mail: Mailbox) -> None:
    await chat.confirm(code=mail.code())


async def wrong_codes(chat: Harness, safe: Safe, clock: StillClock, mail: Mailbox) -> None:
    [found] = await waiting(chat.host, ADA)
    for by in range(1, 6):
        code = f"{(int(mail.code()) + by) % 1_000_000:06}"
        if by < 5:
            await refused(chat.host.proposals.decide(ADA, found, True, code))
        else:
            await chat.confirm(found, code=code)


async def by_another(chat: Harness, safe: Safe, clock: StillClock, mail: Mailbox) -> None:
    [found] = await waiting(chat.host, BOB)
    await chat.host.proposals.decide(BOB, found, True)
    async for _ in chat.host.follow(ADA, chat.session.id):
        pass


async def withdrawn(chat: Harness, safe: Safe, clock: StillClock, mail: Mailbox) -> None:
    await chat.decline()


Way = Callable[[Harness, Safe, StillClock, Mailbox], Awaitable[None]]
WAYS: list[tuple[Way, Any, str]] = [
    (confirmed, "person", "done"),
    (declined, "person", "declined"),
    (expired, "person", "expired"),
    (stale, "person", "stale"),
    (superseded, "person", "superseded"),
    (failed, "person", "failed"),
    (uncertain, "person", "indeterminate"),
    (checked_twice, "person", "done"),
    (by_code, "code", "done"),
    (wrong_codes, "code", "failed"),
    (by_another, "second_person", "done"),
    (withdrawn, "second_person", "declined"),
]


def broken(chat: Harness) -> list[int]:
    """The requests that do not begin with the one before."""
    raws = [request.raw for request in chat.provider.requests]
    return [n for n, (before, after) in enumerate(pairwise(raws)) if not extends(before, after)]


@pytest.mark.parametrize(("way", "confirm", "state"), WAYS, ids=[f"{way.__name__}" for way, *_ in WAYS])
async def test_every_way_of_a_proposal_extends_the_history(store: str, way: Way, confirm: Any, state: str) -> None:
    """Parked, decided, gone on with, talked about, and asked for again."""
    safe, clock, mail = Safe(confirm=confirm), StillClock(), Mailbox()
    script = ["Hello.", pay(), "So it is.", "Indeed.", pay(20), "Well."]
    async with opened(safe, script, codes=mail, clock=clock, store=store) as chat:
        await chat.say("Hello?")
        await chat.say("Pay.")
        await way(chat, safe, clock, mail)
        assert (await decisions(chat))[-1] == state
        await chat.say("And?")
        await chat.say("Pay again.")
        await chat.say("No.")

        assert len(chat.provider.requests) == len(script)
        assert (broken(chat), chat.provider.violations) == ([], ())


@pytest.mark.parametrize(("way", "confirm", "state"), WAYS, ids=[f"{way.__name__}" for way, *_ in WAYS])
async def test_another_server_reads_the_same_history(tmp_path: Path, way: Way, confirm: Any, state: str) -> None:
    """What one has sent, the next one begins with."""
    safe, clock, mail, store = Safe(confirm=confirm), StillClock(), Mailbox(), f"sqlite:///{tmp_path}/h.db"
    async with opened(safe, [pay(), "So it is.", "Indeed."], codes=mail, clock=clock, store=store) as chat:
        await chat.say("Pay.")
        await way(chat, safe, clock, mail)
        assert (await decisions(chat))[-1] == state
        async with another(chat, safe.assistant(), safe.callers, store, codes=mail, clock=clock) as other:
            async for _ in other.turn(ADA, chat.session.id, "And?"):
                pass

        assert len(chat.provider.requests) == 3
        assert (broken(chat), chat.provider.violations) == ([], ())


async def test_siblings_decided_in_every_way_extend_it_too(store: str) -> None:
    """A code, a second person, a decline and one that is superseded, in one request."""
    words: Any = {1: "person", 2: "code", 3: "second_person", 4: "person"}
    safe, mail = Safe(confirm=lambda args, call: words[args.amount]), Mailbox()
    async with opened(safe, [(pay(1), pay(2), pay(3), pay(4)), "So it is.", "Indeed."], codes=mail, store=store) as chat:
        await chat.say("Pay.")
        first, second, third, _ = await waiting(chat.host, ADA)
        await chat.host.proposals.decide(BOB, third, True)
        await chat.host.proposals.decide(ADA, second, True, mail.code())
        await chat.host.proposals.decide(ADA, first, False)
        await chat.say("Leave the fourth.")
        await chat.say("And?")

        assert await decisions(chat) == ["running", "done", "stale", "declined", "superseded"]
        assert (broken(chat), chat.provider.violations, len(chat.provider.requests)) == ([], (), 3)
