from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff import Refusal
from handgriff.core.jsontext import Json
from handgriff.http.run_input import HINT_BYTES, RESUME_ENTRIES, Resume, RunInput, check_nothing_else, run_input, speaks_one
from handgriff.http.snapshot import Said


def read(**members: Any) -> RunInput:
    return run_input({"threadId": "t", "messages": [{"id": "u", "role": "user", "content": "hi"}], **members})


def test_thread_text_and_ids_are_taken() -> None:
    wish = read(runId="r", protocolVersion="1.0")

    assert (wish.thread, wish.run, wish.text, wish.resume, wish.hints, wish.is_one) == ("t", "r", "hi", (), None, True)
    assert wish.said == (Said("u", "hi"),)


def test_the_last_user_message_counts() -> None:
    messages = [
        {"id": "1", "role": "user", "content": "one"},
        {"id": "2", "role": "assistant", "content": "ok"},
        {"id": "3", "role": "user", "content": [{"type": "text", "text": "two"}, {"type": "text", "text": "three"}]},
        {"id": "4", "role": "system", "content": "x"},
        {"id": "5", "role": "activity", "content": {}},
        "no message",
    ]

    wish = read(messages=messages)

    assert wish.text == "two\nthree"
    assert wish.said == (Said("1", "one"), Said("3", "two\nthree"))


@pytest.mark.parametrize("run", [None, 7, "", "\0", "x" * 300, {}])
def test_an_impossible_run_id_is_replaced(run: object) -> None:
    assert read(runId=run).run is None


@pytest.mark.parametrize("given", [None, 7, "", "\0", "x" * 300])
def test_an_impossible_message_id_is_not_given_back(given: object) -> None:
    assert read(messages=[{"id": given, "role": "user", "content": "hi"}]).said == (Said(None, "hi"),)


def test_decisions_are_read_and_then_no_text_is_looked_for() -> None:
    entries: list[Json] = [
        {"interruptId": "a", "status": "resolved", "payload": {"approved": True}},
        {"interruptId": "b", "status": "resolved", "payload": {"approved": False, "reason": "no"}},
        {"interruptId": "c", "status": "cancelled"},
    ]

    wish = run_input({"threadId": "t", "resume": entries})

    assert wish.resume == (Resume("a", approved=True), Resume("b", approved=False), Resume("c", approved=False))
    assert wish.text == ""


@pytest.mark.parametrize(
    "resume",
    [
        "yes",
        {},
        ["yes"],
        [{}],
        [{"interruptId": 7, "status": "cancelled"}],
        [{"interruptId": "a"}],
        [{"interruptId": "a", "status": "approved"}],
        [{"interruptId": "a", "status": "resolved"}],
        [{"interruptId": "a", "status": "resolved", "payload": True}],
        [{"interruptId": "a", "status": "resolved", "payload": {}}],
        [{"interruptId": "a", "status": "resolved", "payload": {"approved": 1}}],
        [{"interruptId": "a", "status": "resolved", "payload": {"approved": "true"}}],
        [{"interruptId": "a", "status": "resolved", "payload": {"approved": True, "editedArgs": {}}}],
        [{"interruptId": "a", "status": "resolved", "payload": {"approved": True, "arguments": {}}}],
        [{"interruptId": "a", "status": "resolved", "payload": {"approved": True, "code": 123456}}],
        [{"interruptId": "a", "status": "resolved", "payload": {"approved": True, "code": None}}],
        [{"interruptId": "a", "status": "cancelled"}, {"interruptId": "a", "status": "cancelled"}],
        [{"interruptId": str(number), "status": "cancelled"} for number in range(RESUME_ENTRIES + 1)],
    ],
)
def test_anything_else_is_no_decision(resume: object) -> None:
    with pytest.raises(Refusal, match="invalid"):
        read(resume=resume)


@pytest.mark.parametrize("decision", [{"approved": True}, {"approved": False, "code": "1"}, {}], ids=["yes", "no with a code", "nothing"])
def test_what_decides_is_all_that_may_be_said(decision: dict[str, Json]) -> None:
    check_nothing_else(decision)

    with pytest.raises(Refusal) as refused:
        check_nothing_else(decision | {"why": None, "args": {}})
    assert refused.value.facts == {"fields": {"args": "expected nothing beside approved and code"}}


def test_a_code_goes_along_and_is_not_in_what_is_printed() -> None:
    wish = read(resume=[{"interruptId": "a", "status": "resolved", "payload": {"approved": True, "code": "123456"}}])

    assert wish.resume == (Resume("a", approved=True, code="123456"),)
    assert "123456" not in repr(wish)


@pytest.mark.parametrize("empty", [None, []])
def test_no_entries_are_no_resume(empty: object) -> None:
    assert read(resume=empty).text == "hi"


def test_hints_are_text_and_bounded() -> None:
    assert read(hints="page /orders").hints == "page /orders"
    assert read(forwardedProps={"hints": {"page": "/orders"}}).hints == '{"page":"/orders"}'
    assert read(forwardedProps="x", context=[{"value": "y"}]).hints is None
    assert len((read(hints="é" * HINT_BYTES).hints or "").encode()) == HINT_BYTES


@pytest.mark.parametrize(
    ("version", "speaks"), [("1.0", True), ("1", True), ("2.1", True), ("0.0.59", False), ("", False), (1.0, False), (None, False)]
)
def test_older_peers_say_no_version(version: object, speaks: bool) -> None:
    assert speaks_one(version) is speaks


@pytest.mark.parametrize("thread", [None, 7, "", "\0", "x" * 257, {}])
def test_a_thread_must_have_a_name(thread: object) -> None:
    with pytest.raises(Refusal, match="threadId"):
        run_input({"threadId": thread, "messages": []})  # type: ignore[dict-item]  # what is tried


def members(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from(
        [
            "threadId",
            "runId",
            "messages",
            "role",
            "content",
            "user",
            "type",
            "text",
            "resume",
            "interruptId",
            "status",
            "payload",
            "approved",
            "code",
            "hints",
        ]
    )
    return st.dictionaries(names, inner | st.sampled_from(["user", "text", "resolved", "cancelled"]), max_size=4)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3) | members(inner)
)


@given(members(JSON))
def test_any_body_is_a_wish_or_is_refused_as_invalid(body: dict[str, Json]) -> None:
    try:
        answered: str = "a thread" if run_input(body).thread else "nothing"
    except Refusal as refusal:
        answered = refusal.code

    assert answered in ("a thread", "invalid")
