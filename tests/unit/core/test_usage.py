import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.usage import TOKEN_CLASSES, TokenClass, Usage, latest, settle
from handgriff.errors import DefinitionError

counts = st.integers(min_value=0, max_value=10**7)
reports = st.builds(
    lambda given, uses: Usage.of(**given, server_tool_uses=uses),
    st.dictionaries(st.sampled_from(TOKEN_CLASSES), counts),
    st.dictionaries(st.sampled_from(["web_search", "web_fetch"]), counts),
)


@pytest.mark.parametrize("wrong", [-1, 1.0, True, "3"])
def test_a_count_that_is_not_an_integer_of_0_or_more_is_refused(wrong: int) -> None:
    with pytest.raises(DefinitionError, match="cache_write_1h"):
        Usage(cache_write_1h=wrong)
    with pytest.raises(DefinitionError, match="web_search"):
        Usage(server_tool_uses=(("web_search", wrong),))


def test_a_tool_is_counted_once() -> None:
    with pytest.raises(DefinitionError, match="names a tool twice"):
        Usage(server_tool_uses=(("web_search", 1), ("web_search", 2)))


def test_only_token_classes_can_be_reported() -> None:
    made_up: frozenset[TokenClass] = frozenset({"tokens"})  # type: ignore[arg-type]  # what a wrong adapter would do

    with pytest.raises(DefinitionError, match="'tokens'"):
        Usage(reported=made_up)


def test_what_is_given_is_reported_and_what_is_not_given_is_not() -> None:
    usage = Usage.of(input=25, cache_read=0, server_tool_uses={"web_search": 2, "web_fetch": 1})

    assert usage == Usage(input=25, server_tool_uses=(("web_fetch", 1), ("web_search", 2)), reported=frozenset({"input", "cache_read"}))


def test_the_prompt_is_every_input_class_once() -> None:
    usage = Usage(input=1, cache_read=20, cache_write_5m=300, cache_write_1h=4000, output=50_000, reasoning=10_000)

    assert usage.total_input == 4321


def test_the_last_total_counts_and_never_the_sum() -> None:
    start = Usage.of(input=100, cache_read=10, output=1, server_tool_uses={"web_search": 1})
    middle = Usage.of(output=40, server_tool_uses={"web_search": 2, "web_fetch": 1})
    end = Usage.of(input=90, output=80, reasoning=30, server_tool_uses={"web_search": 3})

    total = latest(latest(start, middle), end)

    assert total == Usage.of(input=90, cache_read=10, output=80, reasoning=30, server_tool_uses={"web_search": 3, "web_fetch": 1})


def test_a_placeholder_gives_way_to_a_report_and_never_covers_one() -> None:
    placeholder = dataclasses.replace(Usage.of(input=25), output=1)

    assert latest(placeholder, Usage.of(output=0)) == Usage.of(input=25, output=0)
    assert latest(Usage.of(input=25, output=300), placeholder) == Usage.of(input=25, output=300)


@given(reports, reports)
def test_an_update_repeated_changes_nothing(previous: Usage, update: Usage) -> None:
    once = latest(previous, update)

    assert latest(once, update) == once
    assert once.reported == previous.reported | update.reported


def test_B081_an_abort_before_any_total_keeps_the_reported_input_and_estimates_the_output() -> None:
    started = dataclasses.replace(Usage.of(input=25), output=1)

    settled, estimated = settle(started, estimate_output=26, estimate_input=999)

    assert (settled.input, settled.output, estimated) == (25, 26, True)
    assert settled.reported == {"input"}


def test_B082_the_placeholder_of_a_stream_is_not_its_output() -> None:
    started = dataclasses.replace(Usage.of(input=25), output=1)

    assert settle(started, estimate_output=300, estimate_input=25)[0].output == 300
    assert settle(started, estimate_output=0, estimate_input=25)[0].output == 1


def test_B083_a_reported_zero_is_a_number_and_a_missing_class_is_a_gap() -> None:
    estimates = {"estimate_output": 10, "estimate_input": 7}

    assert settle(Usage.of(input=0, output=0), **estimates) == (Usage.of(input=0, output=0), False)
    assert settle(Usage(), **estimates) == (Usage(input=7, output=10), True)
    assert settle(Usage.of(input=10), **estimates) == (dataclasses.replace(Usage.of(input=10), output=10), True)
    assert settle(Usage.of(output=3), **estimates) == (dataclasses.replace(Usage.of(output=3), input=7), True)


def test_reported_cache_tokens_are_taken_off_the_estimated_prompt() -> None:
    cached = Usage.of(cache_read=600, cache_write_5m=100)

    assert settle(cached, estimate_output=0, estimate_input=1000)[0].total_input == 1000
    assert settle(cached, estimate_output=0, estimate_input=500)[0].total_input == 700


def test_an_estimated_output_holds_at_least_its_reasoning() -> None:
    assert settle(Usage.of(input=1, reasoning=40), estimate_output=5, estimate_input=0)[0].output == 40


def test_B093_the_round_that_was_cancelled_is_counted_with_the_others() -> None:
    rounds = [Usage.of(input=1000, output=50), Usage.of(input=1200, output=60), dataclasses.replace(Usage.of(input=1400), output=1)]

    settled = [settle(each, estimate_output=30, estimate_input=0) for each in rounds]

    assert sum(usage.input for usage, _ in settled) == 3600
    assert sum(usage.output for usage, _ in settled) == 50 + 60 + 30
    assert [estimated for _, estimated in settled] == [False, False, True]


@given(reports, counts, counts)
def test_settling_touches_no_reported_class_and_twice_is_once(usage: Usage, output: int, prompt: int) -> None:
    settled, estimated = settle(usage, estimate_output=output, estimate_input=prompt)

    assert all(getattr(settled, name) == getattr(usage, name) for name in usage.reported)
    assert estimated is not ({"input", "output"} <= usage.reported)
    assert settle(settled, estimate_output=output, estimate_input=prompt) == (settled, estimated)


@given(st.lists(reports, min_size=1, max_size=5))
def test_totals_that_arrive_again_in_any_later_event_are_not_added(updates: list[Usage]) -> None:
    once = Usage()
    for update in updates:
        once = latest(once, update)
    repeated = Usage()
    for update in itertools.chain.from_iterable((update, update) for update in updates):
        repeated = latest(repeated, update)

    assert repeated == once
