"""How a call ended, in words that fit. Cases B055, B056, B114, B115, B116."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core import jsontext
from handgriff.core.events import Shown, ShownChange
from handgriff.core.outcome import (
    DIFF_LINES,
    FACTS_BYTES,
    MESSAGE_CHARACTERS,
    Outcome,
    refused,
    replayed,
    shorten,
    show,
    succeeded,
    too_large,
)
from handgriff.core.result import Change, Link, Page, Plan, Result
from handgriff.core.schema.typed import output_of
from handgriff.errors import Refusal

SEEN = (("order", "o_17"),)
CAP = 8 * 1024


def told(outcome: Outcome) -> Any:
    """What a strict reader makes of it."""
    return jsontext.loads(outcome.text)


def read(data: object, *, limit: int = CAP, narrow_by: tuple[str, ...] = ("status", "since")) -> Outcome:
    return succeeded(Result("Found."), jsontext.dumps(data), SEEN, limit=limit, narrow_by=narrow_by, must_tell=False)


def done(result: Result[Any], data: object, *, limit: int) -> Outcome:
    return succeeded(result, jsontext.dumps(data), SEEN, limit=limit, narrow_by=(), must_tell=True)


def test_a_success_is_one_json_object_with_the_data_last_and_untouched() -> None:
    result: Result[Any] = Result("Two.", link=Link("/orders", "Orders"), diff=[Change("Status", None, "new", raw=(0, 1))], page=Page(7, 2))
    outcome = succeeded(result, '[1.0,2,"é"]', SEEN, limit=CAP, narrow_by=(), must_tell=False)

    assert outcome.text == (
        '{"summary":"Two.","changes":[{"label":"Status","before":null,"after":"new"}],"page":{"total":7,"returned":2},"data":[1.0,2,"é"]}'
    )
    assert outcome.shown == Shown("Two.", "/orders", "Orders", (ShownChange("Status", None, "new"),))
    assert (outcome.is_ok, outcome.code, outcome.data, outcome.introduced) == (True, None, '[1.0,2,"é"]', SEEN)


def test_people_are_never_shown_the_data() -> None:
    outcome = read({"password_hash": "x9"})

    assert "x9" not in repr(outcome.shown)
    assert "x9" in outcome.text


def test_without_data_there_is_no_such_member() -> None:
    outcome = succeeded(Result("Done."), None, (), limit=CAP, narrow_by=(), must_tell=False)

    assert (outcome.text, outcome.data) == ('{"summary":"Done."}', None)


@pytest.mark.parametrize(
    ("data", "total"),
    [
        ([{"id": n, "text": "x" * 380} for n in range(500)], "500 items"),
        ("x" * 50_000, "50030 bytes"),
        ({"a": {"b": {"c": "x" * 9_000}}}, "9048 bytes"),
        ("# Head\n\n" + "word " * 2_000, "10040 bytes"),
        (list(range(150_000)), "150000 items"),
    ],
    ids=["items", "text", "nested", "markdown", "very many items"],
)
def test_a_result_past_the_cap_is_refused_whole_with_its_size_and_what_narrows_it(data: object, total: str) -> None:
    """B114: nothing is cut in the middle. B116: the advice names arguments that exist."""
    with pytest.raises(Refusal, match="too_large") as raised:
        read(data)

    refusal = told(refused(raised.value))
    assert refusal["total"] == total
    assert refusal["narrow_by"] == ["status", "since"]
    assert refusal["next"] == "Ask for less: narrow by status, since."


def test_advice_is_not_given_where_nothing_narrows() -> None:
    """B116."""
    refusal = too_large(None, 9000, 8192, ())

    assert refusal.next == "Ask for something more specific."
    assert refusal.facts["total"] == "9000 bytes"


@pytest.mark.parametrize(("letter", "size"), [("x", 1), ("é", 2), ("語", 3), ("😀", 4)])
def test_the_cap_counts_bytes_and_its_last_byte_still_fits(letter: str, size: int) -> None:
    """B115: also for characters of two, three and four bytes."""
    around = len('{"summary":"Found.","data":""}')
    letters = letter * ((CAP - around) // size)

    assert len(read(letters).text.encode()) <= CAP
    with pytest.raises(Refusal, match="too_large"):
        read(letters + letter)


@pytest.mark.parametrize("data", ["😀" * 64_000, "語" * 10_000, list(range(200_000))], ids=["emoji", "cjk", "numbers"])
def test_what_has_been_done_is_told_without_what_does_not_fit(data: object) -> None:
    """B115, B116: an effect is never forgotten, and what was left out is said."""
    outcome = done(Result("Order cancelled."), data, limit=1000)

    assert len(outcome.text.encode()) <= 1000
    assert told(outcome)["summary"] == "Order cancelled."
    assert "It was done." in told(outcome)["note"]
    assert outcome.is_ok
    assert outcome.data == jsontext.dumps(data)


def test_what_the_model_was_not_shown_counts_as_not_seen() -> None:
    assert done(Result("Done."), ["o_17"], limit=CAP).introduced == SEEN
    assert done(Result("Done."), ["o_17" * 3000], limit=CAP).introduced == ()


@pytest.mark.parametrize("limit", [1, 10, 150, 400])
def test_a_tiny_cap_still_gives_a_valid_note(limit: int) -> None:
    """B115: the summary gives way before the fact that it was done."""
    outcome = done(Result("Done " * 300), "x" * 5000, limit=limit)

    assert list(told(outcome)) == ["note"]
    assert told(outcome)["note"].startswith("It was done.")


@given(
    st.text(max_size=40),
    st.recursive(st.text(max_size=20), lambda inner: st.lists(inner, max_size=5), max_leaves=40),
    st.integers(250, 600),
)
def test_within_any_cap_the_model_gets_valid_json_or_a_refusal(summary: str, data: object, limit: int) -> None:
    result: Result[None] = Result(summary + ".")

    assert len(done(result, data, limit=limit).text.encode()) <= limit
    try:
        outcome = succeeded(result, jsontext.dumps(data), SEEN, limit=limit, narrow_by=(), must_tell=False)
    except Refusal as refusal:
        assert refusal.code == "too_large"  # noqa: PT017  # either way is right
    else:
        assert len(outcome.text.encode()) <= limit
        assert told(outcome)["data"] == data


def test_a_result_may_hold_no_number_json_has_no_word_for() -> None:
    """B055: one rule, and it is said where."""
    output = output_of(dict[str, list[float]], tool="stats")

    with pytest.raises(jsontext.JsonError, match="NaN and infinities aren't JSON"):
        output.serialise({"xs": [1.0, float("-inf")]})


def test_half_a_character_becomes_a_replacement_everywhere_it_is_told_or_shown() -> None:
    """B056: in results and refusals; a whole character stays."""
    half = "a\udc00b🌍"
    result: Result[Any] = Result(half, link=Link("/x", half), diff=[Change(half, half, half)])
    outcome = succeeded(result, output_of(str, tool="say").serialise(half), (), limit=CAP, narrow_by=(), must_tell=False)
    refusal = refused(Refusal("denied", half, next=half, why=half, fields={half: half}))

    whole = "a\ufffdb🌍"
    assert outcome.shown == Shown(whole, "/x", whole, (ShownChange(whole, whole, whole),))
    assert told(outcome) == {"summary": whole, "changes": [{"label": whole, "before": whole, "after": whole}], "data": whole}
    assert (refusal.shown.summary, refusal.next) == (whole, whole)
    assert told(refusal) == {"refused": "denied", "message": whole, "why": whole, "fields": {whole: whole}, "next": whole}


def test_a_refusal_says_code_cause_facts_and_next_step() -> None:
    outcome = refused(
        Refusal(
            "invalid", "No such order.", next="List them.", fields={"order": "unseen"}, provides=("list",), total=3, late=True, gone=None
        ),
        incident="i7",
    )

    assert told(outcome) == {
        "refused": "invalid",
        "message": "No such order.",
        "fields": {"order": "unseen"},
        "provides": ["list"],
        "total": 3,
        "late": True,
        "next": "List them.",
        "incident": "i7",
    }
    assert (outcome.is_ok, outcome.code, outcome.next, outcome.incident) == (False, "invalid", "List them.", "i7")
    assert (outcome.shown, outcome.data, outcome.introduced) == (Shown("No such order."), None, ())


def test_no_fact_can_stand_in_for_the_code() -> None:
    assert told(refused(Refusal("denied", "No.", refused="done"))) == {"refused": "denied", "message": "No."}


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (0.5, "0.5"),
        (Decimal("9.90"), "9.90"),
        (datetime(2026, 3, 1, tzinfo=UTC), "2026-03-01 00:00:00+00:00"),
        ([1, None], ["1", "None"]),
        (float("nan"), "nan"),
        ({"a": {"b": 1}}, {"a": "{'b': 1}"}),
    ],
    ids=repr,
)
def test_a_fact_no_type_allows_does_not_break_the_refusal(fact: Any, text: object) -> None:
    assert told(refused(Refusal("rate_limited", "Too fast.", fact=fact)))["fact"] == text


def test_an_error_of_100_kilobytes_is_shortened_and_says_so() -> None:
    """B114: errors are capped too, their facts and advice as well."""
    outcome = refused(Refusal("denied", "x" * 100_000, next="y" * 100_000, detail="z" * 100_000))

    assert outcome.shown.summary == f"{'x' * MESSAGE_CHARACTERS}… (shortened, 100000 characters)"
    assert outcome.next == f"{'y' * MESSAGE_CHARACTERS}… (shortened, 100000 characters)"
    assert told(outcome)["left_out"] == f"The details have 100013 bytes, more than the {FACTS_BYTES} that can be shown."
    assert len(outcome.text) < 3 * MESSAGE_CHARACTERS


def test_many_changes_are_counted_and_long_ones_shortened() -> None:
    plan = Plan("Change all?", [Change(f"Row {n}", "x" * 9000, None) for n in range(DIFF_LINES + 7)])
    shown = show(Result("Changed.", diff=plan.diff)).diff

    assert [change.label for change in shown] == [*(f"Row {n}" for n in range(DIFF_LINES)), "… 7 more"]
    assert shown[0].before == f"{'x' * MESSAGE_CHARACTERS}… (shortened, 9000 characters)"


@given(st.text())
def test_shortening_leaves_short_texts_alone(text: str) -> None:
    assert shorten(text) == text


def test_an_outcome_given_again_says_so() -> None:
    outcome = read("x")

    assert replayed(outcome).replayed
    assert not outcome.replayed
    assert replayed(outcome).text == outcome.text
