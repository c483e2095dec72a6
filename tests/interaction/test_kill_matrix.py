"""The process is killed at every step of plan, park, decide, claim, run, settle and continue, while the payment provider works, or fails in
each of its ways: no double charge, none forgotten, and every uncertain one settled by `reconcile`. Store credit in the application's own
tables is never uncertain at all. The tables are printed. Cases B096, B106."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
import httpx2
import pytest

from examples.refunds.launch import provider_process
from handgriff.stores.postgres.driver import connect
from handgriff.testing.clock import START, StillClock
from handgriff.testing.loopback.provider import LoopbackProvider
from tests.interaction.counter import forking
from tests.interaction.kill_run import After, Found, finish, look, looking, run
from tests.interaction.kill_shop import PLACES, TABLE, Fate, Wish, answer, converse
from tests.interaction.stores import store_name

pytestmark = pytest.mark.anyio
FAULTS: Final = ("works", "before", "during", "after")
SQLITE: Final = "sqlite:///"


@dataclass(frozen=True, slots=True)
class Bench:
    """One store with the application's table in it, the model's provider, and the payment provider."""

    store: str
    model: str
    payments: str
    after: After


@pytest.fixture
def payments(tmp_path: Path) -> Iterator[str]:
    """The payment provider, a process that outlives every shop."""
    with provider_process(tmp_path / "payments") as running:
        yield running.url


@pytest.fixture
async def bench(kind: str, request: pytest.FixtureRequest, tmp_path: Path, payments: str) -> AsyncIterator[Bench]:
    """Everything but the shop."""
    store = await anyio.to_thread.run_sync(store_name, kind, request, tmp_path)
    await _make_table(store)
    async with LoopbackProvider(answer) as model, looking(store, model.url) as after:
        yield Bench(store, model.url, payments, after)


async def _make_table(store: str) -> None:
    if store.startswith(SQLITE):
        with closing(sqlite3.connect(store.removeprefix(SQLITE))) as connection:
            connection.execute(TABLE)
            connection.commit()
        return
    database = await connect(store)
    try:
        await database.execute(TABLE)
        await database.execute("DELETE FROM shop_credit")
    finally:
        await database.close()


async def _rows(store: str, tenant: str) -> int:
    if store.startswith(SQLITE):
        with closing(sqlite3.connect(store.removeprefix(SQLITE))) as connection:
            return int(connection.execute("SELECT count(*) FROM shop_credit WHERE tenant = ?", (tenant,)).fetchone()[0])
    database = await connect(store)
    try:
        return int(await database.fetchval("SELECT count(*) FROM shop_credit WHERE tenant = $1", tenant))
    finally:
        await database.close()


async def _arm(payments: str, fault: str | None) -> None:
    async with httpx2.AsyncClient(base_url=payments) as provider:
        (await provider.post("/fault", json={"fault": fault})).raise_for_status()


async def _charges(payments: str, key: str) -> int:
    async with httpx2.AsyncClient(base_url=payments) as provider:
        return sum(charge["key"] == key for charge in (await provider.get("/charges")).json()["charges"])


async def _cell(bench: Bench, tenant: str, wish: Wish, fault: str, at: str) -> Found:
    """One conversation that is killed at *at*, and what the next ones find."""
    await _arm(bench.payments, None if fault == "works" else fault)
    process = forking().Process(target=run, args=(bench.store, bench.model, bench.payments, tenant, wish, at))
    process.start()
    await anyio.to_thread.run_sync(process.join)
    assert process.exitcode == (-9 if at else 0), f"{at}: {process.exitcode}"
    await _arm(bench.payments, None)
    uncertain = await look(bench.after, tenant)
    effects = await finish(bench.after, bench.payments, tenant, wish)
    [effect] = effects
    happened = await _charges(bench.payments, effect.key) if wish == "refund" else await _rows(bench.store, tenant)
    return Found(uncertain, effect.state, happened)


async def _places(bench: Bench, wish: Wish, fault: str) -> list[str]:
    """Where this conversation can be killed."""
    await _arm(bench.payments, None if fault == "works" else fault)
    fate: Fate = await converse(bench.store, bench.model, bench.payments, "whole", wish, StillClock(START))
    assert set(PLACES[wish]) - ({"charged"} if fault != "works" else set()) <= set(fate.places)
    return ["", *fate.places]


def _print(title: str, cells: dict[str, Found]) -> None:
    print(f"\n{title}\n{'killed at':<14}{'uncertain':>10}{'at the end':>15}{'happened':>10}")  # noqa: T201  # the table is what it is for
    for at, found in cells.items():
        print(f"{at or 'never':<14}{found.uncertain:>10}{found.state:>15}{found.happened:>10}")  # noqa: T201
    double = sum(found.happened > 1 for found in cells.values())
    forgotten = sum(found.happened != (found.state == "done") for found in cells.values())
    unsettled = sum(found.state == "indeterminate" for found in cells.values())
    print(f"{len(cells)} runs: {double} double, {forgotten} forgotten, {unsettled} left uncertain")  # noqa: T201


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_a_refund_is_charged_once_wherever_the_process_is_killed(bench: Bench, kind: str, fault: str) -> None:
    places = await _places(bench, "refund", fault)
    cells = {at: await _cell(bench, f"{fault}-{number}", "refund", fault, at) for number, at in enumerate(places)}

    _print(f"refund, {kind}, provider: {fault}", cells)
    assert all((found.happened, found.state) in ((1, "done"), (0, "failed")) for found in cells.values()), cells
    assert any(found.uncertain for found in cells.values())


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_store_credit_is_booked_once_and_never_uncertain_wherever_the_process_is_killed(bench: Bench, kind: str) -> None:
    places = await _places(bench, "credit", "works")
    cells = {at: await _cell(bench, f"credit-{number}", "credit", "works", at) for number, at in enumerate(places)}

    _print(f"store credit, {kind}", cells)
    assert all((found.happened, found.state) in ((1, "done"), (0, "failed")) for found in cells.values()), cells
    assert not any(found.uncertain for found in cells.values())
