"""What one list of proposals costs: the rights read once, the application's objects opened once, and only what still waits read. B135."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest

from handgriff import BackendError, Caller, Host
from handgriff.core.rows import Proposal
from handgriff.runtime.boundary.listed import OPENED, SHOWN
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock
from handgriff.testing.harness import harness
from tests.interaction.safe import ADA, BOB, CLEO, DAN, Safe, waiting

pytestmark = pytest.mark.anyio

MANY = SHOWN + 10


@dataclass(slots=True)
class Costs:
    """What the application was asked."""

    safe: Safe
    looked_up: int = 0
    opened: int = 0
    left: list[str] = field(default_factory=list)
    """What the application's objects were left with."""

    async def callers(self, tenant: str, user: str) -> Caller | None:
        """Who somebody is."""
        self.looked_up += 1
        return await self.safe.callers(tenant, user)

    @asynccontextmanager
    async def deps(self, caller: Caller) -> AsyncIterator[None]:
        """Open the application's objects."""
        self.opened += 1
        try:
            yield
        except BaseException as error:
            self.left.append(type(error).__name__)
            raise
        self.left.append("well")

    def none(self) -> None:
        """Count anew."""
        self.looked_up, self.opened, self.left = 0, 0, []


async def ask(host: Host, *, count: int, caller: Caller = ADA) -> None:
    """Let *count* payments wait."""
    for amount in range(count):
        await host.call(caller, "pay", {"amount": amount + 1})


@pytest.mark.parametrize(
    ("caller", "listed", "opened"), [(BOB, SHOWN, 1), (DAN, 0, 1), (CLEO, 0, 0)], ids=["entitled", "not these rows", "without the right"]
)
async def test_a_list_asks_for_the_rights_once_and_opens_the_applications_objects_once(caller: Caller, listed: int, opened: int) -> None:
    costs = Costs(Safe(confirm="second_person"))
    async with harness(costs.safe.assistant(), ADA, callers=costs.callers, deps=costs.deps) as chat:
        await ask(chat.host, count=MANY)
        costs.none()

        found = await chat.host.proposals.list(caller)
        assert (len(found), costs.looked_up, costs.opened) == (listed, 1, opened)
        assert found == sorted(found, key=lambda proposal: proposal.created_at)


async def test_a_list_with_nothing_of_others_asks_nobody() -> None:
    costs = Costs(Safe())
    async with harness(costs.safe.assistant(), ADA, callers=costs.callers, deps=costs.deps) as chat:
        await ask(chat.host, count=2)
        costs.none()

        assert len(await chat.host.proposals.list(ADA)) == 2
        assert (costs.looked_up, costs.opened) == (0, 0)


async def test_where_the_rights_cannot_be_read_ones_own_are_listed_all_the_same() -> None:
    costs = Costs(Safe(confirm="second_person"))
    async with harness(costs.safe.assistant(), ADA, callers=costs.callers, deps=costs.deps) as chat:
        await ask(chat.host, count=1)
        await ask(chat.host, count=1, caller=BOB)
        assert len(await chat.host.proposals.list(ADA)) == 2
        costs.safe.callers_down = [ConnectionError("no directory")]

        assert [proposal.user for proposal in await chat.host.proposals.list(ADA)] == ["ada"]
        costs.safe.without(DAN)
        with pytest.raises(BackendError):
            await chat.host.proposals.list(DAN)


async def test_one_check_that_fails_hides_no_other_proposal_and_is_told_to_the_applications_objects() -> None:
    safe = Safe(confirm="second_person")
    costs, wrong = Costs(safe), [ValueError("a bug")]
    async with harness(safe.assistant(), ADA, callers=costs.callers, deps=costs.deps) as chat:
        await ask(chat.host, count=3)
        costs.none()

        async def fail_once() -> None:
            if wrong:
                raise wrong.pop()

        safe.checking = fail_once
        assert len(await waiting(chat.host, BOB)) == 2
        assert costs.left == ["ValueError", "well"]


async def test_checks_that_always_fail_are_not_asked_for_ever() -> None:
    safe = Safe(confirm="second_person")
    costs = Costs(safe)
    async with harness(safe.assistant(), ADA, callers=costs.callers, deps=costs.deps) as chat:
        await ask(chat.host, count=OPENED + 5)
        costs.none()

        async def fail() -> None:
            raise ValueError("a bug")

        safe.checking = fail
        assert (await waiting(chat.host, BOB), costs.opened) == ([], OPENED)


class Counting(MemoryStore):
    """A store that says how many proposals it was made to give."""

    given = 0

    async def proposals(self, tenant: str, **asked: Any) -> Sequence[Proposal]:
        found = await super().proposals(tenant, **asked)
        self.given += len(found)
        return found

    async def waiting(self, tenant: str, user: str, now: datetime, *, session: str | None = None) -> Sequence[Proposal]:
        found = await super().waiting(tenant, user, now, session=session)
        self.given += len(found)
        return found


async def test_what_has_expired_is_not_read_again_by_every_list() -> None:
    safe, store, clock = Safe(), Counting(), StillClock()
    async with harness(safe.assistant(), ADA, callers=safe.callers, store=store, clock=clock) as chat:
        await ask(chat.host, count=20)
        assert len(await waiting(chat.host, ADA)) == 20
        clock.move(86_400)
        await ask(chat.host, count=1)
        store.given = 0

        assert len(await waiting(chat.host, ADA)) == 1
        assert store.given == 1
