"""`handgriff.models.scripted`: the model as a port's adapter."""

import anyio
import pytest

from handgriff.core.envelope import enclose
from handgriff.core.estimate import estimate_tokens
from handgriff.core.lane import Lane
from handgriff.core.message import AskedCall, Message, ToolFace
from handgriff.core.usage import TOKEN_CLASSES
from handgriff.models.scripted import Say, ScriptedModel, Use
from handgriff.ports.model import Ended, Model, ModelEvent, Started, Text, Working

pytestmark = pytest.mark.anyio

LANE = Lane("scripted:demo")
TOOL = ToolFace("list_orders", "d", '{"type":"object","properties":{}}')


def request(model: Model, *messages: Message, final: bool = False) -> bytes:
    prefix = model.wire.prefix(tools=(TOOL,), hosted=(), instructions="You help.")
    return model.wire.request(lane=LANE, prefix=prefix, context="", messages=messages, parallel=True, final=final)


def said(model: Model, text: str) -> Message:
    return Message("user", (model.wire.text(text),))


async def stream(model: Model, *messages: Message) -> list[ModelEvent]:
    async with model.stream(LANE, request(model, *messages)) as events:
        return [event async for event in events]


async def ended(model: Model, *messages: Message) -> Ended:
    last = (await stream(model, *messages))[-1]
    assert isinstance(last, Ended)
    return last


async def test_a_command_a_call_and_a_summary_make_a_whole_loop() -> None:
    model: Model = ScriptedModel()
    typed = said(model, "/list_orders open=true")
    asked = (await ended(model, typed)).answer
    result = model.wire.result("call_1_1", enclose('{"summary":"2 orders."}', "n"), is_error=False)
    done = (await ended(model, typed, Message("assistant", asked.blocks), Message("user", (result,)))).answer
    await model.close()

    assert asked.calls == (AskedCall("call_1_1", "list_orders", '{"open":true}'),)
    assert (asked.text, asked.stop) == ("", "tools")
    assert (done.text, done.calls, done.stop) == ("2 orders.", (), "end")


async def test_a_script_says_and_calls_several_things_at_once() -> None:
    model = ScriptedModel([(Say("Let me look."), Use("a"), Use("b", {"x": 1})), Say("Done.")])
    typed = said(model, "hello")
    events = await stream(model, typed)

    assert isinstance(events[0], Started)
    assert events[1:-1] == [Text("Let "), Text("me "), Text("look."), Working(is_content=True), Working(is_content=True)]
    assert isinstance(events[-1], Ended)
    answer = events[-1].answer
    assert [(call.wire_id, call.tool, call.arguments) for call in answer.calls] == [("call_1_1", "a", "{}"), ("call_1_2", "b", '{"x":1}')]
    assert (await ended(model, typed, Message("assistant", answer.blocks))).answer.text == "Done."


@pytest.mark.parametrize("text", ["One two.", "  leading", "lines\n\nand  gaps ", "é 🌍", ""])
async def test_what_is_streamed_is_what_is_kept(text: str) -> None:
    model = ScriptedModel([Say(text)])
    events = await stream(model, said(model, "hello"))

    assert isinstance(events[-1], Ended)
    assert "".join(event.text for event in events if isinstance(event, Text)) == events[-1].answer.text == text
    assert events[-1].answer.blocks == ((model.wire.text(text),) if text else ())


async def test_a_blank_step_says_nothing() -> None:
    assert (await ended(ScriptedModel([Say(" ")]), Message("user", ()))).answer.blocks == ()


async def test_usage_is_reported_and_always_the_same() -> None:
    model = ScriptedModel()
    events = await stream(model, said(model, "hello"))
    first, last = events[0], events[-1]

    assert isinstance(first, Started)
    assert isinstance(last, Ended)
    assert first.model == "demo"
    assert first.usage.input == estimate_tokens(request(model, said(model, "hello")).decode())
    assert "output" not in first.usage.reported
    assert last.usage.reported == frozenset(TOKEN_CLASSES)
    assert last.usage.output == estimate_tokens(last.answer.blocks[0])
    assert events == await stream(ScriptedModel(), said(model, "hello"))


async def test_between_two_words_others_get_their_turn() -> None:
    model = ScriptedModel([Say("one two three")])
    steps = 0

    async def count() -> None:
        nonlocal steps
        while True:
            await anyio.lowlevel.checkpoint()
            steps += 1

    async with anyio.create_task_group() as group:
        group.start_soon(count)
        await stream(model, said(model, "hello"))
        group.cancel_scope.cancel()

    assert steps >= 3


async def test_its_pace_is_waited_for_between_words_and_calls() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    model = ScriptedModel([(Say("one two"), Use("a"))], pace=0.05, sleep=sleep)
    await stream(model, said(model, "hello"))

    assert waits == [0.05, 0.05, 0.05]


async def test_leaving_early_ends_the_stream() -> None:
    model = ScriptedModel([Say("one two three")])
    async with model.stream(LANE, request(model, said(model, "hello"))) as events:
        first = await anext(aiter(events))

    assert isinstance(first, Started)
    with pytest.raises(StopAsyncIteration):
        await anext(events)
