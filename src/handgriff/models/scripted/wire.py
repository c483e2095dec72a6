"""The scripted model's own wire form: plain JSON, written here and read here.

Below are strict JSON and the values of a history; above, `model` reads a request to find its answer. It has no marks, because nothing is
cached, and it takes every block it has written itself.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handgriff.core import jsontext
from handgriff.core.lane import Lane
from handgriff.core.message import HostedFace, Message, ToolFace
from handgriff.core.schema.dialects import Shown, mcp
from handgriff.core.schema.form import Schema
from handgriff.errors import DefinitionError


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as the request offers it: its name, and the arguments it can't do without."""

    name: str
    required: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Heard:
    """What a request says: how many answers were given already, and what has come since the last one."""

    tools: tuple[OfferedTool, ...]
    answered: int
    texts: tuple[str, ...]
    results: tuple[str, ...]
    """Texts of the newest message if it holds results; then nobody has typed since."""
    final: bool


class ScriptedWire:
    """Requests, blocks and prefixes as the scripted model takes them."""

    def dialect(self, schema: Schema) -> Shown:
        """A tool's schema in this provider's words."""
        return mcp(schema)

    def prefix(self, *, tools: Sequence[ToolFace], hosted: Sequence[HostedFace], instructions: str) -> str:
        """The tools and the instructions.

        Raises:
            DefinitionError: a hosted tool; nobody hosts one here.
        """
        for face in hosted:
            raise DefinitionError(
                face.name, "name", "the scripted model hosts no tools.", mend="leave it out, or choose a provider's model."
            )
        offered = ",".join(
            f'{{"name":{jsontext.dumps(face.name)},"description":{jsontext.dumps(face.description)},"schema":{face.schema}}}'
            for face in sorted(tools, key=lambda face: face.name)
        )
        return f'"tools":[{offered}],"instructions":{jsontext.dumps(instructions)}'

    def text(self, text: str) -> str:
        """A text block."""
        return jsontext.dumps({"type": "text", "text": text})

    def call(self, wire_id: str, tool: str, arguments: str) -> str:
        """The block of a call; *arguments* is the JSON text of an object."""
        return f'{{"type":"call","id":{jsontext.dumps(wire_id)},"tool":{jsontext.dumps(tool)},"arguments":{arguments}}}'

    def result(self, wire_id: str, text: str, *, is_error: bool) -> str:
        """The block that answers a call."""
        return jsontext.dumps({"type": "result", "id": wire_id, "text": text, "is_error": is_error})

    def request(self, *, lane: Lane, prefix: str, context: str, messages: Sequence[Message], parallel: bool, final: bool) -> bytes:
        """A whole request. `parallel` is only noted: a script says itself how many calls it makes at once."""
        settings = jsontext.dumps({"model": lane.name, "parallel": parallel, "final": final})
        history = ",".join(f'{{"role":"{message.role}","blocks":[{",".join(message.blocks)}]}}' for message in messages)
        return f'{settings[:-1]},{prefix},"context":{jsontext.dumps(context)},"messages":[{history}]}}'.encode()


def hear(request: bytes) -> Heard:
    """What *request*, made by `ScriptedWire`, says."""
    body: Any = json.loads(request)
    messages: list[Mapping[str, Any]] = body["messages"]
    answers = [number for number, message in enumerate(messages) if message["role"] == "assistant"]
    newest = messages[answers[-1] + 1 :] if answers else messages
    results = _texts(newest[-1:], "result")
    return Heard(
        tools=tuple(OfferedTool(tool["name"], tuple(tool["schema"].get("required", ()))) for tool in body["tools"]),
        answered=len(answers),
        texts=() if results else tuple(_texts(newest[-1:], "text")),
        results=tuple(results),
        final=body["final"],
    )


def _texts(messages: Sequence[Mapping[str, Any]], kind: str) -> list[str]:
    return [block["text"] for message in messages for block in message["blocks"] if block["type"] == kind]
