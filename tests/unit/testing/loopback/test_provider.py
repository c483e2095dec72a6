"""`handgriff.testing.loopback.provider`, driven by the real SDK: whole conversations, its journal, its life."""

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import anthropic
import anyio
import httpx2
import pytest

from handgriff.testing.loopback.anthropic import sign
from handgriff.testing.loopback.cache import InputUsage
from handgriff.testing.loopback.journal import Request
from handgriff.testing.loopback.prompt import extends
from handgriff.testing.loopback.provider import LoopbackProvider
from handgriff.testing.loopback.script import Answer, Drop, Entry, Hold, Raw, Script, Text, Thinking, ToolUse
from tests.unit.testing.loopback.requests import LONG, MARK, Json, assistant, request, result, text, tool, user
from tests.unit.testing.loopback.sdk import QUESTION, Client, pausing, said, serving

pytestmark = pytest.mark.anyio


async def test_a_conversation_with_thinking_a_call_and_an_unknown_block_goes_round_losslessly() -> None:
    new = {"type": "new_2027", "z": 1, "a": [1.0, None, "ü"]}
    script: list[Entry] = [
        (Thinking("hmm"), Raw(new), Text("Ich schaue nach – 🌍", chunk=1), ToolUse("look", {"id": "o_17"}, chunk=3)),
        Text("Done."),
    ]
    async with serving(script) as (provider, client):
        answer = said(await client.stream(QUESTION))
        follow_up = request(user("q"), assistant(*answer), user(result(answer[-1]["id"])))
        final = said(await client.stream(follow_up))

    assert answer == [
        {"type": "thinking", "thinking": "hmm", "signature": sign("hmm")},
        new,
        {"type": "text", "text": "Ich schaue nach – 🌍"},
        {"type": "tool_use", "id": "toolu_loopback_0001", "name": "look", "input": {"id": "o_17"}},
    ]
    assert final == [{"type": "text", "text": "Done."}]
    assert extends(provider.requests[0].raw, provider.requests[1].raw)
    assert provider.violations == ()


async def test_an_altered_unknown_block_is_refused() -> None:
    async with serving([(Raw({"type": "new_2027", "x": 1}), ToolUse("look", id="c1"))]) as (provider, client):
        answer = said(await client.stream(QUESTION))
        answer[0]["x"] = 2
        with pytest.raises(anthropic.BadRequestError, match="`new_2027` blocks cannot be modified"):
            await client.stream(request(user("q"), assistant(*answer), user(result("c1"))))

    assert len(provider.violations) == 1


async def test_the_journal_keeps_what_was_received_byte_for_byte() -> None:
    async with serving(["hi"]) as (provider, client):
        await client.stream({**QUESTION, "tools": [tool("t", x_future_field=[1.0, "é"])]})
        (received,) = provider.requests

    assert b'"x_future_field":[1.0,"\xc3\xa9"]' in received.raw
    assert received.body == json.loads(received.raw)
    assert (received.method, received.path, received.number) == ("POST", "/v1/messages", 0)
    assert received.headers["authorization"] == f"Bearer {provider.api_key}"
    assert (received.status, received.sent, received.completed, received.disconnected_after) == (200, 7, True, None)
    assert received.usage == InputUsage(fresh=30, read=0, written_5m=0, written_1h=0)


async def test_a_request_without_stream_gets_the_whole_message() -> None:
    async with serving([(Thinking("t"), ToolUse("look", {"a": 1}))]) as (_, client):
        message = await client.sdk.messages.create(**QUESTION)

    assert [block.type for block in message.content] == ["thinking", "tool_use"]
    assert (message.stop_reason, message.usage.input_tokens, message.usage.output_tokens) == ("tool_use", 7, 4)


async def test_tokens_can_be_counted() -> None:
    async with serving([]) as (_, client):
        count = await client.sdk.messages.count_tokens(model="m", messages=[{"role": "user", "content": "q"}])

    assert count.input_tokens == 7


async def test_usage_is_exact_at_the_start_and_cumulative_at_the_end() -> None:
    """B081: after an abort the input is known and the output is a stub."""
    body = request(user(text("q", cache_control=MARK)), system=[text("s" * 4, cache_control=LONG)])
    async with serving(["a" * 40, "b"]) as (_, client):
        first = await client.stream(body)
        second = await client.stream(body)

    assert first[0][1]["message"]["usage"] == {
        "input_tokens": 0,
        "cache_creation_input_tokens": 15,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 7, "ephemeral_1h_input_tokens": 8},
        "output_tokens": 1,
        "service_tier": "standard",
    }
    assert first[-2][1]["usage"] == {
        "input_tokens": 0,
        "cache_creation_input_tokens": 15,
        "cache_read_input_tokens": 0,
        "output_tokens": 10,
    }
    assert second[-2][1]["usage"]["cache_read_input_tokens"] == 15


