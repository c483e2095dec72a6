import random
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from itertools import product

import genai_prices
import pytest
from genai_prices.data import providers

from handgriff.core.money import PICO_PER_DOLLAR, Prices, cost
from handgriff.core.usage import Usage
from handgriff.errors import DefinitionError
from handgriff.prices.chained import chained
from handgriff.prices.published import PublishedPrices
from handgriff.prices.table import Entry, PriceTable

AT = datetime(2026, 11, 29, 12, tzinfo=UTC)
MOMENTS = (AT, datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 3, 1, 20, tzinfo=UTC), datetime(2026, 8, 1, 2, tzinfo=UTC))
SIZES = (0, 1, 7, 999, 33_000, 99_000, 150_000, 280_000)
OWN: Entry = {"input": "1", "cache_read": "1", "cache_write_5m": "1", "cache_write_1h": "1", "output": "1"}


def theirs(usage: Usage, provider: str, model: str, *, at: datetime = AT, context: dict[str, str] | None = None) -> Decimal:
    """What the library itself says, in pico-dollars."""
    uses = dict(usage.server_tool_uses)
    told = genai_prices.Usage(
        input_tokens=usage.total_input,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write_5m + usage.cache_write_1h,
        cache_write_5m_tokens=usage.cache_write_5m,
        cache_write_1h_tokens=usage.cache_write_1h,
        output_tokens=usage.output,
        output_reasoning_tokens=usage.reasoning,
        web_searches=uses.get("web_search", 0),
    )
    answer = genai_prices.calc_price(told, model, provider_id=provider, genai_request_timestamp=at, price_context=context)
    return answer.total_price * PICO_PER_DOLLAR


def some_usage(chance: random.Random, tools: dict[str, int]) -> Usage:
    output = chance.choice(SIZES)
    return Usage(
        input=chance.choice(SIZES),
        cache_read=chance.choice(SIZES),
        cache_write_5m=chance.choice(SIZES),
        cache_write_1h=chance.choice(SIZES),
        output=output,
        reasoning=chance.randint(0, output),
        server_tool_uses=(("web_search", chance.randint(0, 3)),) if "web_search" in tools else (),
    )


def found(provider: str, model: str, *, at: datetime = AT) -> Prices:
    prices = PublishedPrices().prices(provider, model, at)
    assert prices is not None
    return prices


def test_our_integers_are_their_decimals_for_every_model_variant_and_moment() -> None:
    chance = random.Random(9)  # noqa: S311  # chooses examples
    compared = 0

    for provider in providers:
        for model in provider.models:
            contexts = ({}, *(variant.when for variant in model.price_variants or ()))
            for context, at in product(contexts, MOMENTS if isinstance(model.prices, list) else (AT,)):
                prices = PublishedPrices(context=context).prices(provider.id, model.id, at)
                if prices is not None:
                    usage = some_usage(chance, dict(prices.server_tools))
                    assert cost(usage, prices) == theirs(usage, provider.id, model.id, at=at, context=context), (model.id, at, usage)
                    compared += 1

    assert compared > 2500


@pytest.mark.parametrize("context", [{}, {"processing": "batch"}], ids=str)
@pytest.mark.parametrize(
    ("provider", "model", "matched"),
    [
        ("aws", "eu.anthropic.claude-haiku-5-5", "aws/regional.anthropic.claude-haiku-5-5"),
        ("aws", "global.anthropic.claude-haiku-5-5", "aws/global.anthropic.claude-haiku-5-5"),
        ("google", "claude-haiku-5-5@20261001", "google/claude-haiku-5-5"),
        ("azure", "claude-opus-5-5", "azure/claude-opus-5-5"),
    ],
)
def test_regions_and_resellers_have_their_own_prices(provider: str, model: str, matched: str, context: dict[str, str]) -> None:
    prices = PublishedPrices(context=context).prices(provider, model, AT)
    usage = some_usage(random.Random(3), {})  # noqa: S311  # chooses an example

    assert prices is not None
    assert f" {matched} #" in prices.version
    assert cost(usage, prices) == theirs(usage, provider, model, context=context)


