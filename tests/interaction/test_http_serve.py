"""Serving alone: a real server on loopback, its streams word by word, its end in order."""

import socket

import anyio
import httpx2
import pytest
from anyio import fail_after
from starlette.types import Message, Receive, Scope, Send

from handgriff import BackendError, Caller, DefinitionError
from handgriff.core.events import TurnEnded
from handgriff.http import asgi, dev_caller, serve
from handgriff.models.scripted import Say
from tests.interaction.http_server import served
from tests.interaction.http_wire import PEOPLE, authenticate, frames_of, paced, say, wired

pytestmark = pytest.mark.anyio
ADA = PEOPLE["acme", "ada"]
WHO = {"x-user": "acme/ada"}


async def test_words_arrive_as_they_are_said_B146() -> None:
    pace, model = paced(Say("One two three."))
    async with wired(model=model) as wire, served(wire.host) as address, httpx2.AsyncClient(base_url=address, headers=WHO) as client:
        with fail_after(20):
            async with client.stream("POST", "/agui", json=say("hello")) as response:
                heard = b""
                pace.allow()
                async for chunk in response.aiter_raw():
                    heard += chunk
                    if heard.endswith(b"\n\n"):
                        events = [event for _, event in frames_of(heard.decode())]
                        if events[-1]["type"] == "TEXT_MESSAGE_CONTENT":
                            pace.allow()

        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert "content-encoding" not in response.headers
        assert "server" not in response.headers
        assert [event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT"] == ["One ", "two ", "three."]
        assert events[-1]["type"] == "RUN_FINISHED"


async def test_a_server_that_ends_ends_its_turns_first() -> None:
    pace, model = paced(Say("One two three."))
    async with wired(model=model) as wire:
        heard = bytearray()
        begun = anyio.Event()

        async def listen(address: str) -> None:
            async with (
                httpx2.AsyncClient(base_url=address, headers=WHO) as client,
                client.stream("POST", "/agui", json=say("hello")) as response,
            ):
                async for chunk in response.aiter_raw():
                    heard.extend(chunk)
                    if b"One " in heard:
                        begun.set()

        with fail_after(20):
            async with anyio.create_task_group() as tasks, served(wire.host) as address:
                tasks.start_soon(listen, address)
                pace.allow()
                await begun.wait()

        events = [event for _, event in frames_of(heard.decode())]
        assert (events[-1]["type"], events[-1]["code"]) == ("RUN_ERROR", "cancelled")


async def test_a_hostile_path_over_the_wire_is_an_id() -> None:
    async with wired() as wire, served(wire.host) as address:
        host, _, port = address.removeprefix("http://").partition(":")
        answers = []
        for path in (
            b"/sessions/..",
            b"/sessions/%00",
            b"/sessions/%",
            b"/sessions/%ff%fe",
            b"/sessions/",
            b"/sessions/a%2F..%2Fb",
            b"/sessions/s_0",
        ):
            async with await anyio.connect_tcp(host, int(port)) as stream:
                await stream.send(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\nX-User: acme/ada\r\nConnection: close\r\n\r\n")
                answer = b""
                with fail_after(10):
                    while chunk := await _received(stream):
                        answer += chunk
            answers.append(answer)

        assert {answer.split(b"\r\n")[0] for answer in answers} == {b"HTTP/1.1 404 Not Found"}
        assert len({answer.split(b"\r\n\r\n")[1] for answer in answers}) == 1


async def _received(stream: anyio.abc.ByteReceiveStream) -> bytes:
    try:
        return await stream.receive()
    except anyio.EndOfStream:
        return b""


async def test_dev_serves_one_person_on_this_machine_alone() -> None:
    async with wired() as wire, served(wire.host, authenticate=dev_caller(ADA), dev=True) as address:
        async with httpx2.AsyncClient(base_url=address) as client:
            assert (await client.get("/")).status_code == 200
            assert (await client.get("/sessions")).status_code == 200
            assert (await client.get("/sessions", headers={"host": "evil.example"})).status_code == 403

        with pytest.raises(DefinitionError, match="bind"):
            await serve(wire.host, authenticate=authenticate, dev=True, bind="192.0.2.1")


async def test_an_address_that_is_taken_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        async with wired() as wire:
            with pytest.raises(BackendError, match="listening"):
                await serve(wire.host, authenticate=authenticate, port=taken.getsockname()[1])


async def test_served_by_any_server_the_app_opens_and_closes_its_host() -> None:
    sent: list[Message] = []
    asked: list[Message] = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]

    async def receive() -> Message:
        return asked.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    async with wired() as wire:
        app = asgi(wire.host, authenticate=authenticate)
        await app({"type": "lifespan"}, receive, send)

    assert [message["type"] for message in sent] == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


async def test_a_server_that_refuses_bytes_for_a_gone_client_only_ends_the_response() -> None:
    pace, model = paced(Say("One two three."))
    async with wired(model=model) as wire:
        inner = wire.app

        async def breaking(scope: Scope, receive: Receive, send: Send) -> None:
            async def sending(message: Message) -> None:
                if b"One " in message.get("body", b""):
                    raise OSError("broken pipe")
                await send(message)

            await inner(scope, receive, sending)
            await send({"type": "http.response.body"})

        wire.app = breaking
        async with wire.open("POST", "/agui", say("hello")) as stream:
            await stream.until("STATE_SNAPSHOT")
            pace.allow()
            while not stream.is_over:
                await anyio.wait_all_tasks_blocked()
        session = (await wire.session())["id"]

        pace.allow(9)
        items = [item async for item in wire.host.follow(Caller("acme", "ada"), session)]

        assert isinstance(items[-1].body, TurnEnded)
        assert items[-1].body.status == "done"