class StillClock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        return self.time.timestamp()

    async def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


async def test_the_cache_forgets_by_the_clock_it_is_given() -> None:
    clock = StillClock()
    body = request(user(text("q", cache_control=MARK)))
    async with serving(["a", "b", "c"], clock=clock) as (provider, client):
        for seconds in (0, 299, 300):
            await clock.sleep(seconds)
            await client.stream(body)

    assert [received.usage.read for received in provider.requests if received.usage is not None] == [0, 7, 0]


async def test_a_wrong_key_is_refused() -> None:
    async with serving([]) as (provider, _), Client(provider, api_key="other").sdk as stranger:
        with pytest.raises(anthropic.AuthenticationError):
            await stranger.messages.create(**QUESTION)


async def test_without_a_key_of_its_own_it_takes_any() -> None:
    async with serving(["hi"], api_key=None) as (provider, client):
        assert said(await client.stream(QUESTION)) == [text("hi")]

    assert provider.api_key == "loopback-key"


async def test_a_broken_history_is_a_bad_request() -> None:
    """B059."""
    async with serving([]) as (provider, client):
        with pytest.raises(anthropic.BadRequestError, match="`tool_use` ids were found without `tool_result` blocks"):
            await client.stream(request(user("q"), assistant({"type": "tool_use", "id": "c1", "name": "n", "input": {}}), user("r")))

    assert [received.status for received in provider.requests] == [400]


async def test_closing_the_provider_ends_what_is_under_way() -> None:
    answer, reached, _ = pausing(before=2)
    provider = LoopbackProvider([answer])

    async def ask() -> None:
        with pytest.raises(httpx2.RemoteProtocolError):
            await Client(provider).stream(QUESTION)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group, provider:
            group.start_soon(ask)
            await reached.wait()

    assert provider.requests[0].ended


async def test_many_conversations_at_once_keep_apart() -> None:
    def echo(received: Request) -> Entry:
        return f"you said {received.body['messages'][0]['content']}"

    answers: dict[int, list[Json]] = {}
    async with serving(echo) as (provider, _), anyio.create_task_group() as group:

        async def ask(number: int) -> None:
            own = Client(provider)
            async with own.sdk:
                answers[number] = said(await own.stream(request({"role": "user", "content": str(number)})))

        for number in range(20):
            group.start_soon(ask, number)

    assert answers == {number: [text(f"you said {number}")] for number in range(20)}


def broken(received: Request) -> Entry:
    raise LookupError(received.number)


async def breaking() -> None:
    raise LookupError


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(broken, id="function"),
        pytest.param([Answer((Text("x"),), holds=(Hold(2, breaking),))], id="hold"),
        pytest.param([], id="run-out"),
        pytest.param([Answer((Text("x"),), fault=Drop(99))], id="fault-never-reached"),
    ],
)
async def test_a_script_that_fails_fails_the_test(script: Script) -> None:
    async def run() -> None:
        async with serving(script) as (_, client):
            with pytest.raises((anthropic.BadRequestError, httpx2.RemoteProtocolError)):
                await client.stream(QUESTION)

    with pytest.raises(ExceptionGroup, match="the loopback provider's script failed"):
        await run()


async def test_a_test_that_fails_already_is_not_talked_over() -> None:
    async def run() -> None:
        async with serving(broken) as (_, client):
            with pytest.raises(anthropic.BadRequestError):
                await client.stream(QUESTION)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await run()


async def test_a_client_that_never_finishes_its_request_does_not_keep_the_provider_open() -> None:
    with anyio.fail_after(30):
        async with LoopbackProvider([]) as provider:
            host, port = provider.url.removeprefix("http://").split(":")
            connection = await anyio.connect_tcp(host, int(port))
            await connection.send(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
            await connection.send(b" ")
        await connection.aclose()

    assert provider.requests == ()


async def test_what_a_conversation_reads_from_the_cache_grows_with_it() -> None:
    """B077: from the second turn on, everything but the newest blocks is read."""
    messages: list[Json] = []

    def marked() -> list[Json]:
        *earlier, last = messages
        return [*earlier, {**last, "content": [{**last["content"][-1], "cache_control": MARK}]}]

    async with serving(lambda _: "An answer.") as (provider, client):
        for turn in range(10):
            messages.append(user(f"question {turn}"))
            answer = said(await client.stream(request(*marked(), system=[text("s" * 400, cache_control=LONG)])))
            messages.append(assistant(*answer))

    requests = provider.requests
    usages = [received.usage for received in requests if received.usage is not None]
    assert all(extends(before.raw, after.raw) for before, after in pairwise(requests))
    assert all(after.read == before.total for before, after in pairwise(usages))
    assert all(usage.fresh == 0 for usage in usages)
