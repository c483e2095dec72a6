"""Two decisions at once, a decision and a new message at once, a crash before the turn went on: one outcome, told once. Case B096."""

from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import anyio
import pytest

from handgriff import BackendError, Caller, Host, Refusal
from handgriff.core.batch import Batch, HoldLease
from handgriff.host.adapters import open_store
from handgriff.ports.store import Committed, Store
from tests.interaction.desk import decisions, endings
from tests.interaction.safe import ADA, BOB, Safe, another, opened, pay, waiting
from tests.interaction.stores import STORES, store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return store_name(str(request.param), request, tmp_path)


async def shared(name: str) -> list[str | Store]:
    """The same store for two servers: by name, or one object where it lives in this process alone."""
    store = await open_store(name) if name == "memory://" else name
    return [store, store]


async def became(attempt: Awaitable[object]) -> str:
    """What came of an attempt."""
    try:
        return str(getattr(getattr(await attempt, "proposal", None), "state", "ended"))
    except Refusal as refusal:
        return refusal.code


async def quiet(host: Host, session: str) -> None:
    """Wait until nothing runs."""
    async for _ in host.follow(ADA, session):
        pass


@pytest.mark.parametrize("confirm", ["person", "second_person"])
async def test_of_a_yes_and_a_no_at_once_on_two_servers_one_counts(store: str, confirm: str) -> None:
    safe = Safe(confirm=confirm)  # type: ignore[arg-type]  # one of its words
    here, there = await shared(store)
    decider = ADA if confirm == "person" else BOB
    async with opened(safe, [pay(), "Well."], store=here) as chat, another(chat, safe.assistant(), safe.callers, there) as other:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, decider)
        answers: list[str] = []

        async def decide(host: Host, approved: bool) -> None:
            answers.append(await became(host.proposals.decide(decider, found, approved)))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                for number in range(10):
                    tasks.start_soon(decide, (chat.host, other)[number % 2], number % 3 == 0)
        for host in (chat.host, other):
            await quiet(host, chat.session.id)

        state = (await chat.host.proposals.get(ADA, found)).state
        assert (answers.count(state), len(answers)) == ((1, 10) if state == "done" else (answers.count("declined"), 10))
        assert (len(safe.paid), state in ("done", "declined")) == (int(state == "done"), True)
        assert (await decisions(chat))[-1] == state
        assert (len(await decisions(chat)), len(chat.provider.requests)) == (2 if state == "done" else 1, 2)
        assert (await endings(chat), chat.provider.violations) == (["waiting", "done"], ())


@pytest.mark.parametrize("where", ["same server", "another server"])
async def test_a_decision_and_a_new_message_at_once_are_one_after_the_other(store: str, where: str) -> None:
    """Whichever is first: it is done and told, or superseded; never both, and never twice."""
    safe = Safe()
    here, there = await shared(store)
    async with opened(safe, [pay(), "One.", "Two."], store=here) as chat, another(chat, safe.assistant(), safe.callers, there) as other:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, ADA)
        answers: dict[str, str] = {}

        async def decide() -> None:
            host = chat.host if where == "same server" else other
            answers["decision"] = await became(host.proposals.decide(ADA, found, True))

        async def write() -> None:
            answers["message"] = await became(chat.say("Stop that."))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(decide)
                tasks.start_soon(write)
        for host in (chat.host, other):
            await quiet(host, chat.session.id)

        state = (await chat.host.proposals.get(ADA, found)).state
        assert (state, answers["decision"]) in (("done", "done"), ("superseded", "superseded"))
        assert answers["message"] in ("ended", "conversation_busy")
        assert len(safe.paid) == int(state == "done")
        assert chat.provider.violations == ()
        assert set(await endings(chat)) == {"waiting", "done"}


class Dying:
    """A store for a server that dies when it begins the turn that goes on: that commit never arrives."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner
        self.is_dying = False

    async def commit(self, batch: Batch, *, durable: bool = False) -> Committed:
        """Write, unless it begins a turn."""
        if self.is_dying and any(isinstance(each, HoldLease) for each in batch):
            raise BackendError("store", "commit") from ConnectionError("the server is dead")
        return await self._inner.commit(batch, durable=durable)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


@pytest.mark.parametrize("followers", [1, 2, 6])
@pytest.mark.parametrize("decider", [ADA, BOB], ids=lambda it: str(it.user))
async def test_after_a_crash_between_the_effect_and_what_follows_a_look_goes_on_once(store: str, followers: int, decider: Caller) -> None:
    """Going on needs no process to survive: whoever of its owner's looks begins it, and only one."""
    safe = Safe(confirm="person" if decider == ADA else "second_person")
    inner = await open_store(store)
    dying = Dying(inner)
    async with opened(safe, [pay(), "Paid."], store=dying) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, decider)
        dying.is_dying = True
        decided = await chat.host.proposals.decide(decider, found, True)
        assert (decided.proposal.state, decided.continues, len(chat.provider.requests)) == ("done", True, 1)

        async with another(chat, safe.assistant(), safe.callers, inner) as one, another(chat, safe.assistant(), safe.callers, inner) as two:
            with anyio.fail_after(60):
                async with anyio.create_task_group() as tasks:
                    for number in range(followers):
                        tasks.start_soon(quiet, (one, two)[number % 2], chat.session.id)
            for host in (one, two):
                await quiet(host, chat.session.id)

        assert (await endings(chat), len(chat.provider.requests), len(safe.paid)) == (["waiting", "done"], 2, 1)
        assert chat.provider.violations == ()
    await inner.close()


async def test_a_second_person_s_look_is_none(store: str) -> None:
    """Whoever may not see the conversation does not go on with it either."""
    safe = Safe(confirm="second_person")
    inner = await open_store(store)
    dying = Dying(inner)
    async with opened(safe, [pay(), "Paid."], store=dying) as chat:
        await chat.say("Pay.")
        [found] = await waiting(chat.host, BOB)
        dying.is_dying = True
        await chat.host.proposals.decide(BOB, found, True)
        dying.is_dying = False

        with pytest.raises(Refusal, match="not_found"):
            async for _ in chat.host.follow(BOB, chat.session.id):
                pass
        assert len(chat.provider.requests) == 1
    await inner.close()
