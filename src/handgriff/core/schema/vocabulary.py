"""The words of JSON Schema 2020-12: their order in a canonical text and where schemas lie inside schemas.

Everything else in this package stands on these tables; they know nothing of tools.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from handgriff.core.marks import KNOWN_KEY

Raw: TypeAlias = dict[str, Any]
"""A schema as plain JSON."""

PRIVATE = "x-handgriff-"
"""Begins the keywords that only we read; none of them leaves the process."""
KNOWN = KNOWN_KEY
DECIMAL = PRIVATE + "decimal"
"""On a number: the program holds it as a decimal, so its digits are passed on as they were written."""
SET = PRIVATE + "set"
"""On an array: the program holds it as a set, so its order means nothing and is made stable."""

ORDER = (
    "$ref", "type", "description", "enum", "const", "format", "default", "examples",
    "pattern", "minLength", "maxLength", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
    "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
    "items", "prefixItems", "minItems", "maxItems", "uniqueItems",
    "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas",
)  # fmt: skip
"""Keywords as they stand in a canonical text; others follow by name, and `$defs` is last."""

DROPPED = frozenset(("title", "$schema", "$id", "$anchor", "$comment", "$vocabulary", "discriminator"))
"""Keywords that constrain nothing: names for people, and what a generator tells its own kind."""

SINGLE = (
    "items", "additionalProperties", "propertyNames", "not", "if", "then", "else", "contains",
    "unevaluatedItems", "unevaluatedProperties", "contentSchema",
)  # fmt: skip
"""Keywords whose value is a schema."""
NAMED = ("properties", "patternProperties", "dependentSchemas", "$defs")
"""Keywords whose value is an object of schemas."""
LISTED = ("prefixItems", "anyOf", "oneOf", "allOf")
"""Keywords whose value is a list of schemas."""

COMBINATORS = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")
"""What providers refuse at the root of a tool's schema."""


def plain(schema: object) -> Raw:
    """Write the schemas `true` and `false` as objects, which every provider understands."""
    if isinstance(schema, dict):
        return schema
    return {} if schema else {"not": {}}


def children(schema: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every schema that lies directly inside *schema*, with its path from there."""
    for keyword in SINGLE:
        if keyword in schema:
            yield (keyword,), schema[keyword]
    for keyword in NAMED:
        for name, child in schema.get(keyword, {}).items():
            yield (keyword, name), child
    for keyword in LISTED:
        for index, child in enumerate(schema.get(keyword, ())):
            yield (keyword, str(index)), child


def mapped(schema: Raw, change: Callable[[Raw], Raw]) -> Raw:
    """Copy *schema* with each of the schemas directly inside it changed.

    `additionalProperties: false` and its like stay as they are; elsewhere booleans become objects.
    """
    copy = dict(schema)
    for keyword in SINGLE:
        if keyword in copy and not isinstance(copy[keyword], bool):
            copy[keyword] = change(copy[keyword])
    for keyword in NAMED:
        if keyword in copy:
            copy[keyword] = {name: change(plain(child)) for name, child in copy[keyword].items()}
    for keyword in LISTED:
        if keyword in copy:
            copy[keyword] = [change(plain(child)) for child in copy[keyword]]
    return copy


def escaped(part: str) -> str:
    """Write a key as a part of a JSON pointer."""
    return part.replace("~", "~0").replace("/", "~1")
