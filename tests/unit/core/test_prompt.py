"""What stands before the conversation. Cases B071, B073."""

import subprocess
import sys
from collections.abc import Callable, Mapping

import pytest

from handgriff import Result, Toolbox
from handgriff.core.envelope import RULE
from handgriff.core.message import ToolFace
from handgriff.core.prompt import FILLED, face, filled_context, prefix_hash, session_context, shared_instructions
from handgriff.core.schema.dialects import anthropic
from handgriff.core.wrap import contract

DESCRIPTION = "Use when: a person is looked for. Not for: orders. Needs: nothing. Effect: none."


def test_a_tool_is_shown_by_its_three_fields_and_nothing_it_owes() -> None:
    box = Toolbox("crm", requires="people.read")

    @box.tool(effect="read", description=DESCRIPTION, keywords={"de": ["Mensch"]})
    async def find(z: str, a: int = 1) -> Result[None]:
        return Result(f"{z}{a}")

    shown = face(box.contracts()[0], anthropic)

    assert shown == ToolFace(
        "find",
        DESCRIPTION.replace(". ", ".\n"),
        '{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer","default":1}},"required":["z"],"additionalProperties":false}',
    )


def test_what_the_dialect_can_not_say_is_said_in_the_description() -> None:
    """B045: the alternatives at the root are enforced here, and told there."""
    schema = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "email": {"type": "string"}},
        "anyOf": [{"required": ["id"]}, {"required": ["email"]}],
    }
    found = contract(_Foreign(schema), effect="read")

    assert found.schema.notes
    assert face(found, anthropic).description == "\n".join((found.description.text, *found.schema.notes))


class _Foreign:
    name = "find"
    description = DESCRIPTION

    def __init__(self, schema: Mapping[str, object]) -> None:
        self.input_schema = schema

    def run(self, **_: object) -> None: ...


def test_the_shared_part_is_instructions_rule_and_capabilities() -> None:
    assert shared_instructions(" You help. ", "# It can not fly\n") == f"You help.\n\n{RULE}\n\n# It can not fly"
    assert shared_instructions("You help.", None) == shared_instructions("You help.", "  ") == f"You help.\n\n{RULE}"


@pytest.mark.parametrize("make", [session_context, filled_context])
@pytest.mark.parametrize("context", ["", "  \n"])
def test_the_session_has_its_mark_even_without_a_context(context: str, make: Callable[[str, str], str]) -> None:
    assert make(context, "4f9a61") == "The mark of untrusted content in this session is 4f9a61."


def test_the_context_stands_before_the_mark_and_can_be_sent() -> None:
    assert session_context("You help Ada\ud83d.", "n").splitlines() == [
        "You help Ada\ufffd.", "", "The mark of untrusted content in this session is n."
    ]  # fmt: skip


def test_what_was_filled_in_stands_in_a_block_that_only_the_sessions_mark_closes() -> None:
    """B022."""
    assert filled_context("\nYou help Ada\ud83d. \n", "4f9a61").splitlines() == [
        FILLED,
        "<context-4f9a61>",
        "You help Ada\ufffd. ",
        "</context-4f9a61>",
        "",
        "The mark of untrusted content in this session is 4f9a61.",
    ]
    assert "data" in FILLED
    assert "instruction" in FILLED


def test_a_prefix_has_one_name_by_its_bytes() -> None:
    assert prefix_hash("a") == prefix_hash("a") != prefix_hash("a ")
    assert len(prefix_hash("")) == 64


PROGRAM = """
from handgriff import Result, Toolbox
from handgriff.core.prompt import face
from handgriff.core.schema.dialects import anthropic
box = Toolbox("crm", requires={"b", "a", "c", "d"})
for n in range(5):
    @box.tool(effect="read", name=f"tool_{n}", requires={f"p{n}", "q", "r"},
              description="Use when: x. Not for: y. Needs: z. Effect: none.")
    async def find(z: str, m: set[int] = frozenset({3, 1, 2}), a: dict[str, int] | None = None) -> Result[None]:
        return Result(z)
print([face(contract, anthropic) for contract in box.contracts()])
"""


def test_the_same_tools_are_the_same_bytes_in_every_process() -> None:
    """B071: whatever the seed of hashes, and in the author's order of arguments."""
    shown = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }

    assert len(shown) == 1
    text = shown.pop().decode()
    assert text.index('"z":') < text.index('"m":') < text.index('"a":')
