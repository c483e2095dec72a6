"""`handgriff.models.anthropic.wire`."""

import json
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.lane import Lane
from handgriff.core.message import HostedFace, Message, ToolFace
from handgriff.core.schema.dialects import anthropic
from handgriff.core.schema.imported import schema_from
from handgriff.errors import DefinitionError
from handgriff.models.anthropic.wire import HOSTED, AnthropicWire
from handgriff.ports.model import Wire
from handgriff.testing.loopback.cache import Cache, count_tokens, simulate
from handgriff.testing.loopback.prompt import read_prompt, unmarked
from handgriff.testing.loopback.rules import violations
from tests.unit.models.anthropic.streams import Event, block, call, end, ended, text

WIRE: Wire = AnthropicWire()
LANE = Lane("anthropic:claude-sonnet-5", effort="low", max_tokens=1000)
FIND = ToolFace("find", "Use when: …", '{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}},"required":["z"]}')
SEND = ToolFace("send", "Use when: “é”", '{"type":"object","properties":{}}')
PREFIX = WIRE.prefix(tools=(FIND, SEND), hosted=(), instructions="You help.")
HELLO = Message("user", (WIRE.text("hello"),))


def request(
    *messages: Message, prefix: str = PREFIX, context: str = "You help Ada.", lane: Lane = LANE, parallel: bool = True, final: bool = False
) -> bytes:
    return WIRE.request(lane=lane, prefix=prefix, context=context, messages=messages, parallel=parallel, final=final)


def lifetimes(value: object) -> list[str]:
    """The lifetimes of all cache marks, in the order of the request."""
    if isinstance(value, list):
        return [ttl for item in value for ttl in lifetimes(item)]
    if not isinstance(value, dict):
        return []
    return [ttl for name, item in value.items() for ttl in ([item["ttl"]] if name == "cache_control" else lifetimes(item))]


def answered(*blocks: list[Event], stop: str = "tool_use") -> Message:
    return Message("assistant", ended(*blocks, end(stop)).answer.blocks)


GOLDEN = (
    '{"model":"claude-sonnet-5","max_tokens":1000,"stream":true,"output_config":{"effort":"low"},'
    '"tool_choice":{"type":"auto","disable_parallel_tool_use":true},'
    '"tools":[{"name":"find","description":"Use when: …","input_schema":'
    '{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}},"required":["z"]}},'
    '{"name":"send","description":"Use when: “é”","input_schema":{"type":"object","properties":{}}},'
    '{"type":"web_search_20260318","name":"web_search","allowed_callers":["direct"]}],'
    '"system":[{"type":"text","text":"You help.","cache_control":{"type":"ephemeral","ttl":"1h"}},'
    '{"type":"text","text":"You help Ada."}],'
    '"messages":[{"role":"user","content":[{"type":"text","text":"hello","cache_control":{"type":"ephemeral","ttl":"5m"}}]},'
    '{"role":"assistant","content":[{"type":"text","text":"Let me look."},'
    '{"type":"tool_use","id":"toolu_1","name":"find","input":{"z": "é", "n":1.0}}]},'
    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1",'
    '"content":"<untrusted-x>\\n{\\"summary\\":\\"None.\\"}\\n</untrusted-x>","is_error":true},'
    '{"type":"text","text":"and?","cache_control":{"type":"ephemeral","ttl":"5m"}}]}]}'
)


def test_the_body_of_a_request_is_pinned() -> None:
    prefix = WIRE.prefix(tools=(SEND, FIND), hosted=(HostedFace("web_search"),), instructions="You help.")
    asked = answered(text(0, "Let me look."), call(1, '{"z": "é", "n":1.0}'))
    result = WIRE.result("toolu_1", '<untrusted-x>\n{"summary":"None."}\n</untrusted-x>', is_error=True)

    assert request(HELLO, asked, Message("user", (result, WIRE.text("and?"))), prefix=prefix, parallel=False).decode() == GOLDEN


def test_a_schema_is_shown_in_the_dialect_of_the_provider() -> None:
    schema = schema_from(json.loads(FIND.schema), tool="find")

    assert WIRE.dialect(schema) == anthropic(schema)


