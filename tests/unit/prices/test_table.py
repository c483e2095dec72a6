from datetime import UTC, datetime
from typing import Any

import pytest

from handgriff.core.money import PICO_PER_MICRO, Prices, cost, micro
from handgriff.core.usage import Usage
from handgriff.errors import DefinitionError
from handgriff.prices.table import Entry, PriceTable, TextRates, family

AT = datetime(2026, 11, 29, tzinfo=UTC)
HAIKU: Entry = {"input": "3", "cache_read": "0.30", "cache_write_5m": "3.75", "cache_write_1h": "6", "output": "15"}
DEAR: TextRates = {"input": "15", "cache_read": "1.5", "cache_write_5m": "18.75", "cache_write_1h": "30", "output": "75"}


def found(table: PriceTable, model: str, *, provider: str = "anthropic") -> Prices:
    prices = table.prices(provider, model, AT)
    assert prices is not None
    return prices


def test_every_class_is_read_exactly() -> None:
    prices = found(PriceTable({"claude-haiku-4-5": HAIKU}, version="2026-11"), "claude-haiku-4-5")
    usage = Usage(input=1, cache_read=1, cache_write_5m=1, cache_write_1h=1, output=1)

    assert cost(usage, prices) == (300 + 30 + 375 + 600 + 1500) * PICO_PER_MICRO // 100


@pytest.mark.parametrize("dated", ["claude-haiku-4-5-20251001", "claude-haiku-4-5@20251001", "claude-haiku-4-5-2025-10-01"])
def test_B086_a_dated_id_has_the_price_of_its_family(dated: str) -> None:
    table = PriceTable({"claude-haiku-4-5": HAIKU}, version="2026-11")

    assert found(table, dated) == found(table, "claude-haiku-4-5")


@pytest.mark.parametrize("model", ["claude-opus-4.1", "auto", "", "unknown-x", "claude-haiku-4", "claude-haiku-4-5-fast", "-20251001"])
def test_B086_no_other_id_has_a_price(model: str) -> None:
    assert PriceTable({"claude-haiku-4-5": HAIKU}, version="2026-11").prices("anthropic", model, AT) is None


@pytest.mark.parametrize("model", ["m-20251301", "m-20251032", "m-2025-1001", "m-0613", "m-20251001-x", "m-20251001\n", "m20251001"])
def test_what_only_looks_like_a_date_stays(model: str) -> None:
    assert family(model) == model


def test_the_exact_id_goes_before_its_family_and_the_provider_before_anybody() -> None:
    table = PriceTable(
        {
            "m": HAIKU,
            "m-20251001": {**HAIKU, "output": "16"},
            "other:m": {**HAIKU, "output": "17"},
        },
        version="v",
    )

    outputs = [
        found(table, model, provider=provider).rates.output // PICO_PER_MICRO
        for provider, model in [("anthropic", "m"), ("anthropic", "m-20251001"), ("other", "m"), ("other", "m-20260101")]
    ]

    assert outputs == [15, 16, 17, 17]


def test_a_long_prompt_pays_the_tier_and_tools_and_requests_their_own_price() -> None:
    entry: Entry = {**HAIKU, "above": {100_000: DEAR}, "server_tools": {"web_search": "0.01", "web_fetch": "0"}, "request": "0.005"}
    prices = found(PriceTable({"m": entry}, version="v"), "m")
    uses = (("web_fetch", 1), ("web_search", 2))

    assert cost(Usage(input=100_000), prices) == (5_000 + 300_000) * PICO_PER_MICRO
    assert cost(Usage(input=100_001), prices) == (5_000 + 100_001 * 15) * PICO_PER_MICRO
    assert cost(Usage(server_tool_uses=uses), prices) == 25_000 * PICO_PER_MICRO


def test_reasoning_costs_what_output_costs_unless_it_has_a_price() -> None:
    table = PriceTable({"m": HAIKU, "thinker": {**HAIKU, "reasoning": "1"}}, version="v")

    assert [micro(found(table, model).rates.reasoning) for model in ("m", "thinker")] == [15, 1]


def test_the_version_names_table_and_entry_and_changes_with_the_price() -> None:
    before, after = (found(PriceTable({"m": {**HAIKU, "output": price}}, version="2026-11"), "m").version for price in ("15", "16"))

    assert before.startswith("2026-11 m #")
    assert before != after


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"output": 15.0}, "'m', output: 15.0 is not a decimal number in text"),
        ({"cache_read": "0.0000001"}, "'m', cache_read: .* finer than one pico-dollar"),
        ({"inptu": "3"}, r"'m', entry: \['inptu'\] are not known"),
        ({"above": {5: {**DEAR, "request": "1"}}}, r"'m', above 5: \['request'\] are not known"),
        ({"above": {5: {"input": "3"}}}, "'m', above 5: it has no price for cache_read, cache_write_1h, cache_write_5m, output"),
        ({"server_tools": {"web_search": 0.01}}, "'m', web_search: 0.01 is not"),
        ({"request": "-1"}, "'m', request: '-1' is not"),
    ],
)
def test_a_wrong_entry_stops_the_start(change: dict[str, Any], problem: str) -> None:
    entry: Any = {**HAIKU, **change}

    with pytest.raises(DefinitionError, match=problem):
        PriceTable({"m": entry}, version="v")


def test_a_class_left_out_is_not_free() -> None:
    entry: Any = {"input": "3", "output": "15"}

    with pytest.raises(DefinitionError, match="no price for cache_read, cache_write_1h, cache_write_5m"):
        PriceTable({"m": entry}, version="v")


def test_a_model_without_a_name_is_refused() -> None:
    with pytest.raises(DefinitionError, match="it is empty"):
        PriceTable({"": HAIKU}, version="v")
