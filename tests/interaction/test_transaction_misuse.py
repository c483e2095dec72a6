"""What a handler in `call.transaction()` may not do, and what becomes of it then: an error that says so, and nothing kept."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from handgriff import Call, Result, Toolbox
from handgriff.testing.harness import harness
from tests.interaction.books import Books, keeping, write
from tests.interaction.desk import ADA, WORDS, assistant
from tests.interaction.stores import store_name

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["sqlite", "postgres"])
def books(request: pytest.FixtureRequest, tmp_path: Path) -> Books:
    return Books(store_name(str(request.param), request, tmp_path))


async def one() -> int:
    return 1


async def step(call: Call) -> None:
    await call.step("reserve", one)


async def tool(call: Call) -> None:
    await call.tool("note", {"text": "hello"})


async def again(call: Call) -> None:
    async with call.transaction():
        pass


@pytest.mark.parametrize("where", ["within", "after"])
@pytest.mark.parametrize(
    ("act", "problem"),
    [
        (step, "call.step: it commits by itself, and call.transaction() is open"),
        (tool, "call.tool: it commits by itself, and call.transaction() is open"),
        (again, "call.transaction() was opened before in this call"),
    ],
    ids=["step", "tool", "again"],
)
async def test_what_commits_by_itself_is_refused_while_it_is_open(
    books: Books, where: str, act: Any, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is open to the end of the call, not of the block."""

    async def misuse(*given: Any) -> None:
        await act(given[-1])

    setattr(books, where, misuse)
    async with keeping(books) as chat:
        outcome = await chat.host.call(ADA, "book", {"wish": "Rome"})

        assert (outcome.code, bool(outcome.incident), await books.rows()) == ("permanent", True, [])
        assert problem in caplog.text
        assert [effect.state for effect in await chat.host.effects.list("acme", state="failed")] == ["failed"]


async def test_steps_and_tools_before_it_are_fine_and_finished_steps_are_named_where_it_fails(books: Books) -> None:
    """What was done before the block stands, so nobody may believe that nothing was."""

    async def before(call: Call) -> None:
        await step(call)
        await tool(call)

    async def fail(*_: object) -> None:
        raise ValueError("a bug")

    books.before, books.within = before, fail
    async with keeping(books) as chat:
        failed = await chat.host.call(ADA, "book", {"wish": "Rome"})
        assert (failed.code, '"done_steps":["reserve"]' in failed.text, await books.rows()) == ("permanent", True, [])

        books.within = Books(books.store).within
        assert (await chat.host.call(ADA, "book", {"wish": "Rome"})).code is None
        assert await books.rows() == ["Rome"]


async def test_an_error_that_is_swallowed_around_the_block_keeps_no_row(books: Books) -> None:
    """What the handler says then is its own: it has left the block by an exception, so it knows."""
    box = Toolbox("books")

    @box.tool(effect="write", transaction=True, description=WORDS)
    async def book(wish: str, call: Call) -> Result[None]:
        try:
            async with call.transaction() as connection:
                await write(connection, wish)
                await write(connection, None)  # type: ignore[arg-type]  # what the table refuses
        except Exception:  # noqa: BLE001  # a careless handler
            return Result("It was there already.")
        return Result("Booked.")

    await books.prepare()
    async with harness(assistant(box), ADA, store=books.store) as chat:
        outcome = await chat.host.call(ADA, "book", {"wish": "Rome"})

        assert (outcome.code, outcome.shown.summary, await books.rows()) == (None, "It was there already.", [])


async def test_an_error_of_the_database_that_is_swallowed_in_the_block_never_leaves_it_uncertain(books: Books) -> None:
    """SQLite takes back one statement, PostgreSQL all of them; either way the record says what is there."""

    async def swallow(connection: Any, call: Call) -> None:
        try:
            await write(connection, None)  # type: ignore[arg-type]  # what the table refuses
        except Exception:  # noqa: BLE001  # a careless handler
            return
        raise AssertionError("the table has taken it")

    books.within = swallow
    async with keeping(books) as chat:
        outcome = await chat.host.call(ADA, "book", {"wish": "Rome"})

        [effect] = await chat.host.effects.list("acme")
        assert (effect.state, outcome.code, await books.rows()) in (("done", None, ["Rome"]), ("failed", "transient", []))
        if books.store.startswith("postgres"):
            assert effect.state == "failed"


async def test_a_tool_that_does_not_declare_it_can_not_open_one(books: Books, caplog: pytest.LogCaptureFixture) -> None:
    box, opened = Toolbox("books"), list[int]()

    @box.tool(effect="write", description=WORDS)
    async def book(call: Call) -> Result[None]:
        async with call.transaction():
            opened.append(1)
        return Result("Booked.")

    @box.tool(effect="read", description=WORDS)
    async def look(call: Call) -> Result[None]:
        async with call.transaction():
            opened.append(1)
        return Result("Seen.")

    async with harness(assistant(box), ADA, store=books.store) as chat:
        codes = [(await chat.host.call(ADA, name, {})).code for name in ("book", "look")]

        assert (codes, opened) == (["indeterminate", "permanent"], [])
        assert caplog.text.count("declare it with transaction=True") == 2


async def test_checks_and_plans_have_no_transaction(books: Books, caplog: pytest.LogCaptureFixture) -> None:
    """Only the handler's is committed with the outcome."""
    box = Toolbox("books")

    async def open_one(args: Any, call: Call) -> bool:
        async with call.transaction() as connection:
            await write(connection, "Rome")
        return True

    @box.tool(effect="write", transaction=True, authorize=open_one, description=WORDS)
    async def book(call: Call) -> Result[None]:
        async with call.transaction() as connection:
            await write(connection, "Oslo")
        return Result("Booked.")

    await books.prepare()
    async with harness(assistant(box), ADA, store=books.store) as chat:
        outcome = await chat.host.call(ADA, "book", {})

        assert (outcome.code, await books.rows()) == ("permanent", [])
        assert "do it in the handler" in caplog.text


async def test_the_transaction_can_not_be_ended_by_hand_on_sqlite(tmp_path: Path) -> None:
    books = Books(f"sqlite:///{tmp_path}/h.db")

    async def commit(connection: Any, call: Call) -> None:
        assert isinstance(connection, sqlite3.Connection)
        connection.commit()

    books.within = commit
    async with keeping(books) as chat:
        outcome = await chat.host.call(ADA, "book", {"wish": "Rome"})

        assert (outcome.code, await books.rows()) == ("permanent", [])


async def test_a_call_that_opens_none_is_settled_like_any_other(books: Books) -> None:
    box = Toolbox("books")

    @box.tool(effect="write", transaction=True, description=WORDS)
    async def book(call: Call) -> Result[None]:
        await call.state.set("looked", True)
        return Result("There was nothing to book.")

    async with harness(assistant(box), ADA, store=books.store) as chat:
        outcome = await chat.host.call(ADA, "book", {}, session=chat.session.id)

        assert (outcome.code, await chat.host.sessions.state(ADA, chat.session.id)) == (None, {"looked": True})
