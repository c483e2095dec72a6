"""One row for each model request, opened before it is sent and closed in every case. Cases B081, B082, B083, B086, B093, B145."""

from typing import Any

import anyio
import pytest

from handgriff import Assistant, Lane, Result, Toolbox
from handgriff.core.events import PartialMessage, TurnEnded
from handgriff.core.rows import Request
from handgriff.prices.table import PriceTable
from handgriff.stores.memory import MemoryStore
from handgriff.testing.harness import PRICES, Harness, harness
from handgriff.testing.loopback.script import Answer, Drop, EarlyEnd, ErrorEvent, Hold, HttpError, Reply, Text, ToolUse
from tests.interaction.desk import ADA, WORDS, assistant, endings, rows

pytestmark = pytest.mark.anyio
PICO = 1_000_000
"""A micro-dollar."""


def desk() -> Assistant:
    box = Toolbox("desk")

    @box.tool(effect="read", description=WORDS)
    async def look() -> Result[None]:
        return Result("Seen.")

    return assistant(box, attempts=1)


def usage(tokens_in: int | None, tokens_out: int | None) -> dict[str, Any]:
    named = {"input_tokens": tokens_in, "output_tokens": tokens_out}
    return {name: value for name, value in named.items() if value is not None}


def tokens(row: Request) -> tuple[int, int]:
    return row.input_tokens, row.output_tokens


async def cut(chat: Harness, held: anyio.Event, request: int) -> None:
    """Stop the turn when all of request *request* that is not held has arrived."""
    async for item in chat.host.turn(ADA, chat.session.id, "Tell."):
        if len(chat.provider.requests) == request + 1 and type(item.body).__name__ == "TextDelta":
            await chat.host.stop(ADA, chat.session.id)
    held.set()


def story(text: str, until: anyio.Event, start: dict[str, Any]) -> Answer:
    """All of *text* in one delta, then nothing more."""
    return Answer((Text(text, chunk=10_000),), start_usage=start, inserts=(), holds=(Hold(3, until.wait),))


async def test_the_row_is_on_disk_before_the_request_is_sent() -> None:
    """B081: even a killed process leaves a trace."""
    store, seen = MemoryStore(), []

    def answer(request: Any) -> str:
        seen.append([row.status for row in store._tables.requests.values()])
        return "Hello."

    async with harness(desk(), ADA, script=answer, store=store) as chat:
        await chat.say("Hello")
        await chat.say("Hello")

        assert seen == [["open"], ["ok", "open"]]
        assert [row.status for row in await rows(chat)] == ["ok", "ok"]
        assert all(row.reserved_tokens > 8192 for row in await rows(chat))


async def test_an_aborted_request_is_priced_with_what_was_reported_and_the_rest_estimated() -> None:
    """B081, B082: 25 tokens in as reported, 300 out as they came: computed after the count is known, with this lane's prices."""
    held = anyio.Event()
    text = "word " * 300
    async with harness(desk(), ADA, script=[story(text, held, usage(25, 1))]) as chat:
        await cut(chat, held, 0)

        [row] = await rows(chat)
        assert (row.status, row.estimated, row.input_tokens) == ("aborted", True, 25)
        assert row.output_tokens > 200
        assert row.cost_pico == (25 * 3 + row.output_tokens * 15) * PICO
        assert (row.tenant, row.user, row.session, row.lane) == ("acme", "ada", chat.session.id, "standard")


@pytest.mark.parametrize("how", ["stop", "leave"])
async def test_whichever_way_it_is_cut_there_is_one_row(how: str) -> None:
    """B081: a stop, or a client that goes away."""
    held = anyio.Event()
    async with harness(desk(), ADA, script=[story("Once upon a time.", held, usage(25, 1))], grace=0) as chat:
        items = chat.host.turn(ADA, chat.session.id, "Tell.")
        async for item in items:
            if type(item.body).__name__ == "TextDelta":
                break
        if how == "stop":
            await chat.host.stop(ADA, chat.session.id)
        await items.aclose()
        with anyio.fail_after(5):
            while not await endings(chat):
                await anyio.wait_all_tasks_blocked()
        held.set()

        [row] = await rows(chat)
        assert (row.status, row.input_tokens) == ("aborted", 25)
        assert row.cost_pico is not None
        assert row.cost_pico >= 75 * PICO


@pytest.mark.parametrize(
    ("start", "end", "expected", "is_estimated"),
    [
        (usage(0, 0), usage(0, 0), (0, 0), False),
        ({}, {}, None, True),
        (usage(10, None), {}, 10, True),
    ],
    ids=["zero reported", "nothing reported", "input alone"],
)
async def test_a_reported_zero_is_a_number_and_what_is_missing_is_estimated(
    start: dict[str, Any], end: dict[str, Any], expected: Any, is_estimated: bool
) -> None:
    """B083: forty characters were delivered each time."""
    answer = Answer((Text("four words and then some more of it all."),), start_usage=start, end_usage=end)
    async with harness(desk(), ADA, script=[answer]) as chat:
        await chat.say("Tell.")

        [row] = await rows(chat)
        assert (row.status, row.estimated) == ("ok", is_estimated)
        if isinstance(expected, tuple):
            assert (tokens(row), row.cost_pico) == (expected, 0)
        else:
            assert row.input_tokens == expected if expected else row.input_tokens > 0
            assert row.output_tokens > 0