@pytest.mark.parametrize(
    ("instructions", "context", "tools"),
    [("You help.", "Ada", (FIND,)), ("You help.", "", ()), ("", "Ada", (FIND,)), ("", "Ada", ()), (" ", " ", (FIND,)), ("", "", ())],
)
def test_what_is_blank_is_left_out_and_the_rest_is_a_valid_request(instructions: str, context: str, tools: tuple[ToolFace, ...]) -> None:
    prefix = WIRE.prefix(tools=tools, hosted=(), instructions=instructions)
    body = json.loads(request(HELLO, prefix=prefix, context=context))

    assert violations(body) == ()
    assert ("tools" in body, "tool_choice" in body) == (bool(tools), bool(tools))
    assert [item["text"] for item in body.get("system", ())] == [part for part in (instructions, context) if part.strip()]


def test_the_long_mark_closes_what_is_shared_and_the_context_stands_behind_it() -> None:
    """B074, B076: the hour first, then the five minutes."""
    body = json.loads(request(HELLO))

    assert [item.get("cache_control") for item in body["system"]] == [{"type": "ephemeral", "ttl": "1h"}, None]
    assert lifetimes(json.loads(request(HELLO))) == ["1h", "5m"]


def test_without_instructions_the_last_tool_carries_the_long_mark() -> None:
    prefix = WIRE.prefix(tools=(SEND, FIND), hosted=(), instructions="")

    assert [tool.get("cache_control") for tool in json.loads(f"{{{prefix}}}")["tools"]] == [None, {"type": "ephemeral", "ttl": "1h"}]


def test_tools_stand_in_one_order_however_they_were_given() -> None:
    """B071: forty tools, and properties in their author's order."""
    tools = [ToolFace(f"tool_{number}", "d", FIND.schema) for number in range(40)]
    shuffled = random.Random(7).sample(tools, len(tools))  # noqa: S311  # an order, no secret
    hosted = [HostedFace(name) for name in HOSTED]

    prefix = WIRE.prefix(tools=tools, hosted=hosted, instructions="x")
    assert prefix == WIRE.prefix(tools=shuffled, hosted=hosted[::-1], instructions="x")
    assert FIND.schema in prefix


PROGRAM = """
import sys
from handgriff.core.lane import Lane
from handgriff.core.message import HostedFace, Message, ToolFace
from handgriff.models.anthropic.wire import HOSTED, AnthropicWire
wire = AnthropicWire()
tools = [ToolFace(name, "d", '{"type":"object","properties":{"z":{},"a":{}}}') for name in {f"tool_{number}" for number in range(40)}]
prefix = wire.prefix(tools=tools, hosted=[HostedFace(name) for name in set(HOSTED)], instructions="x")
said = Message("user", (wire.text("hello"),))
lane = Lane("anthropic:claude-x")
sys.stdout.buffer.write(wire.request(lane=lane, prefix=prefix, context="c", messages=[said], parallel=False, final=False))
"""


def test_another_process_with_another_hash_seed_makes_the_same_bytes() -> None:
    """B071."""
    made = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM], env={"PYTHONHASHSEED": seed, "PYTHONPATH": "src"}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }

    assert len(made) == 1


@pytest.mark.parametrize(
    ("face", "member"),
    [
        (ToolFace("calendar.read", "d", SEND.schema), "name"),
        (ToolFace("мой_tool", "d", SEND.schema), "name"),
        (ToolFace("x" * 129, "d", SEND.schema), "name"),
        (ToolFace("any", "d", '{"type":"object","anyOf":[]}'), "input_schema"),
        (ToolFace("list", "d", '{"type":"array"}'), "input_schema"),
        (ToolFace("bare", "d", "{}"), "input_schema"),
        (ToolFace("odd", "d", "[]"), "input_schema"),
    ],
)
def test_a_tool_that_cannot_be_expressed_is_named(face: ToolFace, member: str) -> None:
    """B045, B122."""
    with pytest.raises(DefinitionError) as raised:
        WIRE.prefix(tools=(SEND, face), hosted=(), instructions="x")
    assert (raised.value.subject, raised.value.member) == (face.name, member)


