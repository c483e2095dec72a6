"""What a provider is shown: one canonical schema, said in the words each of them takes.

A dialect is a pure function. What it can't say is said in a note, which belongs behind the description; what it can't
show at all is an error of that tool alone.
"""

import re
from dataclasses import dataclass

from handgriff.core.schema.form import Schema
from handgriff.errors import DefinitionError


@dataclass(frozen=True, slots=True)
class Shown:
    """A schema as JSON for one provider, and the sentences its description has to add."""

    text: str
    notes: tuple[str, ...]


def anthropic(schema: Schema) -> Shown:
    """Show *schema* to Anthropic's Messages API, which restricts names and refuses the whole list for one bad one.

    Raises:
        DefinitionError: an argument's name isn't taken there.
    """
    for argument in schema.arguments:
        if not _ANTHROPIC_NAME.fullmatch(argument.name):
            problem = "its name can't be shown to Anthropic's models."
            mend = "use at most 64 of a-z, A-Z, 0-9, _, . and -; give the parameter an alias if the program needs another name."
            raise DefinitionError(schema.tool, f"argument {argument.name!r}", problem, mend=mend)
    return Shown(schema.text, schema.notes)


def mcp(schema: Schema) -> Shown:
    """Show *schema* to an MCP client: an object at the root, and any JSON Schema of 2020-12 below."""
    return Shown(schema.text, schema.notes)


_ANTHROPIC_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
