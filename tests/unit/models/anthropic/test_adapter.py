"""`handgriff.models.anthropic.adapter`: the real SDK against the loopback provider."""

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import ByteStream, SocketAttribute

from handgriff.core.lane import Lane
from handgriff.core.message import AskedCall, Message, ToolFace
from handgriff.errors import DefinitionError
from handgriff.models.anthropic.adapter import AnthropicModel
from handgriff.ports.model import Ended, Model, ModelEvent, ModelFault, Started, Text
from handgriff.testing.loopback import script as says
from handgriff.testing.loopback.provider import LoopbackProvider

pytestmark = pytest.mark.anyio

LANE = Lane("anthropic:claude-sonnet-5", effort="low")
FIND = ToolFace("find", "d", '{"type":"object","properties":{"q":{"type":"string"}}}')
HELLO = says.Answer((says.Text("Hello there, Ada."),))


@asynccontextmanager
async def opened(provider: LoopbackProvider, *, silence: float = 30.0) -> AsyncIterator[Model]:
    model = AnthropicModel(api_key=provider.api_key, base_url=provider.url, silence=silence)
    with anyio.fail_after(30):
        yield model
    await model.close()


def said(model: Model, text: str = "hello") -> Message:
    return Message("user", (model.wire.text(text),))


def request(model: Model, *messages: Message) -> bytes:
    prefix = model.wire.prefix(tools=(FIND,), hosted=(), instructions="You help.")
    history = messages or (said(model),)
    return model.wire.request(lane=LANE, prefix=prefix, context="You help Ada.", messages=history, parallel=True, final=False)


async def ended(model: Model, raw: bytes) -> Ended:
    async with model.stream(LANE, raw) as stream:
        *_, last = [event async for event in stream]
    assert isinstance(last, Ended)
    return last


async def failed(model: Model) -> tuple[ModelFault, list[ModelEvent]]:
    """How one request fails, and what had come by then."""
    seen: list[ModelEvent] = []
    try:
        async with model.stream(LANE, request(model)) as stream:
            async for event in stream:
                seen.append(event)  # noqa: PERF401  # what was seen before it failed is the point
    except ModelFault as fault:
        return fault, seen
    pytest.fail("the request did not fail")


async def test_the_bytes_that_were_rendered_are_the_bytes_that_arrive() -> None:
    async with LoopbackProvider(["Hello."]) as provider, opened(provider) as model:
        raw = request(model, said(model, "Grüße 🌍"))
        await ended(model, raw)

        (received,) = provider.requests
        assert received.raw == raw
        assert (received.path, received.violations) == ("/v1/messages", ())
        assert received.headers["content-type"] == "application/json"


async def test_an_answer_comes_piece_by_piece_and_then_whole() -> None:
    async with LoopbackProvider([("Hello there.", says.ToolUse("find", {"q": "x"}))]) as provider, opened(provider) as model:
        async with model.stream(LANE, request(model)) as stream:
            first, *events, last = [event async for event in stream]

        assert isinstance(first, Started)
        assert (first.model, "output" in first.usage.reported) == ("claude-sonnet-5", False)
        assert [event.text for event in events if isinstance(event, Text)] == ["Hello th", "ere."]
        assert isinstance(last, Ended)
        assert (last.answer.text, last.answer.stop) == ("Hello there.", "tools")
        assert [(call.tool, call.arguments, call.is_closed) for call in last.answer.calls] == [("find", '{"q": "x"}', True)]
        usage = provider.requests[0].usage
        assert usage is not None
        assert (last.usage.input, last.usage.cache_write_5m, last.usage.cache_write_1h) == (usage.fresh, usage.written_5m, usage.written_1h)
        assert "output" in last.usage.reported


