"""`handgriff.testing.loopback.application`, driven by the real SDK: faults, holds, and clients that leave."""

import anthropic
import anyio
import httpx2
import pytest

from handgriff.testing.loopback.script import Answer, Drop, EarlyEnd, ErrorEvent, HttpError, Insert, Text, ToolUse, ping
from tests.unit.testing.loopback.requests import text
from tests.unit.testing.loopback.sdk import QUESTION, pausing, said, serving

pytestmark = pytest.mark.anyio


async def test_an_http_error_is_the_sdks_error_with_its_headers() -> None:
    async with serving([HttpError(529), HttpError(429, message="Slow down", headers={"retry-after": "3"})]) as (_, client):
        with pytest.raises(anthropic.OverloadedError) as overloaded:
            await client.stream(QUESTION)
        with pytest.raises(anthropic.RateLimitError) as limited:
            await client.stream(QUESTION)

    assert (overloaded.value.type, overloaded.value.request_id) == ("overloaded_error", "req_loopback_0000")
    assert limited.value.response.headers["retry-after"] == "3"
    assert limited.value.api_message == "Slow down"


@pytest.mark.parametrize("raw", [b'{"model": "m", "model": "m"}', b'{"x": NaN}', b'{"x": "\\ud83d"}', b"\xff", b""])
async def test_a_body_that_is_no_strict_json_is_a_bad_request(raw: bytes) -> None:
    """B055, B056."""
    async with serving([]) as (provider, _):
        headers = {"x-api-key": provider.api_key, "anthropic-version": "2026-10-21"}
        async with httpx2.AsyncClient() as http:
            response = await http.post(f"{provider.url}/v1/messages", content=raw, headers=headers)

    assert response.status_code == 400
    assert response.json()["error"]["message"].startswith("The request body is not valid JSON: ")
    assert provider.requests[0].body == {}


async def test_an_error_event_comes_after_so_many_events() -> None:
    """B144, B145."""
    async with serving([Answer((Text("x"),), inserts=(), fault=ErrorEvent(3))]) as (provider, client):
        events = await client.stream(QUESTION)

    assert [name for name, _ in events] == ["message_start", "content_block_start", "content_block_delta", "error"]
    assert events[-1][1]["error"]["type"] == "overloaded_error"
    assert (provider.requests[0].completed, provider.requests[0].sent) == (False, 4)


async def test_the_typed_stream_raises_for_an_error_event() -> None:
    async with serving([Answer((Text("x"),), fault=ErrorEvent(3))]) as (_, client):
        with pytest.raises(anthropic.APIStatusError) as raised:
            async with await client.sdk.messages.create(**QUESTION, stream=True) as stream:
                _ = [event async for event in stream]

    assert (raised.value.status_code, raised.value.type) == (200, "overloaded_error")


async def test_an_early_end_looks_like_a_proper_one_to_http() -> None:
    """B061: only the missing `message_stop` tells."""
    async with serving([Answer((Text("x"),), inserts=(), fault=EarlyEnd(3)), Answer(fault=EarlyEnd(0))]) as (provider, client):
        events = await client.stream(QUESTION)
        nothing = await client.stream(QUESTION)

    assert [name for name, _ in events] == ["message_start", "content_block_start", "content_block_delta"]
    assert nothing == []
    assert [received.completed for received in provider.requests] == [False, False]


@pytest.mark.parametrize(
    ("fault", "error", "received"),
    [
        pytest.param(Drop(3), httpx2.RemoteProtocolError, 3, id="in-the-middle"),
        pytest.param(Drop(3, reset=True), httpx2.ReadError, 3, id="reset"),
        pytest.param(Drop(0), anthropic.APIConnectionError, 0, id="before-the-response"),
        pytest.param(Drop(0, reset=True), anthropic.APIConnectionError, 0, id="reset-before-the-response"),
    ],
)
async def test_a_dropped_connection_is_an_error_after_what_had_arrived(fault: Drop, error: type[Exception], received: int) -> None:
    async with serving([Answer((Text("x"),), inserts=(), fault=fault), "again"]) as (provider, client):
        with pytest.raises(error):
            await client.stream(QUESTION)
        arrived = len(client.events)
        ended = await provider.ended(0)

        assert said(await client.stream(QUESTION)) == [text("again")]

    assert arrived == ended.sent == received
    assert (ended.completed, ended.disconnected_after, ended.status) == (False, None, 200 if received else None)


