"""`handgriff.testing.loopback.responder`."""

import json
from typing import Any

import pytest

from handgriff.errors import DefinitionError
from handgriff.testing.loopback.cache import InputUsage
from handgriff.testing.loopback.journal import Request
from handgriff.testing.loopback.responder import COUNT_TOKENS, MAX_BYTES, MESSAGES, Cut, Delivery, Responder, Streamed, Whole
from handgriff.testing.loopback.script import Answer, Drop, EarlyEnd, Entry, ErrorEvent, HttpError, Raw, Script, Text, Thinking, ToolUse
from tests.unit.testing.loopback.requests import Json, assistant, call, request, result, text, thinking, user

HEADERS = {"x-api-key": "key", "anthropic-version": "2026-10-21"}
QUESTION = request(user("q"))


def responder(script: Script = (), **options: Any) -> Responder:
    return Responder(script, **{"api_key": "key", "minimum": 0, "name": "test", "issued": (), **options})


def sent(body: Json | bytes, *, number: int = 0, **changes: Any) -> Request:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Request(**{"number": number, "method": "POST", "path": MESSAGES, "headers": HEADERS, "raw": raw, "body": {}, **changes})


def refusal(delivery: Delivery) -> tuple[int, str, str]:
    assert isinstance(delivery, Whole)
    error = json.loads(delivery.body)
    assert error["request_id"] == delivery.headers["request-id"]
    return delivery.status, error["error"]["type"], error["error"]["message"]


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        pytest.param({"path": "/v1/models"}, (404, "not_found_error", "Not found"), id="path"),
        pytest.param({"method": "GET"}, (405, "invalid_request_error", "Method Not Allowed"), id="method"),
        pytest.param({"headers": {**HEADERS, "x-api-key": "other"}}, (401, "authentication_error", "invalid x-api-key"), id="key"),
        pytest.param({"headers": {"anthropic-version": "x"}}, (401, "authentication_error", "invalid x-api-key"), id="no-key"),
        pytest.param(
            {"headers": {"authorization": "Bearer key"}},
            (400, "invalid_request_error", "anthropic-version: header is required"),
            id="version",
        ),
        pytest.param({"raw": b" " * (MAX_BYTES + 1)}, (413, "request_too_large", "Request exceeds the maximum size"), id="size"),
        pytest.param({"raw": b"[]"}, (400, "invalid_request_error", "Input should be a valid dictionary"), id="array"),
        pytest.param(
            {"raw": b'{"model": NaN}'},
            (400, "invalid_request_error", "The request body is not valid JSON: NaN is not JSON"),
            id="malformed",
        ),
        pytest.param(
            {"raw": json.dumps(request(user("q"), model="", max_tokens=0)).encode()},
            (
                400,
                "invalid_request_error",
                "model: String should have at least 1 character; max_tokens: Input should be greater than or equal to 1",
            ),
            id="rules",
        ),
    ],
)
def test_a_bad_request_is_refused_as_the_real_api_does(changes: dict[str, Any], answer: tuple[int, str, str]) -> None:
    """B056: also a body that is no JSON everyone reads."""
    assert refusal(responder().respond(sent(QUESTION, **changes), now=0)) == answer


def test_a_refused_request_takes_nothing_from_the_script() -> None:
    provider = responder(["hi"])

    refused = provider.respond(sent(request(user(""))), now=0)
    answered = provider.respond(sent(QUESTION), now=0)

    assert isinstance(refused, Whole)
    assert refused.violations == ("messages.0.content.0: text content blocks must be non-empty",)
    assert isinstance(answered, Whole)
    assert json.loads(answered.body)["content"] == [{"type": "text", "text": "hi"}]


def test_any_key_will_do_if_none_is_set() -> None:
    delivery = responder(["hi"], api_key=None).respond(sent(QUESTION, headers={"anthropic-version": "x"}), now=0)

    assert isinstance(delivery, Whole)
    assert delivery.status == 200


def test_tokens_are_counted_without_a_limit_and_without_the_script() -> None:
    delivery = responder().respond(sent({"model": "m", "messages": [{"role": "user", "content": "q"}]}, path=COUNT_TOKENS), now=0)

    assert isinstance(delivery, Whole)
    assert json.loads(delivery.body) == {"input_tokens": 7}


def test_a_script_may_be_a_function_of_the_request() -> None:
    def echo(asked: Request) -> Entry:
        return f"you asked {asked.number}"

    delivery = responder(echo).respond(sent(QUESTION, number=7), now=0)

    assert isinstance(delivery, Whole)
    assert json.loads(delivery.body)["content"][0]["text"] == "you asked 7"


def test_a_script_that_fails_says_so_and_is_remembered() -> None:
    def fail(asked: Request) -> Entry:
        raise LookupError(asked.path)

    provider = responder(fail)

    assert refusal(provider.respond(sent(QUESTION), now=0)) == (
        400,
        "invalid_request_error",
        "The script failed: LookupError: /v1/messages",
    )
    assert [type(failure) for failure in provider.failures] == [LookupError]


def test_a_script_that_has_run_out_is_a_mistake_of_its_author() -> None:
    provider = responder([])

    assert refusal(provider.respond(sent(QUESTION), now=0))[0] == 400
    assert [type(failure) for failure in provider.failures] == [DefinitionError]


