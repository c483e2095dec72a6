"""`handgriff.testing.loopback.cache`."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from handgriff.testing.loopback.cache import Cache, InputUsage, count_prompt, count_tokens, prefix_keys, simulate
from handgriff.testing.loopback.prompt import Block, Prompt, Ttl

FRESH: Cache = {}


def block(words: str, mark: Ttl | None = None, *, place: str = "user") -> Block:
    """A block of as many tokens as it has letters."""
    return Block(place, words * 4, mark)


def prompt(*blocks: Block, model: str = "m", settings: str = "") -> Prompt:
    return Prompt(model, settings, blocks, ())


def usage(*, fresh: int = 0, read: int = 0, short: int = 0, long: int = 0) -> InputUsage:
    return InputUsage(fresh=fresh, read=read, written_5m=short, written_1h=long)


def test_a_token_is_four_bytes_rounded_up() -> None:
    assert [count_tokens(text) for text in ("", "a", "abcd", "abcde", "äöü", "\ud800")] == [0, 1, 1, 2, 2, 1]


def test_a_prompt_costs_the_sum_of_its_blocks() -> None:
    assert count_prompt(prompt(block("ab"), Block("user", "abcde", None))) == 4


def test_without_marks_nothing_is_cached() -> None:
    asked = prompt(block("ab"), block("c"))

    first, cache = simulate(FRESH, asked, now=0)

    assert first == usage(fresh=3)
    assert simulate(cache, asked, now=0)[0] == usage(fresh=3)


def test_a_mark_writes_what_stands_before_it_and_the_next_request_reads_it() -> None:
    asked = prompt(block("abc"), block("de", "5m"), block("f"))

    first, cache = simulate(FRESH, asked, now=0)
    second, _ = simulate(cache, asked, now=1)

    assert first == usage(short=5, fresh=1)
    assert second == usage(read=5, fresh=1)


def test_lifetimes_are_billed_apart() -> None:
    asked = prompt(block("ab", place="tools"), block("cde", "1h", place="system"), block("fghi", "5m"), block("j"))

    first, cache = simulate(FRESH, asked, now=0)

    assert first == usage(long=5, short=4, fresh=1)
    assert simulate(cache, asked, now=299)[0] == usage(read=9, fresh=1)
    assert simulate(cache, asked, now=300)[0] == usage(read=5, short=4, fresh=1)
    assert simulate(cache, asked, now=3600)[0] == usage(long=5, short=4, fresh=1)


def test_reading_an_entry_renews_it_and_one_that_lives_keeps_its_lifetime() -> None:
    short, long = prompt(block("abc", "5m")), prompt(block("abc", "1h"))

    _, cache = simulate(FRESH, short, now=0)
    read, cache = simulate(cache, long, now=200)
    again, cache = simulate(cache, short, now=400)
    late, _ = simulate(cache, short, now=800)

    assert (read, again, late) == (usage(read=3), usage(read=3), usage(short=3))


def test_entries_that_were_not_read_expire_beside_those_that_were() -> None:
    system, question = block("abc", "5m", place="system"), block("d", "5m")

    _, cache = simulate(FRESH, prompt(system, question), now=0)
    _, cache = simulate(cache, prompt(system, block("x", "5m")), now=200)

    assert simulate(cache, prompt(system, question), now=400)[0] == usage(read=3, short=1)


def test_a_mark_looks_back_at_twenty_positions_its_own_included() -> None:
    """B077."""
    first = (block("a", "5m"),)
    _, cache = simulate(FRESH, prompt(*first), now=0)

    nineteen_on = prompt(block("a"), *(block("b") for _ in range(18)), block("c", "5m"))
    twenty_on = prompt(block("a"), *(block("b") for _ in range(19)), block("c", "5m"))

    assert simulate(cache, nineteen_on, now=1)[0] == usage(read=1, short=19)
    assert simulate(cache, twenty_on, now=1)[0] == usage(short=21)


def test_a_second_mark_opens_a_second_window() -> None:
    _, cache = simulate(FRESH, prompt(block("a", "5m")), now=0)

    asked = prompt(block("a"), block("b", "5m"), *(block("c") for _ in range(30)), block("d", "5m"))

    assert simulate(cache, asked, now=1)[0] == usage(read=1, short=32)


def test_an_unmarked_position_is_no_entry() -> None:
    """Look-back finds what earlier requests wrote, not what stayed the same."""
    _, cache = simulate(FRESH, prompt(block("system"), block("noon", "5m")), now=0)

    assert simulate(cache, prompt(block("system"), block("one ", "5m")), now=1)[0] == usage(short=10)


def test_another_byte_another_order_or_another_model_is_another_prefix() -> None:
    """B071."""
    asked = prompt(block("a", place="tools"), block("b", "5m", place="tools"))
    _, cache = simulate(FRESH, asked, now=0)

    changed = (
        prompt(block("b", place="tools"), block("a", "5m", place="tools")),
        prompt(block("A", place="tools"), block("b", "5m", place="tools")),
        prompt(block("a", place="tools"), block("b", "5m", place="system")),
        replace(asked, model="n"),
    )

    assert [simulate(cache, each, now=1)[0] for each in changed] == [usage(short=2)] * 4


def test_changed_settings_keep_tools_and_system_but_not_the_messages() -> None:
    asked = prompt(block("a", "1h", place="system"), block("b", "5m"))
    _, cache = simulate(FRESH, asked, now=0)

    assert simulate(cache, replace(asked, settings='{"type":"none"}'), now=1)[0] == usage(read=1, short=1)


def test_a_mark_on_too_short_a_prefix_is_ignored() -> None:
    asked = prompt(block("abc", "5m"), block("def", "5m"), block("g"))

    first, cache = simulate(FRESH, asked, now=0, minimum=4)

    assert first == usage(short=6, fresh=1)
    assert simulate(cache, prompt(block("abc", "5m")), now=0, minimum=4)[0] == usage(fresh=3)


def test_an_empty_prompt_costs_nothing() -> None:
    assert simulate(FRESH, prompt(), now=0) == (usage(), {})


MARKS: st.SearchStrategy[Ttl | None] = st.sampled_from([None, None, None, "5m"])
BLOCKS = st.lists(st.builds(block, st.sampled_from(["a", "bb", "ccc"]), MARKS), max_size=30)


@given(st.lists(st.tuples(BLOCKS, st.floats(0, 400))))
def test_the_parts_always_add_up_and_a_repeated_request_is_read_to_its_last_mark(rounds: list[tuple[list[Block], float]]) -> None:
    cache, now = FRESH, 0.0
    for blocks, pause in rounds:
        now += pause
        asked = prompt(*blocks)

        first, cache = simulate(cache, asked, now=now)
        second, cache = simulate(cache, asked, now=now)

        assert first.total == second.total == count_prompt(asked)
        assert min(first.fresh, first.read, first.written_5m, first.written_1h) >= 0
        assert second == usage(fresh=first.fresh, read=first.total - first.fresh)


@given(BLOCKS, BLOCKS)
def test_prefix_keys_agree_exactly_as_far_as_the_prompts_do(one: list[Block], two: list[Block]) -> None:
    same = next((at for at, (left, right) in enumerate(zip(one, two, strict=False)) if left.text != right.text), min(len(one), len(two)))

    left, right = prefix_keys(prompt(*one)), prefix_keys(prompt(*two))

    assert left[:same] == right[:same]
    assert not set(left[same:]) & set(right[same:])
