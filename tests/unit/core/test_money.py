import dataclasses
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.money import Prices, Rates, Tier, cost, format_micro, micro, price_of, stamped
from handgriff.core.usage import Usage, settle
from handgriff.errors import DefinitionError


def rates(*, input: str = "3", output: str = "15", factor: int = 1) -> Rates:  # noqa: A002  # the class's name
    return Rates(
        input=price_of(input) * factor,
        cache_read=price_of("0.30") * factor,
        cache_write_5m=price_of("3.75") * factor,
        cache_write_1h=price_of("6") * factor,
        output=price_of(output) * factor,
        reasoning=price_of(output) * factor,
    )


PRICES = Prices(
    rates=rates(), tiers=(Tier(1000, rates(factor=2)), Tier(5000, rates(factor=5))), server_tools=(("web_search", 10**10),), version="t"
)

counts = st.integers(min_value=0, max_value=3000)
rows = st.lists(st.builds(Usage, input=counts, cache_read=counts, cache_write_5m=counts, cache_write_1h=counts, output=counts), min_size=1)


def priced(usage: Usage, prices: Prices = PRICES) -> int:
    pico = cost(usage, prices)
    assert pico is not None
    return pico


@pytest.mark.parametrize(
    ("text", "pico"),
    [("3", 3_000_000), ("0.30", 300_000), ("19.99", 19_990_000), ("0.000001", 1), ("0.0000010", 1), ("0", 0), ("007.5", 7_500_000)],
)
def test_text_becomes_exact_pico_dollars_a_token(text: str, pico: int) -> None:
    assert price_of(text) == pico


def test_a_price_can_be_for_another_number_of_units() -> None:
    assert price_of("10", per=1_000) == 10**10
    assert price_of("0.01", per=1) == 10**10


@pytest.mark.parametrize("wrong", [0.30, 3, None, "", " 3", "3.", ".5", "-1", "+1", "1e-3", "1_000", "NaN", "٣", "3\n", "0,30"], ids=repr)
def test_B092_a_price_is_plain_text_and_a_float_is_refused(wrong: str) -> None:
    with pytest.raises(DefinitionError, match=r"'m', input: .* is not a decimal number in text"):
        price_of(wrong, subject="m", member="input")


@pytest.mark.parametrize("fine", ["0.0000001", "0.18000000000000002"])
def test_a_price_finer_than_a_pico_dollar_a_token_is_refused(fine: str) -> None:
    with pytest.raises(DefinitionError, match="finer than one pico-dollar"):
        price_of(fine)


@given(st.integers(min_value=0, max_value=10**15))
def test_every_whole_number_of_pico_dollars_can_be_written(pico: int) -> None:
    assert price_of(f"{pico // 10**6}.{pico % 10**6:06}") == pico


def test_each_class_has_its_own_rate() -> None:
    usage = Usage(input=1, cache_read=10, cache_write_5m=100, cache_write_1h=200, output=20, server_tool_uses=(("web_search", 2),))

    assert priced(usage) == 3_000_000 + 3_000_000 + 375_000_000 + 1_200_000_000 + 300_000_000 + 2 * 10**10


def test_reasoning_is_a_part_of_output_and_may_have_a_rate() -> None:
    thinking = dataclasses.replace(PRICES, rates=dataclasses.replace(PRICES.rates, reasoning=1))

    assert priced(Usage(output=30, reasoning=10)) == priced(Usage(output=30))
    assert priced(Usage(output=30, reasoning=10), thinking) == 20 * 15_000_000 + 10
    assert priced(Usage(output=30, reasoning=40), thinking) == 30


def test_a_request_may_cost_something_as_such() -> None:
    assert priced(Usage(), dataclasses.replace(PRICES, request=5)) == 5


@pytest.mark.parametrize(("total", "factor"), [(1000, 1), (1001, 2), (5000, 2), (5001, 5)])
def test_the_whole_prompt_of_one_request_picks_the_tier_of_all_its_tokens(total: int, factor: int) -> None:
    usage = Usage(input=total - 900, cache_read=500, cache_write_5m=300, cache_write_1h=100, output=7)
    flat = dataclasses.replace(PRICES, tiers=())

    assert priced(usage) == factor * priced(usage, flat)


def test_B086_what_has_no_price_costs_none_and_never_0() -> None:
    assert cost(Usage.of(input=10, output=10), None) is None
    assert cost(Usage(server_tool_uses=(("code_execution", 1),)), PRICES) is None
    assert cost(Usage(server_tool_uses=(("code_execution", 0),)), PRICES) == 0