def test_an_unknown_hosted_tool_is_told_which_there_are() -> None:
    with pytest.raises(DefinitionError, match="code_execution, web_fetch, web_search"):
        WIRE.prefix(tools=(), hosted=(HostedFace("telepathy"),), instructions="x")


def test_one_name_for_two_tools_is_refused() -> None:
    """B121."""
    search = ToolFace("web_search", "d", SEND.schema)

    with pytest.raises(DefinitionError, match="web_search"):
        WIRE.prefix(tools=(search,), hosted=(HostedFace("web_search"),), instructions="x")


def test_hosted_tools_are_written_as_they_are_named() -> None:
    for name, written in HOSTED.items():
        assert json.loads(written)["name"] == name
        assert json.loads(written)["type"].startswith(f"{name}_")


@pytest.mark.parametrize(
    ("how", "choice"),
    [
        (("parallel",), {"type": "auto"}),
        ((), {"type": "auto", "disable_parallel_tool_use": True}),
        (("final",), {"type": "none"}),
        (("final", "parallel"), {"type": "none"}),
    ],
)
def test_the_tool_choice_is_always_explicit(how: tuple[str, ...], choice: dict[str, object]) -> None:
    assert json.loads(request(HELLO, parallel="parallel" in how, final="final" in how))["tool_choice"] == choice


def test_effort_is_sent_as_the_lane_has_it_and_left_out_where_it_has_none() -> None:
    assert json.loads(request(HELLO))["output_config"] == {"effort": "low"}
    assert "output_config" not in json.loads(request(HELLO, lane=Lane("anthropic:claude-sonnet-5")))


def test_a_result_without_words_has_no_content() -> None:
    assert WIRE.result("toolu_1", " ", is_error=False) == '{"type":"tool_result","tool_use_id":"toolu_1"}'


@pytest.mark.parametrize("blank", ["", " \n"])
def test_blank_text_is_refused_before_it_bricks_a_conversation(blank: str) -> None:
    """B075."""
    with pytest.raises(ValueError, match="word"):
        WIRE.text(blank)


def test_half_a_character_never_reaches_the_wire() -> None:
    """B056: results, user text, context and instructions; whole characters stay."""
    prefix = WIRE.prefix(tools=(ToolFace("t", "\ud83d", SEND.schema),), hosted=(), instructions="\udc00 🌍")
    said = Message("user", (WIRE.text("\ud83d"), WIRE.text("🌍"), WIRE.result("id", "a\udc00b", is_error=False)))
    raw = request(said, prefix=prefix, context="\ud800")

    assert raw.decode().count("\ufffd") == 5
    assert raw.decode().count("🌍") == 2
    assert b"\\ud" not in raw


@pytest.mark.parametrize("last", [('{"type":"text","text":""}',), ('{"type":"text","text":"   "}',), ()])
def test_empty_text_is_not_sent_at_all(last: tuple[str, ...]) -> None:
    """B075: as the last block, or as all there is."""
    results = Message("user", (WIRE.result("toolu_0", "x", is_error=False), *last))
    body = json.loads(request(HELLO, answered(call(0, "{}")), results, Message("user", last)))

    assert violations(body) == ()
    assert [[item["type"] for item in message["content"]] for message in body["messages"]] == [["text"], ["tool_use"], ["tool_result"]]
    assert "cache_control" in body["messages"][-1]["content"][-1]


KINDS = st.sampled_from(
    [
        '{"type":"text","text":"word"}',
        '{"type":"text","text":" "}',
        '{"type":"thinking","thinking":"t","signature":"s"}',
        '{"type":"redacted_thinking","data":"d"}',
        '{"type":"tool_use","id":"i","name":"find","input":{"cache_control":1}}',
        '{"type":"tool_result","tool_use_id":"i","content":"x"}',
        '{"type":"new_block_2027"}',
    ]
)
MESSAGES = st.lists(st.builds(Message, st.sampled_from(["user", "assistant"]), st.lists(KINDS, max_size=25).map(tuple)), max_size=12)
PREFIXES = st.builds(
    lambda tools, instructions: WIRE.prefix(tools=tools, hosted=(), instructions=instructions),
    st.sampled_from([(), (FIND,), (FIND, SEND)]),
    st.sampled_from(["", "You help."]),
)