async def test_what_the_provider_said_comes_back_as_it_said_it() -> None:
    """B073: thinking with its signature, sealed thinking, the provider's own calls, unknown kinds, and who made a call."""
    caller = {"caller": {"type": "direct"}}
    blocks: tuple[says.Block, ...] = (
        says.Thinking("Where is it?"),
        says.Raw({"type": "redacted_thinking", "data": "EuYBCoQB"}),
        says.Text("Let me look."),
        says.Raw({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x", "n": 1.5}}),
        says.Raw({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"type": "web_search_result", "url": "é"}]}),
        says.Raw({"type": "new_block_2027", "deep": {"z": [1, None], "a": True}}),
        says.ToolUse("find", {"z": 1, "a": {"y": 1.0}}, id="toolu_1", extra=caller),
    )
    async with LoopbackProvider([blocks, "Found."]) as provider, opened(provider) as model:
        first = request(model)
        asked = Message("assistant", (await ended(model, first)).answer.blocks)
        found = Message("user", (model.wire.result("toolu_1", "x", is_error=False),))
        second = request(model, said(model), asked, found)
        await ended(model, second)

        assert provider.violations == ()
        content = provider.requests[1].body["messages"][1]["content"]
        assert [item["type"] for item in content] == [
            "thinking",
            "redacted_thinking",
            "text",
            "server_tool_use",
            "web_search_tool_result",
            "new_block_2027",
            "tool_use",
        ]
        assert content[-1]["caller"] == {"type": "direct"}


async def test_half_a_character_in_arguments_bricks_nothing() -> None:
    """B056: three more turns are taken."""
    raw = r'{"q":"\ud99c \ubcf4\uc720"}'
    async with (
        LoopbackProvider([says.ToolUse("find", raw=raw, id="toolu_1"), "Once.", "Twice.", "Thrice."]) as provider,
        opened(provider) as model,
    ):
        answer = (await ended(model, request(model))).answer
        history = [
            said(model),
            Message("assistant", answer.blocks),
            Message("user", (model.wire.result("toolu_1", "a\udc00b", is_error=True),)),
        ]
        for _ in range(3):
            done = await ended(model, request(model, *history))
            history += [Message("assistant", done.answer.blocks), said(model, "\ud83d")]

        assert answer.calls[0].arguments == raw
        assert (len(provider.requests), provider.violations) == (4, ())


@pytest.mark.parametrize("raw", ["", "   ", "null", "[]", '{"text": "abc'])
async def test_after_arguments_that_are_no_object_the_next_turn_is_taken(raw: str) -> None:
    """B048, B062."""
    call = says.ToolUse("find", raw=raw, id="toolu_1")
    async with LoopbackProvider([call, "Done."]) as provider, opened(provider) as model:
        answer = (await ended(model, request(model))).answer
        found = Message("user", (model.wire.result("toolu_1", "x", is_error=True),))
        await ended(model, request(model, said(model), Message("assistant", answer.blocks), found))

        assert answer.calls == (AskedCall("toolu_1", "find", raw),)
        assert provider.violations == ()


@pytest.mark.parametrize(
    ("status", "kind", "is_retryable"),
    [
        (529, "overloaded", True),
        (429, "rate_limited", True),
        (503, "unavailable", True),
        (500, "unavailable", True),
        (400, "rejected", False),
        (401, "unauthorised", False),
        (403, "unauthorised", False),
    ],
)
async def test_a_refused_request_is_classed_and_sent_once(status: int, kind: str, *, is_retryable: bool) -> None:
    refusal = says.HttpError(status, headers={"retry-after": "7"})
    async with LoopbackProvider([refusal]) as provider, opened(provider) as model:
        fault, seen = await failed(model)

        assert (fault.kind, fault.is_retryable, fault.retry_after) == (kind, is_retryable, 7.0)
        assert seen == []
        assert len(provider.requests) == 1


async def test_a_wrong_key_is_the_operators_business() -> None:
    async with LoopbackProvider(["Hello."]) as provider:
        model = AnthropicModel(api_key="wrong", base_url=provider.url)
        fault, _ = await failed(model)
        await model.close()

    assert (fault.kind, fault.is_retryable) == ("unauthorised", False)


