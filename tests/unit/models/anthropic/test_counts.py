"""`handgriff.models.anthropic.counts`."""

from handgriff.core.usage import Usage
from handgriff.models.anthropic.counts import closing, opening

START = {
    "input_tokens": 25,
    "cache_read_input_tokens": 1000,
    "cache_creation_input_tokens": 300,
    "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 200},
    "output_tokens": 1,
}


def test_the_opening_reports_the_input_exactly_and_the_output_not_at_all() -> None:
    """B081, B082: the placeholder is a floor."""
    usage = opening(START)

    assert (usage.input, usage.cache_read, usage.cache_write_5m, usage.cache_write_1h, usage.output) == (25, 1000, 100, 200, 1)
    assert usage.reported == {"input", "cache_read", "cache_write_5m", "cache_write_1h"}


def test_the_last_totals_count() -> None:
    usage = closing(opening(START), {"input_tokens": 40, "cache_read_input_tokens": 1500, "output_tokens": 300})

    assert (usage.input, usage.cache_read, usage.output) == (40, 1500, 300)
    assert (usage.cache_write_5m, usage.cache_write_1h) == (100, 200)


def test_a_later_total_of_cache_writes_keeps_what_was_written_for_an_hour() -> None:
    more = closing(opening(START), {"cache_creation_input_tokens": 700, "output_tokens": 1})
    less = closing(opening(START), {"cache_creation_input_tokens": 150, "output_tokens": 1})

    assert (more.cache_write_5m, more.cache_write_1h) == (500, 200)
    assert (less.cache_write_5m, less.cache_write_1h) == (0, 150)


def test_a_total_without_a_split_is_written_for_five_minutes() -> None:
    usage = opening({"cache_creation_input_tokens": 70})

    assert (usage.cache_write_5m, usage.cache_write_1h) == (70, 0)


def test_a_split_at_the_end_is_taken_as_it_is() -> None:
    usage = closing(opening(START), {"cache_creation": {"ephemeral_5m_input_tokens": 9, "ephemeral_1h_input_tokens": 8}})

    assert (usage.cache_write_5m, usage.cache_write_1h) == (9, 8)


def test_reasoning_and_the_providers_own_tools_are_counted() -> None:
    usage = closing(
        opening(None),
        {
            "output_tokens": 300,
            "output_tokens_details": {"thinking_tokens": 120},
            "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 0, "note": "x"},
        },
    )

    assert (usage.output, usage.reasoning) == (300, 120)
    assert usage.server_tool_uses == (("web_search", 2),)


def test_a_reported_zero_is_a_number_and_what_is_missing_is_not() -> None:
    """B083."""
    zeros = closing(opening({"input_tokens": 0}), {"output_tokens": 0})

    assert {"input", "output"} <= zeros.reported
    assert closing(opening(None), None) == Usage()


def test_what_is_no_count_is_not_reported() -> None:
    assert opening({"input_tokens": -1, "cache_read_input_tokens": True, "cache_creation": None}) == Usage()