def test_nearly_every_model_that_is_priced_by_token_has_a_price() -> None:
    book = PublishedPrices()
    chat = [
        (provider.id, model.id)
        for provider in providers
        for model in provider.models
        if model.is_match(model.id) and (listed := model.get_prices(AT)).input_mtok is not None and listed.output_mtok is not None
    ]

    unpriced = [each for each in chat if book.prices(*each, AT) is None]

    assert len(chat) > 1500
    assert len(unpriced) < len(chat) // 50, unpriced


@pytest.mark.parametrize(("total", "dollars"), [(100_000, 1), (100_001, 5)])
def test_one_long_prompt_makes_the_whole_request_dearer(total: int, dollars: int) -> None:
    usage = Usage(input=total - 90_000, cache_read=50_000, cache_write_5m=30_000, cache_write_1h=10_000, output=1_000)
    base = 10_000 * 100_000 + 50_000 * 10_000 + 30_000 * 125_000 + 10_000 * 200_000 + 1_000 * 500_000

    assert cost(usage, found("anthropic", "claude-haiku-5-5")) == dollars * (base + (total - 100_000) * 100_000)


def test_the_moment_of_the_request_picks_the_price() -> None:
    usage = Usage(input=300_000)
    early, late = datetime(2026, 3, 12, 23, tzinfo=UTC), datetime(2026, 3, 13, tzinfo=UTC)
    before, after = (found("anthropic", "claude-opus-4-6", at=at) for at in (early, late))

    assert (cost(usage, before), cost(usage, after)) == (300_000 * 10**7, 300_000 * 5 * 10**6)
    assert before.version != after.version


def test_a_batch_has_its_own_price_and_version() -> None:
    batch = PublishedPrices(context={"processing": "batch"}).prices("anthropic", "claude-opus-5-5", AT)
    plain = found("anthropic", "claude-opus-5-5")

    assert batch is not None
    assert batch.rates.output * 2 == plain.rates.output
    assert batch.version != plain.version


def test_the_version_names_the_package_and_the_matched_model() -> None:
    assert found("anthropic", "claude-haiku-4-5-20251001").version.startswith(
        f"genai-prices {genai_prices.__version__} anthropic/claude-haiku-4-5 #"
    )


def test_a_tool_the_provider_includes_costs_its_tokens_only_and_an_unlisted_one_is_unpriced() -> None:
    prices = found("anthropic", "claude-haiku-5-5")

    assert cost(Usage(server_tool_uses=(("web_fetch", 3), ("web_search", 2))), prices) == 2 * PICO_PER_DOLLAR // 100
    assert cost(Usage(server_tool_uses=(("code_execution", 1),)), prices) is None


@pytest.mark.parametrize("model", ["auto", "", "unknown-x", "gpt-5"])
def test_B086_an_unknown_model_has_no_price(model: str) -> None:
    assert PublishedPrices().prices("anthropic", model, AT) is None


@pytest.mark.parametrize("provider", ["", "my-anthropic-proxy", "Anthropic", "litellm"])
def test_a_provider_that_only_sounds_like_a_known_one_has_no_price(provider: str) -> None:
    assert PublishedPrices().prices(provider, "claude-haiku-4-5", AT) is None


def test_a_price_finer_than_a_pico_dollar_is_refused_at_start_and_unpriced_in_a_row() -> None:
    book = PublishedPrices()
    model = ("huggingface_together", "meta-llama/Llama-3.3-70B-Instruct")

    with pytest.raises(DefinitionError, match="finer than one pico-dollar"):
        book.checked(*model, AT)
    assert book.prices(*model, AT) is None


@pytest.mark.parametrize(("provider", "model"), [("perplexity", "sonar-deep-research"), ("openai", "tts-1")])
def test_what_is_not_priced_by_the_tokens_we_count_is_unpriced(provider: str, model: str) -> None:
    assert PublishedPrices().checked(provider, model, AT) is None


def test_the_operators_own_price_goes_first() -> None:
    book = chained(PriceTable({"claude-haiku-4-5": OWN}, version="contract"), PublishedPrices())
    own, published = (book.prices("anthropic", model, AT) for model in ("claude-haiku-4-5-20251001", "claude-haiku-5-5"))

    assert own is not None
    assert own.version.startswith("contract ")
    assert published == found("anthropic", "claude-haiku-5-5")


def test_only_the_published_list_loads_the_library() -> None:
    script = "import sys, handgriff.prices, handgriff.prices.chained, handgriff.prices.table; print('genai_prices' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout == "False\n"