@given(MESSAGES, PREFIXES, st.sampled_from(["", "ctx"]))
def test_of_no_shape_are_there_more_than_four_marks_or_a_long_one_behind_a_short_one(
    messages: list[Message], prefix: str, context: str
) -> None:
    """B074, B075, B076: counted in the final bytes, and never on thinking or empty text."""
    body = json.loads(request(*messages, prefix=prefix, context=context))
    carried = [item for message in body["messages"] for item in message["content"] if "cache_control" in item]
    tools = [tool for tool in body.get("tools", ()) if "cache_control" in tool]
    system = [item for item in body.get("system", ()) if "cache_control" in item]

    assert len(carried) <= 2
    assert len(tools) + len(system) <= 1
    assert {item["cache_control"]["ttl"] for item in carried} <= {"5m"}
    assert {item["cache_control"]["ttl"] for item in (*tools, *system)} <= {"1h"}
    assert {item["type"] for item in carried} <= {"text", "tool_use", "tool_result"}
    assert all(item["text"].strip() for item in carried if item["type"] == "text")


@given(MESSAGES, st.integers(min_value=0, max_value=12))
def test_each_request_begins_with_the_one_before_it(messages: list[Message], cut: int) -> None:
    """B072, B073: byte for byte, marks apart."""
    earlier, later = (without_marks(request(*history)) for history in (messages[:cut], messages))

    assert later.startswith(earlier.removesuffix("]}"))


def without_marks(raw: bytes) -> str:
    head, messages = raw.decode().split('"messages":', 1)
    return head + '"messages":' + messages.replace(',"cache_control":{"type":"ephemeral","ttl":"5m"}', "")


@pytest.mark.parametrize("arguments", ['{"z":1,"a":{"y":1.0,"b":"\\u00e9"}}', '{"z": 1, "b": "é"}  ', '{"a":1}\r\n', "null", ""])
def test_a_stored_answer_is_sent_with_the_bytes_it_was_stored_with(arguments: str) -> None:
    """B048, B072, B073: thinking, text and call, through two more requests."""
    thinking = block(0, {"type": "thinking", "thinking": "", "signature": ""}, {"type": "signature_delta", "signature": "s="})
    asked = answered(thinking, text(1, "Let me look."), call(2, arguments))
    found = Message("user", (WIRE.result("toolu_2", "x", is_error=False),))
    first, second = request(HELLO, asked, found), request(HELLO, asked, found, answered(text(0, "Done.")), HELLO)

    kept = ",".join(asked.blocks)
    assert kept in first.decode()
    assert kept in second.decode()
    assert without_marks(second).startswith(without_marks(first).removesuffix("]}"))


def test_every_block_before_the_newest_message_is_read_from_the_cache() -> None:
    """B077: ten turns, thirty calls at once in each; only what is new is ever written."""
    cache: Cache = {}
    history: list[Message] = []
    seen = 0
    for turn in range(10):
        for step in range(2):
            raw = request(*history, HELLO) if not step else request(*history)
            prompt = read_prompt(raw)
            usage, cache = simulate(cache, prompt, now=float(turn))
            whole = sum(count_tokens(unmarked(item.text)) for item in prompt.blocks)

            assert usage.read == seen
            assert (usage.fresh, usage.total) == (0, whole)
            seen = whole
            if not step:
                asked = answered(*(call(1000 * turn + number, "{}") for number in range(30)))
                results = [WIRE.result(f"toolu_{1000 * turn + number}", "x", is_error=False) for number in range(30)]
                history += [HELLO, asked, Message("user", tuple(results))]
            else:
                history += [answered(text(0, f"Done {turn}."), stop="end_turn")]


def test_two_tenants_share_every_byte_before_the_context() -> None:
    ada, bob = (request(HELLO, context=context).decode().partition(context)[0] for context in ("You help Ada.", "Bob it is."))

    assert ada == bob
    assert ada.endswith('"ttl":"1h"}},{"type":"text","text":"')