async def test_nothing_is_lost_before_a_drop_even_if_it_does_not_fit_the_sockets() -> None:
    large = "x" * 8_000_000
    async with serving([Answer((Text(large, chunk=len(large)),), inserts=(), fault=Drop(3))]) as (_, client):
        with pytest.raises(httpx2.RemoteProtocolError):
            await client.stream(QUESTION)

    assert said(client.events) == [text(large)]


async def test_unstreamed_faults_are_an_error_or_no_response() -> None:
    script = [Answer((Text("x"),), fault=fault) for fault in (ErrorEvent(1), EarlyEnd(1), Drop(1, reset=True))]
    async with serving(script) as (_, client):
        with pytest.raises(anthropic.OverloadedError):
            await client.sdk.messages.create(**QUESTION)
        for _ in range(2):
            with pytest.raises(anthropic.APIConnectionError):
                await client.sdk.messages.create(**QUESTION)


@pytest.mark.parametrize("stop_reason", ["max_tokens", "tool_use"])
async def test_arguments_can_be_cut_off_under_any_stop_reason(stop_reason: str) -> None:
    """B061, B062."""
    async with serving([Answer((ToolUse("delete", raw='{"target": "ord'),), stop_reason=stop_reason)]) as (_, client):
        events = await client.stream(QUESTION)

    assert "".join(data["delta"]["partial_json"] for name, data in events if name == "content_block_delta") == '{"target": "ord'
    assert events[-2][1]["delta"]["stop_reason"] == stop_reason


async def test_pings_and_events_of_unknown_kind_come_where_they_are_scripted() -> None:
    """B146: a ping is no content."""
    answer = Answer((Text("x"),), inserts=(ping(0), Insert(3, "new_event_2027", {"type": "new_event_2027"}), ping(5)))
    async with serving([answer, answer]) as (_, client):
        raw = [name for name, _ in await client.stream(QUESTION)]
        async with await client.sdk.messages.create(**QUESTION, stream=True) as stream:
            typed = [str(event.type) async for event in stream]

    assert raw == [
        "ping",
        "message_start",
        "content_block_start",
        "content_block_delta",
        "new_event_2027",
        "content_block_stop",
        "message_delta",
        "ping",
        "message_stop",
    ]
    assert typed == [name for name in raw if name != "ping"]


async def test_a_hold_stops_the_stream_until_it_is_released() -> None:
    answer, reached, released = pausing(before=3)
    async with serving([answer]) as (provider, client), anyio.create_task_group() as group:
        group.start_soon(client.stream, QUESTION)
        await reached.wait()

        assert (await provider.arrived(0)).sent == 3

        released.set()
        assert (await provider.ended(0)).sent == 6


async def test_a_hold_delays_a_whole_message_too() -> None:
    answer, reached, released = pausing(before=0)
    async with serving([answer]) as (provider, client), anyio.create_task_group() as group:

        async def ask() -> None:
            await client.sdk.messages.create(**QUESTION)

        group.start_soon(ask)
        await reached.wait()

        assert provider.requests[0].status is None

        released.set()
        assert (await provider.ended(0)).status == 200


@pytest.mark.parametrize("after", range(6))
async def test_a_client_that_leaves_is_noticed_and_counted(after: int) -> None:
    """B064, B081: cancelled while the provider waits before any event."""
    answer, reached, _ = pausing(before=after)
    async with serving([answer]) as (provider, client), anyio.create_task_group() as group:
        group.start_soon(client.stream, QUESTION)
        await reached.wait()
        group.cancel_scope.cancel()
        with anyio.CancelScope(shield=True):
            left = await provider.ended(0)

    assert (left.disconnected_after, left.sent, left.completed) == (after, after, False)


async def test_a_client_that_stops_reading_in_the_middle_is_noticed() -> None:
    answer, reached, _ = pausing(before=5)
    async with serving([answer]) as (provider, client):
        async with client.sdk.messages.with_streaming_response.create(stream=True, **QUESTION) as response:
            events = anthropic.AsyncStream.raw_events(response.http_response)
            assert (await anext(events)).event == "message_start"
            await reached.wait()
        left = await provider.ended(0)

    assert left.disconnected_after == 5
