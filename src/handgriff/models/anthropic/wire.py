"""The wire form of Anthropic Messages: prefix, blocks and requests as JSON text, made by pure functions.

Below are strict JSON and messages as block texts; above, the runtime keeps what is made here and never makes it twice. Providers cache in
the order tools, system, messages, so the members of a request stand in an order in which each request begins with the one before it. It
knows no transport and no clock.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from handgriff.core import jsontext
from handgriff.core.lane import Lane
from handgriff.core.message import HostedFace, Message, ToolFace
from handgriff.core.schema.dialects import Shown, anthropic
from handgriff.core.schema.form import Schema
from handgriff.errors import DefinitionError
from handgriff.models.anthropic.marks import LONG, SHORT, is_blank, marked, short_marks

# Called directly and not from the provider's code execution: that works with every model, and what is found stays in the conversation.
HOSTED: Final[Mapping[str, str]] = {
    "code_execution": '{"type":"code_execution_20260521","name":"code_execution"}',
    "web_fetch": '{"type":"web_fetch_20260318","name":"web_fetch","allowed_callers":["direct"]}',
    "web_search": '{"type":"web_search_20260318","name":"web_search","allowed_callers":["direct"]}',
}
"""The provider's own tools, in the newest version that the SDK this was written against knows."""

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_COMBINATORS: Final = ("anyOf", "oneOf", "allOf")
_TOOLS: Final = '"tools":['
_IS_ERROR: Final = ',"is_error":true'


class AnthropicWire:
    """Requests, blocks and prefixes as Anthropic Messages takes them."""

    def dialect(self, schema: Schema) -> Shown:
        """A tool's schema in this provider's words."""
        return anthropic(schema)

    def prefix(self, *, tools: Sequence[ToolFace], hosted: Sequence[HostedFace], instructions: str) -> str:
        """Tools and shared instructions up to and with the long mark, left open for the session's own context.

        Raises:
            DefinitionError: a hosted tool Anthropic does not have, a tool it can't express, or one name twice.
        """
        _check_unique([*map(_by_name, tools), *map(_by_name, hosted)])
        texts = [*map(_tool, sorted(tools, key=_by_name)), *map(_hosted, sorted(hosted, key=_by_name))]
        if instructions.strip():
            system = f'"system":[{marked(self.text(instructions), LONG)}'
            return f"{_TOOLS}{','.join(texts)}],{system}" if texts else system
        return f"{_TOOLS}{','.join([*texts[:-1], marked(texts[-1], LONG)])}]" if texts else ""

    def text(self, text: str) -> str:
        """A text block.

        Raises:
            ValueError: *text* is blank; the API would refuse the request from then on.
        """
        if not text.strip():
            raise ValueError("a text block must have a word in it")
        return f'{{"type":"text","text":{_json(text)}}}'

    def result(self, wire_id: str, text: str, *, is_error: bool) -> str:
        """The block that answers the call *wire_id*."""
        content = f',"content":{_json(text)}' if text.strip() else ""
        return f'{{"type":"tool_result","tool_use_id":{_json(wire_id)}{content}{_IS_ERROR if is_error else ""}}}'

    def request(self, *, lane: Lane, prefix: str, context: str, messages: Sequence[Message], parallel: bool, final: bool) -> bytes:
        """A whole request. What changes from one to the next stands last: the marks, and the newest messages."""
        head = f'{{"model":{_json(lane.name)},"max_tokens":{lane.max_tokens},"stream":true'
        effort = f',"output_config":{{"effort":"{lane.effort}"}}' if lane.effort is not None else ""
        # Without tools the API takes no choice among them.
        choice = f',"tool_choice":{_choice(parallel=parallel, final=final)}' if prefix.startswith(_TOOLS) else ""
        shared = self._with_context(prefix, context)
        return f'{head}{effort}{choice}{shared},"messages":[{_rendered(messages)}]}}'.encode()

    def _with_context(self, prefix: str, context: str) -> str:
        has_system, has_context = prefix.endswith("}"), bool(context.strip())
        block = self.text(context) if has_context else ""
        if has_system:
            return f",{prefix},{block}]" if has_context else f",{prefix}]"
        shared = f",{prefix}" if prefix else ""
        return f'{shared},"system":[{block}]' if has_context else shared


def _json(text: str) -> str:
    return jsontext.dumps(text)


def _by_name(face: ToolFace | HostedFace) -> str:
    return face.name


def _tool(face: ToolFace) -> str:
    _check_tool(face)
    return f'{{"name":{_json(face.name)},"description":{_json(face.description)},"input_schema":{face.schema}}}'


def _hosted(face: HostedFace) -> str:
    if face.name not in HOSTED:
        raise DefinitionError(face.name, "name", "Anthropic hosts no tool of this name.", mend=f"use one of {', '.join(sorted(HOSTED))}.")
    return HOSTED[face.name]


def _check_unique(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise DefinitionError(name, "name", "two tools of one list have it.", mend="rename one of them.")


def _check_tool(face: ToolFace) -> None:
    if not _NAME.fullmatch(face.name):
        raise DefinitionError(face.name, "name", "Anthropic does not take it.", mend="use up to 128 letters, digits, '_' and '-'.")
    schema = jsontext.loads(face.schema)
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise DefinitionError(face.name, "input_schema", "its root is no object.", mend="make the arguments properties of one object.")
    if any(word in schema for word in _COMBINATORS):
        raise DefinitionError(face.name, "input_schema", "Anthropic takes no combinator at its root.", mend="move it into a property.")


def _choice(*, parallel: bool, final: bool) -> str:
    if final:
        return '{"type":"none"}'
    return '{"type":"auto"}' if parallel else '{"type":"auto","disable_parallel_tool_use":true}'


def _rendered(messages: Sequence[Message]) -> str:
    marks = dict(short_marks(messages))
    return ",".join(
        f'{{"role":"{message.role}","content":[{",".join(blocks)}]}}'
        for number, message in enumerate(messages)
        if (blocks := _blocks(message.blocks, marks.get(number)))
    )


def _blocks(blocks: Sequence[str], mark: int | None) -> list[str]:
    texts = list(blocks)
    if mark is not None:
        texts[mark] = marked(texts[mark], SHORT)
    return [text for text in texts if not is_blank(text)]