def test_B082_an_aborted_row_is_priced_after_its_output_was_recovered() -> None:
    settled, estimated = settle(dataclasses.replace(Usage.of(input=25), output=1), estimate_output=300, estimate_input=25)

    assert micro(priced(settled)) == 25 * 3 + 300 * 15 == 4575
    assert estimated


def test_B081_an_aborted_row_costs_at_least_its_input() -> None:
    settled, _ = settle(dataclasses.replace(Usage.of(input=25), output=1), estimate_output=26, estimate_input=0)

    assert micro(priced(settled)) == 75 + 26 * 15


def test_B083_a_reported_zero_costs_nothing_and_a_gap_costs_its_estimate() -> None:
    zero, _ = settle(Usage.of(input=0, output=0), estimate_output=10, estimate_input=10)
    gap, _ = settle(Usage(), estimate_output=10, estimate_input=10)

    assert (priced(zero), micro(priced(gap))) == (0, 180)


def test_B093_three_rounds_cost_what_they_cost_together() -> None:
    rounds = [Usage(input=1000, output=50), Usage(input=1200, output=60), Usage(input=1400, output=30)]
    flat = dataclasses.replace(PRICES, tiers=())

    assert sum(priced(each, flat) for each in rounds) == priced(Usage(input=3600, output=140), flat)


def test_B092_ten_thousand_small_calls_lose_nothing() -> None:
    tenth = Prices(rates=rates(input="0.1"), version="t")

    assert micro(sum(priced(Usage(input=7), tenth) for _ in range(10_000))) == 7000
    assert priced(Usage(input=1), tenth) == 100_000
    assert micro(priced(Usage(input=1), tenth)) == 0


@given(rows, st.randoms(use_true_random=False))
def test_B092_the_parts_of_any_split_add_up_to_the_total(usages: list[Usage], random: Random) -> None:
    parts: dict[int, list[int]] = {}
    for usage in usages:
        parts.setdefault(random.randrange(4), []).append(priced(usage))

    assert sum(sum(part) for part in parts.values()) == sum(priced(usage) for usage in usages)


@given(rows)
def test_B092_without_tiers_the_rows_cost_what_their_sum_costs(usages: list[Usage]) -> None:
    flat = dataclasses.replace(PRICES, tiers=())
    names = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")
    together = Usage(**{name: sum(getattr(usage, name) for usage in usages) for name in names})

    assert sum(priced(usage, flat) for usage in usages) == priced(together, flat)


@pytest.mark.parametrize(
    ("pico", "text"),
    [
        (4_575_000_000, "4,575 µ$"),
        (499_999, "0 µ$"),
        (500_000, "1 µ$"),
        (1_500_000, "2 µ$"),
        (2_500_000, "3 µ$"),
        (-500_000, "-1 µ$"),
        (-499_999, "0 µ$"),
        (1_234_567_000_000, "1,234,567 µ$"),
    ],
)
def test_people_see_micro_dollars_rounded_half_away_from_zero(pico: int, text: str) -> None:
    assert format_micro(pico) == text


@pytest.mark.parametrize("wrong", [-1, 0.5, True])
def test_amounts_are_integers_of_0_or_more(wrong: int) -> None:
    with pytest.raises(DefinitionError, match="cache_read"):
        dataclasses.replace(PRICES.rates, cache_read=wrong)
    with pytest.raises(DefinitionError, match="request"):
        dataclasses.replace(PRICES, request=wrong)
    with pytest.raises(DefinitionError, match="web_search"):
        dataclasses.replace(PRICES, server_tools=(("web_search", wrong),))


@pytest.mark.parametrize("starts", [(5, 5), (9, 5)])
def test_tiers_rise(starts: tuple[int, ...]) -> None:
    with pytest.raises(DefinitionError, match="tiers"):
        dataclasses.replace(PRICES, tiers=tuple(Tier(start, PRICES.rates) for start in starts))


def test_another_price_has_another_version_and_the_same_price_the_same() -> None:
    dearer = dataclasses.replace(PRICES, tiers=(Tier(1000, rates(factor=3)),))

    assert stamped(PRICES) == stamped(dataclasses.replace(PRICES))
    assert stamped(PRICES).version.startswith("t #")
    assert stamped(PRICES).version != stamped(dearer).version