@pytest.mark.parametrize(
    ("word", "kind", "is_retryable"),
    [
        ("overloaded_error", "overloaded", True),
        ("api_error", "unavailable", True),
        ("rate_limit_error", "rate_limited", True),
        ("invalid_request_error", "rejected", False),
    ],
)
async def test_an_error_inside_the_stream_is_classed_by_its_own_type(word: str, kind: str, *, is_retryable: bool) -> None:
    answer = says.Answer(HELLO.blocks, fault=says.ErrorEvent(4, word))
    async with LoopbackProvider([answer]) as provider, opened(provider) as model:
        fault, seen = await failed(model)

    assert (fault.kind, fault.is_retryable) == (kind, is_retryable)
    assert seen[-1] == Text("Hello th")
    assert fault.usage.reported >= {"input", "cache_read"}


@pytest.mark.parametrize("fault", [says.EarlyEnd(4), says.Drop(4), says.Drop(4, reset=True)])
async def test_a_stream_without_its_end_is_a_fault_whatever_it_held(fault: says.Fault) -> None:
    """B061: EOF without `message_stop`, and a connection that drops."""
    async with LoopbackProvider([says.Answer(HELLO.blocks, fault=fault)]) as provider, opened(provider) as model:
        broken, seen = await failed(model)

    assert (broken.kind, broken.is_retryable) == ("broken_stream", True)
    assert seen[-1] == Text("Hello th")
    assert "output" not in broken.usage.reported


async def test_a_stream_that_lacks_only_its_last_event_is_a_fault_too() -> None:
    """B061: even a call whose arguments are complete is not told as one."""
    call = says.Answer((says.ToolUse("find", {"q": "x"}, chunk=99),), fault=says.EarlyEnd(7))
    async with LoopbackProvider([call]) as provider, opened(provider) as model:
        broken, seen = await failed(model)

    assert broken.kind == "broken_stream"
    assert not any(isinstance(event, Ended) for event in seen)
    assert "output" in broken.usage.reported


@pytest.mark.parametrize("reset", [False, True])
async def test_a_connection_that_drops_before_any_answer_is_unavailable(*, reset: bool) -> None:
    answer = says.Answer(HELLO.blocks, fault=says.Drop(0, reset=reset))
    async with LoopbackProvider([answer]) as provider, opened(provider) as model:
        fault, seen = await failed(model)

    assert (fault.kind, fault.is_retryable, seen) == ("unavailable", True, [])


async def test_where_nobody_listens_the_provider_is_unavailable() -> None:
    async with LoopbackProvider([]) as provider:
        url = provider.url
    model = AnthropicModel(api_key="key", base_url=url)
    fault, _ = await failed(model)
    await model.close()

    assert (fault.kind, fault.is_retryable) == ("unavailable", True)


async def test_silence_ends_a_stream() -> None:
    held = anyio.Event()
    answer = says.Answer(HELLO.blocks, holds=(says.Hold(4, held.wait),))
    async with LoopbackProvider([answer]) as provider, opened(provider, silence=0.5) as model:
        fault, seen = await failed(model)

        assert (fault.kind, fault.is_retryable) == ("broken_stream", True)
        assert seen[-1] == Text("Hello th")
        assert (await provider.ended(0)).disconnected_after == 4


async def test_leaving_early_closes_the_upstream_stream() -> None:
    """B064, B081: and a second request on the same model works."""
    held = anyio.Event()
    answer = says.Answer(HELLO.blocks, holds=(says.Hold(4, held.wait),))
    async with LoopbackProvider([answer, "Again."]) as provider, opened(provider) as model:
        async with model.stream(LANE, request(model)) as stream:
            async for event in stream:
                if isinstance(event, Text):
                    break

        assert (await provider.ended(0)).disconnected_after == 4
        assert (await ended(model, request(model))).answer.text == "Again."


