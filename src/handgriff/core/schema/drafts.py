"""Older drafts of JSON Schema in the words of 2020-12, as far as their constraints would otherwise be overlooked.

What imported tools still say: `definitions`, a list of `items`, `dependencies`, and the boolean `exclusiveMinimum`.
"""

from typing import Any

from handgriff.core.schema.vocabulary import PRIVATE, Raw


def modernised(schema: Any) -> Any:
    """Copy *schema* in today's words; keywords of ours that a stranger wrote are left out."""
    if isinstance(schema, list):
        return [modernised(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {keyword: _inside(keyword, value) for keyword, value in schema.items() if not keyword.startswith(PRIVATE)}
    for keyword, change in _CHANGES.items():
        if keyword in copy:
            change(copy)
    return copy


_VALUES = frozenset(("enum", "const", "default", "examples", "required"))
_NAMED = frozenset(("properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "dependencies"))


def _inside(keyword: str, value: Any) -> Any:
    if keyword in _VALUES:
        return value
    if keyword in _NAMED and isinstance(value, dict):
        return {name: modernised(part) for name, part in value.items()}
    return modernised(value)


def _definitions(schema: Raw) -> None:
    if isinstance(schema["definitions"], dict) and "$defs" not in schema:
        schema["$defs"] = schema.pop("definitions")


def _reference(schema: Raw) -> None:
    if isinstance(schema["$ref"], str) and schema["$ref"].startswith("#/definitions/"):
        schema["$ref"] = schema["$ref"].replace("#/definitions/", "#/$defs/", 1)


def _items(schema: Raw) -> None:
    if isinstance(schema["items"], list):
        schema["prefixItems"] = schema.pop("items")
        if "additionalItems" in schema:
            schema["items"] = schema.pop("additionalItems")


def _dependencies(schema: Raw) -> None:
    for name, needs in schema.pop("dependencies").items():
        schema.setdefault("dependentRequired" if isinstance(needs, list) else "dependentSchemas", {})[name] = needs


def _exclusive_minimum(schema: Raw) -> None:
    _exclusive(schema, "exclusiveMinimum", "minimum")


def _exclusive_maximum(schema: Raw) -> None:
    _exclusive(schema, "exclusiveMaximum", "maximum")


def _exclusive(schema: Raw, keyword: str, bound: str) -> None:
    if isinstance(schema[keyword], bool):
        excludes = schema.pop(keyword)
        if excludes and bound in schema:
            schema[keyword] = schema.pop(bound)


_CHANGES = {
    "definitions": _definitions,
    "$ref": _reference,
    "items": _items,
    "dependencies": _dependencies,
    "exclusiveMinimum": _exclusive_minimum,
    "exclusiveMaximum": _exclusive_maximum,
}
