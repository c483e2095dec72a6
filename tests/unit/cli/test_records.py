from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import get_args

import pytest

from handgriff.cli.records import (
    effect_record,
    item_record,
    outcome_item,
    outcome_record,
    proposal_record,
    refusal_record,
    scratch_record,
    session_record,
)
from handgriff.core.claim import write_outcome
from handgriff.core.delta import Value
from handgriff.core.events import (
    AssistantMessage,
    Body,
    CallOutcome,
    Event,
    Frame,
    FrameBody,
    RequestedCall,
    Shown,
    ShownChange,
    TextDelta,
    TextPart,
    UserMessage,
)
from handgriff.core.outcome import Outcome, refused
from handgriff.core.rows import Effect, Lease, Pinned, Proposal, Record, Session
from handgriff.errors import Refusal

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)


def test_an_event_says_its_type_and_place() -> None:
    record = item_record(Event(3, "e_1", "t_1", NOON, UserMessage((TextPart("Hello"),), ("secret wire",))))

    assert record == {
        "type": "user_message",
        "seq": 3,
        "id": "e_1",
        "turn": "t_1",
        "at": "2026-07-01T12:00:00+00:00",
        "parts": [{"text": "Hello"}],
    }


def test_a_frame_says_its_type_and_place() -> None:
    record = item_record(Frame(3, 2, "t_1", TextDelta("r_1", "Hel")))

    assert record == {"type": "text_delta", "seq": 3, "offset": 2, "turn": "t_1", "request": "r_1", "text": "Hel"}


@pytest.mark.parametrize(
    "body",
    [
        AssistantMessage("r_1", "Hi", "tools", ("WIRE",), (RequestedCall("c_1", "WIRE", "find", "{}"),)),
        CallOutcome("c_1", "find", "effect", Shown("Found."), "WIRE", wire="WIRE"),
    ],
    ids=["message", "outcome"],
)
def test_what_only_the_provider_reads_is_left_out(body: Body) -> None:
    assert "WIRE" not in str(item_record(Event(1, "e_1", None, NOON, body)))


def test_every_kind_of_item_has_a_type() -> None:
    from handgriff.cli.records import _TYPES  # noqa: PLC0415  # the table itself is what is tested

    assert _TYPES.keys() == {*get_args(Body), *get_args(FrameBody)}


def test_a_session_shows_its_lane_and_not_its_nonce() -> None:
    pinned = Pinned("standard", "scripted", "hash", "a context", "a nonce")
    record = session_record(Session("acme", "ada", "s_1", NOON, 4, "Title", None, pinned, Lease(1, "t_1")))

    assert record["lane"] == "standard"
    assert record["turn"] == "t_1"
    assert "nonce" not in str(record)


def test_a_proposal_shows_its_arguments_and_not_its_grant() -> None:
    proposal = Proposal(
        tenant="acme",
        user="ada",
        session="s_1",
        turn="t_1",
        id="p_1",
        call="c_1",
        tool="cancel",
        arguments='{"order":"o_17"}',
        digest="d",
        contract="c",
        summary="Cancel?",
        diff=(ShownChange("S", "a", "b"),),
        before="{}",
        fingerprint="f",
        created_at=NOON,
        expires_at=NOON,
        grant="GRANT",
        confirm="code",
        code="SALT:HASH",
    )
    record = proposal_record(proposal)

    assert record["arguments"] == {"order": "o_17"}
    assert record["diff"] == [{"label": "S", "before": "a", "after": "b"}]
    assert record["decided_at"] is None
    assert (record["user"], record["confirm"], record["code_sent"]) == ("ada", "code", True)
    assert not [secret for secret in ("GRANT", "SALT", "HASH") if secret in str(record)]


def test_an_effect_shows_its_arguments_and_whether_it_is_certain() -> None:
    effect = Effect("acme", "find", "k", "d", "cl", "s_1", "ada", None, "c_1", "running", NOON, NOON)

    assert (effect_record(effect)["arguments"], effect_record(effect)["transaction"]) == (None, False)
    certain = effect_record(replace(effect, arguments='{"a":1}', transaction=True))
    assert (certain["arguments"], certain["transaction"]) == ({"a": 1}, True)


def test_a_calls_end_is_told_without_what_the_model_reads() -> None:
    told = outcome_item(CallOutcome("c_1", "find", "effect", Shown("Found."), "WIRE", wire="WIRE"))

    assert told == {"call": "c_1", "tool": "find", "step": "effect", "shown": {"summary": "Found."}}


@pytest.mark.parametrize(
    ("outcome", "result"),
    [
        pytest.param(
            Outcome(Shown("Done.", "/x"), "", data="[1]"),
            {"summary": "Done.", "link": "/x", "diff": [], "data": [1], "replayed": False},
            id="done",
        ),
        pytest.param(
            refused(Refusal("conflict", "No.", next="Wait.", retry_after=3)),
            {"refused": "conflict", "message": "No.", "retry_after": 3, "next": "Wait."},
            id="refused",
        ),
    ],
)
def test_an_outcome_reads_the_same_alone_and_in_its_effect(outcome: Outcome, result: object) -> None:
    effect = Effect(
        "acme", "find", "k", "d", "cl", "s_1", "ada", None, "c_1", "done", NOON, NOON, NOON, (("paid", "1"),), write_outcome(outcome)
    )

    assert outcome_record(outcome) == result
    assert effect_record(effect)["result"] == result
    assert effect_record(effect)["steps"] == ["paid"]


def test_a_scratch_record_shows_its_deadline_in_utc_and_its_values() -> None:
    noon = datetime(2026, 7, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    record = scratch_record(Record("acme", "s_1", "cart", noon, {"items": Value("[1]", 3), "nothing": Value("null", 1)}))

    assert record == {
        "session": "s_1",
        "namespace": "cart",
        "expires_at": "2026-07-01T12:00:00+00:00",
        "data": {"items": [1], "nothing": None},
    }


def test_a_refusal_shows_its_facts() -> None:
    record = refusal_record(Refusal("invalid", "No.", fields={"a": "b"}, allowed=("x", "y")))

    assert record == {"refused": "invalid", "message": "No.", "next": None, "fields": {"a": "b"}, "allowed": ["x", "y"]}