def test_a_scripted_error_keeps_its_headers() -> None:
    delivery = responder([HttpError(429, headers={"retry-after": "7"})]).respond(sent(QUESTION), now=0)

    assert refusal(delivery) == (429, "rate_limit_error", "The script says so.")
    assert isinstance(delivery, Whole)
    assert delivery.headers["retry-after"] == "7"


MARKED = request(user(text("q" * 100, cache_control={"type": "ephemeral"})))


def test_the_cache_lives_between_requests_by_the_time_given() -> None:
    provider = responder(["a", "b", "c"])

    usages = [provider.respond(sent(MARKED), now=now).usage for now in (0, 299, 599)]

    assert usages == [InputUsage(0, 0, 32, 0), InputUsage(0, 32, 0, 0), InputUsage(0, 0, 32, 0)]


def test_an_http_error_caches_nothing() -> None:
    provider = responder([HttpError(529), "a"])

    assert [provider.respond(sent(MARKED), now=0).usage for _ in range(2)] == [None, InputUsage(0, 0, 32, 0)]


def test_a_prefix_below_the_minimum_is_not_cached() -> None:
    assert responder(["a"], minimum=33).respond(sent(MARKED), now=0).usage == InputUsage(32, 0, 0, 0)


def test_ids_are_the_providers_own_and_never_repeat() -> None:
    provider = responder([ToolUse("look")] * 2, name="second")

    deliveries = [provider.respond(sent(QUESTION, number=number), now=0) for number in range(2)]
    bodies = [json.loads(delivery.body) for delivery in deliveries if isinstance(delivery, Whole)]

    assert [(body["id"], body["content"][0]["id"]) for body in bodies] == [
        ("msg_second_0001", "toolu_second_0001"),
        ("msg_second_0002", "toolu_second_0002"),
    ]
    assert [delivery.headers["request-id"] for delivery in deliveries if isinstance(delivery, Whole)] == [
        "req_second_0000",
        "req_second_0001",
    ]


@pytest.mark.parametrize(
    ("fault", "kind", "detail"),
    [
        pytest.param(ErrorEvent(1), Streamed, "early", id="error"),
        pytest.param(EarlyEnd(0), Streamed, "early", id="empty"),
        pytest.param(Drop(1), Streamed, "dropped", id="drop"),
        pytest.param(Drop(0), Cut, "dropped", id="drop-at-once"),
        pytest.param(Drop(0, reset=True), Cut, "reset", id="reset-at-once"),
    ],
)
def test_a_fault_decides_how_a_stream_ends(fault: Any, kind: type, detail: str) -> None:
    delivery = responder([Answer((Text("x"),), fault=fault)]).respond(sent({**QUESTION, "stream": True}), now=0)

    assert isinstance(delivery, (Streamed, Cut))
    assert (type(delivery), delivery.ending) == (kind, detail)


def test_unstreamed_a_fault_is_an_error_or_no_response() -> None:
    faults = (ErrorEvent(1), ErrorEvent(1, "new_error"), EarlyEnd(1), Drop(1), Drop(1, reset=True))
    provider = responder([Answer((Text("x"),), fault=fault) for fault in faults])

    first, second, *cut = [provider.respond(sent(QUESTION), now=0) for _ in faults]

    assert refusal(first) == (529, "overloaded_error", "Overloaded")
    assert refusal(second) == (500, "new_error", "Overloaded")
    assert [delivery.ending for delivery in cut if isinstance(delivery, Cut)] == ["dropped", "dropped", "reset"]


def test_what_was_said_must_come_back_and_can_be_handed_on() -> None:
    new = {"type": "new_2027", "x": 1}
    provider = responder([(Thinking("t"), Raw(new), ToolUse("look", id="c1"))])
    provider.respond(sent(QUESTION), now=0)

    altered = sent(request(user("q"), assistant(thinking("t"), {**new, "x": 2}, call("c1")), user(result("c1"))))
    intact = sent(request(user("q"), assistant(thinking("t"), new, call("c1")), user(result("c1"))))
    heir = responder(["done"], issued=provider.issued)

    assert refusal(heir.respond(altered, now=0))[2].startswith("messages.1.content.1: `new_2027` blocks cannot be modified.")
    delivery = heir.respond(intact, now=0)
    assert isinstance(delivery, Whole)
    assert delivery.status == 200


def test_thinking_is_bound_to_its_prompt_only_on_request() -> None:
    asked = sent(request(user("Q"), assistant(thinking("t"), call("c1")), user(result("c1"))))
    script: list[Entry] = [(Thinking("t"), ToolUse("look", id="c1")), "done"]
    loose, bound = responder(script), responder(script, binds_thinking=True)
    for provider in (loose, bound):
        provider.respond(sent(QUESTION), now=0)
    dropping = sent(
        {**json.loads(asked.raw), "thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}}
    )

    assert getattr(loose.respond(asked, now=0), "status", None) == 200
    assert "bound to a different conversation" in refusal(bound.respond(asked, now=0))[2]
    assert getattr(bound.respond(dropping, now=0), "status", None) == 200