@pytest.mark.parametrize("before", [0, 4])
async def test_being_cancelled_closes_the_upstream_stream(before: int) -> None:
    """B064: before the first byte and in the middle."""
    held = anyio.Event()
    answer = says.Answer(HELLO.blocks, holds=(says.Hold(before, held.wait),))
    async with LoopbackProvider([answer]) as provider, opened(provider) as model, anyio.create_task_group() as group:
        waiting = anyio.Event()

        async def listen() -> None:
            async with model.stream(LANE, request(model)) as stream:
                async for event in stream:
                    if isinstance(event, Text):
                        waiting.set()

        group.start_soon(listen)
        await (waiting.wait() if before else provider.arrived(0))
        group.cancel_scope.cancel()
        with anyio.CancelScope(shield=True):
            assert (await provider.ended(0)).disconnected_after == before


async def test_the_end_is_told_before_the_connection_has_ended() -> None:
    last, held = 8, anyio.Event()
    answer = says.Answer(HELLO.blocks, holds=(says.Hold(last + 1, held.wait),))
    async with LoopbackProvider([answer]) as provider, opened(provider) as model:
        async with model.stream(LANE, request(model)) as stream:
            async for event in stream:
                if isinstance(event, Ended):
                    held.set()
                    break

        assert (await provider.ended(0)).completed


@asynccontextmanager
async def answering(response: bytes) -> AsyncIterator[Model]:
    """A model whose provider says *response* to everything, and closes."""

    async def respond(client: ByteStream) -> None:
        async with client:
            await client.receive()
            await client.send(response)

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, respond)
        port = listener.extra(SocketAttribute.local_port)  # noqa: S610  # a socket's, not Django's
        model = AnthropicModel(api_key="key", base_url=f"http://127.0.0.1:{port}")
        yield model
        await model.close()
        group.cancel_scope.cancel()


@pytest.mark.parametrize(
    "body",
    [
        b"<html>a proxy's page</html>",
        b"data: {not json}\n\n",
        b'data: "\xff"\n\n',
        b"data: [1]\n\n",
        pytest.param(b"data: " + b"[" * 100_000 + b"\n\n", id="deep"),
        b'data: {"type":"message_stop"}\n\n',
        b"",
    ],
)
async def test_what_is_no_such_stream_is_a_fault(body: bytes) -> None:
    async with answering(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" + body) as model:
        fault, _ = await failed(model)

    assert (fault.kind, fault.is_retryable) == ("broken_stream", True)


async def test_an_error_whose_body_breaks_off_is_unavailable() -> None:
    async with answering(b"HTTP/1.1 529 Overloaded\r\ncontent-length: 99\r\n\r\n{") as model:
        fault, _ = await failed(model)

    assert (fault.kind, fault.is_retryable) == ("unavailable", True)


async def test_key_and_address_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    async with LoopbackProvider(["Hello."]) as provider:
        monkeypatch.setenv("ANTHROPIC_API_KEY", provider.api_key)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.url)
        model = AnthropicModel()
        assert (await ended(model, request(model))).answer.text == "Hello."
        await model.close()


def test_a_missing_key_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    with pytest.raises(DefinitionError, match="ANTHROPIC_API_KEY"):
        AnthropicModel()


def test_without_the_sdk_the_extra_is_named() -> None:
    program = "import sys; sys.modules['anthropic'] = None; import handgriff.models.anthropic.adapter"
    done = subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": "src"}, capture_output=True, text=True, check=False)

    assert "DefinitionError" in done.stderr
    assert "handgriff[anthropic]" in done.stderr


def test_the_pure_modules_do_not_load_the_sdk() -> None:
    imports = "import sys, handgriff.models.anthropic.wire, handgriff.models.anthropic.assemble"
    program = f"{imports}; print('anthropic' in sys.modules, 'pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": "src"}, capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False"]
