"""A contract as an MCP client is shown it, and the schema that every result has.

Below are contracts; above, the lists. The arguments' schema is the contract's own text, so nothing is added to it or left out of it.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from mcp_types import Tool, ToolAnnotations

from handgriff.core import jsontext
from handgriff.core.contract import Contract
from handgriff.core.titles import title_in

_TEXT: Final[Mapping[str, Any]] = {"type": "string"}
_MAYBE: Final[Mapping[str, Any]] = {"type": ["string", "null"]}

RESULT_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "description": "What people see of a call. The data for the model is the text of the result.",
    "properties": {
        "summary": _TEXT,
        "link": {"type": "object", "properties": {"href": _TEXT, "label": _TEXT}, "required": ["href", "label"]},
        "diff": {
            "type": "array",
            "items": {"type": "object", "properties": {"label": _TEXT, "before": _MAYBE, "after": _MAYBE}, "required": ["label"]},
        },
        "workflow": {
            "type": "object",
            "description": "Where the workflow is now, its handle, and the tools that are open there.",
            "properties": {"machine": _TEXT, "state": _TEXT, "open": {"type": "array", "items": _TEXT}},
            "required": ["machine", "state"],
        },
        "moved": {
            "type": "object",
            "description": "What this call has moved.",
            "properties": {"machine": _TEXT, "before": _MAYBE, "after": _TEXT},
            "required": ["machine", "after"],
        },
        "error": {
            "type": "object",
            "description": "Why it was refused, and what to do next.",
            "properties": {"code": _TEXT, "message": _TEXT, "next": _TEXT, "incident": _TEXT, "facts": {"type": "object"}},
            "required": ["code", "message"],
        },
    },
    "required": ["summary"],
}


class Shelf:
    """The tools of one assistant as the SDK writes them, each made once for every title and description it has."""

    def __init__(self, contracts: Iterable[Contract]) -> None:
        contracts = tuple(contracts)
        self._made: dict[tuple[str, str | None, str], Tool] = {}
        self._schemas = {each.name: _read(each.schema.text) for each in contracts}
        self._mirrored = {each.name for each in contracts if _MIRRORED in each.schema.text}

    def tool(self, contract: Contract, description: str, locale: str) -> Tool:
        """*contract* with *description*, in the language of *locale*."""
        title = title_in(contract.title, locale)
        key = (contract.name, title, description)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = Tool(
                name=contract.name,
                title=title,
                description=description,
                input_schema=self._schemas[contract.name],
                output_schema=dict(RESULT_SCHEMA),
                annotations=annotations(contract, title),
            )
        return made

    def mirrored(self, name: str) -> Mapping[str, Any] | None:
        """The schema of a tool some of whose arguments a client repeats in headers; None for all others, of which none has to be compared.

        Without it the SDK would make a whole list before each call.
        """
        return self._schemas[name] if name in self._mirrored else None


_MIRRORED: Final = '"x-mcp-header"'


def annotations(contract: Contract, title: str | None) -> ToolAnnotations:
    """What a client may show of a tool's effect. They are hints: what holds is enforced at the call."""
    reads = contract.effect == "read"
    return ToolAnnotations(
        title=title,
        read_only_hint=reads,
        destructive_hint=contract.effect == "irreversible",
        idempotent_hint=reads or contract.idempotency_key is not None,
    )


def _read(text: str) -> dict[str, Any]:
    schema = jsontext.loads(text)
    if not isinstance(schema, dict):
        raise TypeError("a tool takes an object")
    return schema