async def test_the_round_that_is_cut_is_counted_with_those_before_it() -> None:
    """B093: 1000 + 1200 + 1400 in; 50 + 60 and what had come of the third; no row twice."""
    held = anyio.Event()
    script = [
        Answer((ToolUse("look", {}),), start_usage=usage(1000, 1), end_usage=usage(None, 50)),
        Answer((ToolUse("look", {}),), start_usage=usage(1200, 1), end_usage=usage(None, 60)),
        story("word " * 30, held, usage(1400, 1)),
    ]
    async with harness(desk(), ADA, script=script) as chat:
        await cut(chat, held, 2)

        found = await rows(chat)
        assert [row.status for row in found] == ["ok", "ok", "aborted"]
        assert [row.input_tokens for row in found] == [1000, 1200, 1400]
        assert [row.output_tokens for row in found[:2]] == [50, 60]
        assert 20 < found[2].output_tokens < 60
        [ended] = [event.body for event in await chat.events() if isinstance(event.body, TurnEnded)]
        assert ended.input_tokens == 3600
        assert ended.output_tokens == sum(row.output_tokens for row in found)
        assert ended.cost_pico == sum(row.cost_pico or 0 for row in found)


@pytest.mark.parametrize("fault", [ErrorEvent(8), EarlyEnd(8), Drop(8), Drop(8, reset=True)], ids=["error", "early end", "drop", "reset"])
async def test_after_an_error_there_is_one_end_and_nothing_behind_it(fault: Any) -> None:
    """B145: three deltas, then the provider fails; the row is written once."""
    async with harness(desk(), ADA, script=[Answer((Text("one two three four five six", chunk=4),), fault=fault)]) as chat:
        told = await chat.say("Tell.")

        kinds = [type(item.body).__name__ for item in told.items]
        assert kinds[-1] == "TurnEnded"
        assert kinds.count("TurnEnded") == 1
        assert "PartialMessage" in kinds
        assert told.ended.status == "failed"
        assert [row.status for row in await rows(chat)] == ["failed"]
        assert len([event for event in await chat.events() if isinstance(event.body, PartialMessage)]) == 1


async def test_a_request_the_provider_turned_away_costs_nothing() -> None:
    async with harness(desk(), ADA, script=[HttpError(529)]) as chat:
        await chat.say("Tell.")

        [row] = await rows(chat)
        assert (row.status, row.cost_pico, row.estimated, tokens(row)) == ("failed", 0, False, (0, 0))


async def test_a_model_without_a_price_is_unpriced_and_that_is_said() -> None:
    """B086: never zero by accident."""
    made = desk()
    made.lanes = {"odd": Lane("anthropic:unknown-x")}
    async with harness(made, ADA, script=["Hello."], prices=PRICES) as chat:
        told = await chat.say("Hello")

        [row] = await rows(chat)
        assert (row.cost_pico, row.price_version, row.model) == (None, None, "unknown-x")
        assert (told.ended.cost_pico, told.ended.unpriced) == (None, 1)


async def test_a_turns_sums_are_those_of_its_rows_whatever_was_cached() -> None:
    """Money identity: the parts add up exactly, cached classes counted once."""
    prices = PriceTable(
        {
            "claude-sonnet-5": {
                "input": "2.999999",
                "output": "15.000001",
                "cache_write_5m": "3.7",
                "cache_write_1h": "6.1",
                "cache_read": "0.3",
            }
        },
        version="odd",
    )
    script: list[Reply | str | ToolUse] = [ToolUse("look", {}), ToolUse("look", {}), "Seen.", "Again."]
    async with harness(desk(), ADA, script=script, prices=prices) as chat:
        ends = [(await chat.say("Look.")).ended, (await chat.say("Again?")).ended]

        found = await rows(chat)
        assert [ended.model_requests for ended in ends] == [3, 1]
        assert sum(ended.cost_pico or 0 for ended in ends) == sum(row.cost_pico or 0 for row in found)
        for row in found:
            classes = (row.input_tokens, row.output_tokens, row.cache_write_5m_tokens, row.cache_write_1h_tokens, row.cache_read_tokens)
            picos = (2_999_999, 15_000_001, 3_700_000, 6_100_000, 300_000)
            assert row.cost_pico == sum(count * price for count, price in zip(classes, picos, strict=True))
            assert str(row.price_version).startswith("odd ")
        sizes = [row.input_tokens + row.cache_read_tokens + row.cache_write_5m_tokens + row.cache_write_1h_tokens for row in found]
        assert sizes == [request.usage.total for request in chat.provider.requests if request.usage is not None]
