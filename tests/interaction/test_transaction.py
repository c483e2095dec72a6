"""`transaction=True`: the handler's rows and the call's outcome are one commit, and nothing about it is ever uncertain. Case B105."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from handgriff import Call, Refusal
from handgriff.testing.harness import Harness
from tests.interaction.books import Books, booking, keeping
from tests.interaction.desk import ADA, decisions, told
from tests.interaction.safe import BOB
from tests.interaction.stores import store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["sqlite", "postgres"])
def books(request: pytest.FixtureRequest, tmp_path: Path) -> Books:
    return Books(store_name(str(request.param), request, tmp_path))


async def states(chat: Harness) -> list[str]:
    return [effect.state for effect in await chat.host.effects.list("acme")]


async def test_rows_outcome_state_and_hooks_are_kept_together(books: Books) -> None:
    async with keeping(books, [booking(), "Booked."]) as chat:
        after = await chat.say("Book Rome.")

        assert (await books.rows(), await states(chat), books.told) == (["Rome"], ["done"], ["Booked Rome."])
        assert [effect.transaction for effect in await chat.host.effects.list("acme")] == [True]
        assert await chat.host.sessions.state(ADA, chat.session.id) == {"booked": 1}
        assert (after.text, "Booked Rome." in told(chat.provider.requests[1])[0]) == ("Booked.", True)
        assert chat.provider.violations == ()


async def test_leaving_the_block_commits_nothing(books: Books) -> None:
    """Whoever looks before the handler has returned sees no row."""
    seen: list[Any] = []

    async def look(call: Call) -> None:
        seen.append(await books.rows())

    books.after = look
    async with keeping(books) as chat:
        outcome = await chat.host.call(ADA, "book", {"wish": "Rome"})

        assert (outcome.code, seen, await books.rows()) == (None, [[]], ["Rome"])


@pytest.mark.parametrize("where", ["before", "within", "after"])
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Refusal("conflict", "It is full."), "conflict"),
        (Refusal("indeterminate", "Who knows."), "indeterminate"),
        (ValueError("a bug"), "permanent"),
        (ConnectionError("away"), "transient"),
        (KeyError("x"), "permanent"),
    ],
    ids=["conflict", "indeterminate", "bug", "away", "key"],
)
async def test_whatever_is_raised_takes_everything_back(books: Books, where: str, error: Exception, code: str) -> None:
    """It has failed, for certain, and may be done again."""

    async def fail(*_: object) -> None:
        raise error

    setattr(books, where, fail)
    async with keeping(books) as chat:
        failed = await chat.host.call(ADA, "book", {"wish": "Rome"}, session=chat.session.id)
        assert (failed.code, await books.rows(), await states(chat), books.told) == (code, [], ["failed"], [])
        assert await chat.host.sessions.state(ADA, chat.session.id) == {}

        again = Books(books.store)
        books.before, books.within, books.after = again.before, again.within, again.after
        assert (await chat.host.call(ADA, "book", {"wish": "Rome"})).code is None
        assert (await books.rows(), await states(chat), books.began) == (["Rome"], ["done"], 2)


@pytest.mark.parametrize("where", ["before", "within", "after"])
async def test_what_takes_too_long_is_taken_back(books: Books, where: str) -> None:
    async def hang(*_: object) -> None:
        await anyio.sleep_forever()

    books.seconds = 0.3
    setattr(books, where, hang)
    async with keeping(books) as chat:
        with anyio.fail_after(20):
            failed = await chat.host.call(ADA, "book", {"wish": "Rome"})
            assert (failed.code, await books.rows(), await states(chat)) == ("transient", [], ["failed"])

            # Nothing is in the way of others.
            assert (await chat.host.call(ADA, "note", {"text": "on"})).code is None


async def test_twenty_at_once_are_twenty_rows(books: Books) -> None:
    codes: list[Any] = []
    async with keeping(books) as chat:

        async def call(number: int) -> None:
            codes.append((await chat.host.call(ADA, "book", {"wish": f"{number:02}"})).code)

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                for number in range(20):
                    tasks.start_soon(call, number)

        assert codes == [None] * 20
        assert await books.rows() == [f"{number:02}" for number in range(20)]
        assert await states(chat) == ["done"] * 20


async def test_twenty_of_the_same_wish_are_one_row(books: Books) -> None:
    """B105"""
    codes: list[Any] = []
    async with keeping(books) as chat:

        async def call() -> None:
            codes.append((await chat.host.call(ADA, "book", {"wish": "Rome"})).code)

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                for _ in range(20):
                    tasks.start_soon(call)

        assert (set(codes) <= {None, "conflict"}, codes.count(None) >= 1) == (True, True)
        assert (await books.rows(), await states(chat), books.began) == (["Rome"], ["done"], 1)


async def test_a_confirmed_one_commits_its_proposal_with_it(books: Books) -> None:
    books.is_planned = True
    async with keeping(books, [booking(), "Booked."]) as chat:
        await chat.say("Book Rome.")
        assert await books.rows() == []

        decided, after = await chat.confirm()
        assert (decided.proposal.state, after.text, await books.rows()) == ("done", "Booked.", ["Rome"])
        assert (await decisions(chat), await states(chat)) == (["running", "done"], ["done"])


async def test_a_confirmed_one_that_fails_is_told_so_and_is_certain(books: Books) -> None:
    books.is_planned = True

    async def fail(call: Call) -> None:
        raise OSError("a bug")

    books.after = fail
    async with keeping(books, [booking(), "It failed."]) as chat:
        await chat.say("Book Rome.")
        decided, after = await chat.confirm()

        assert (decided.proposal.state, after.text, await books.rows(), await states(chat)) == ("failed", "It failed.", [], ["failed"])
        assert '"refused":"permanent"' in told(chat.provider.requests[1])[0]
        assert chat.provider.violations == ()


async def test_a_second_person_s_confirmation_runs_in_it_too(books: Books) -> None:
    books.is_planned, books.confirm = True, "second_person"
    async with keeping(books, [booking(), "Booked."]) as chat:
        await chat.say("Book Rome.")
        [found] = await chat.host.proposals.list(BOB)

        decided = await chat.host.proposals.decide(BOB, found.id, True)
        assert (decided.proposal.state, decided.proposal.decided_by, await books.rows()) == ("done", "bob", ["Rome"])


async def test_a_stop_while_it_runs_does_not_tear_it(books: Books) -> None:
    """A write that has begun is let finish."""
    began, go = anyio.Event(), anyio.Event()

    async def hold(*_: object) -> None:
        began.set()
        await go.wait()

    books.within = hold
    async with keeping(books, [booking(), "Booked."]) as chat:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chat.say, "Book Rome.")
            await began.wait()
            await chat.host.stop(ADA, chat.session.id)
            await anyio.wait_all_tasks_blocked()
            go.set()

        assert (await books.rows(), await states(chat)) == (["Rome"], ["done"])
