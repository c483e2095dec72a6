"""A handler that ends its transaction by hand where the database can't prevent it: then only it knows what stands."""

import pytest

from handgriff import Call, Refusal, Result, Toolbox
from handgriff.stores.postgres.driver import connect
from handgriff.testing.harness import harness
from tests.interaction.desk import ADA, WORDS, assistant
from tests.interaction.stores import store_name

pytestmark = pytest.mark.anyio


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An empty PostgreSQL store."""
    return store_name("postgres", request, tmp_path_factory.mktemp("unused"))


@pytest.mark.parametrize("then", ["returns", "refuses", "raises", "raises outside"])
@pytest.mark.parametrize("statement", ["COMMIT", "ROLLBACK"])
async def test_what_was_ended_by_hand_is_uncertain_and_never_said_to_be_undone(store: str, statement: str, then: str) -> None:
    database = await connect(store)
    await database.execute("DROP TABLE IF EXISTS by_hand; CREATE TABLE by_hand (n integer)")
    box = Toolbox("b")

    @box.tool(effect="write", transaction=True, description=WORDS)
    async def give(call: Call) -> Result[None]:
        async with call.transaction() as connection:
            await connection.execute("INSERT INTO by_hand VALUES (1)")
            await connection.execute(statement)
            if then == "refuses":
                raise Refusal("conflict", "No.")
            if then == "raises":
                raise RuntimeError(then)
        if then == "raises outside":
            raise RuntimeError(then)
        return Result("Given.")

    try:
        async with harness(assistant(box), ADA, store=store) as chat:
            outcome = await chat.host.call(ADA, "give", {})
            [record] = await chat.host.effects.list("acme")
        rows = await database.fetchval("SELECT count(*) FROM by_hand")
    finally:
        await database.close()

    assert (outcome.code, record.state) == ("indeterminate", "indeterminate")
    assert rows == (1 if statement == "COMMIT" else 0)
