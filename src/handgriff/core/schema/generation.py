"""How pydantic's JSON Schema is made for us: with private marks where the type says more, and without silence.

One of the few modules that know pydantic. What pydantic would only warn about (a default or an alternative it leaves
out) is an error of the tool here, because a schema that says less than the code is a trap.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue, JsonSchemaWarningKind
from pydantic_core import core_schema

from handgriff.core.schema.vocabulary import DECIMAL, SET, Raw


class InexpressibleError(Exception):
    """A type can't be said in JSON Schema."""

    def __init__(self, problem: str, mend: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.mend = mend


def generated(adapter: TypeAdapter[Any], mode: JsonSchemaMode) -> Raw:
    """Make the raw schema of a type, marks included.

    Raises:
        InexpressibleError: part of it has no schema.
    """
    return adapter.json_schema(schema_generator=_Generator, mode=mode)


def names_that_differ(adapter: TypeAdapter[Any], validation: Raw) -> set[str]:
    """Find the properties that are read under one name and written under another, or not written at all."""
    written = _names(generated(adapter, "serialization"))
    return {name for place, names in _names(validation).items() if place in written for name in names - written[place]}


def _names(root: Raw) -> dict[str, set[str]]:
    objects: Mapping[str, Any] = {"": root, **root.get("$defs", {})}
    return {place: set(schema["properties"]) for place, schema in objects.items() if "properties" in schema}


class _Generator(GenerateJsonSchema):
    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        made = super().decimal_schema(schema)
        for branch in made.get("anyOf", ()):
            if branch.get("type") == "number":
                branch[DECIMAL] = True
        return made

    def set_schema(self, schema: core_schema.SetSchema) -> JsonSchemaValue:
        return {**super().set_schema(schema), SET: True}

    def frozenset_schema(self, schema: core_schema.FrozenSetSchema) -> JsonSchemaValue:
        return {**super().frozenset_schema(schema), SET: True}

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        made = super().dict_schema(schema)
        return {**made, "additionalProperties": False} if "patternProperties" in made else made

    def datetime_schema(self, schema: core_schema.DatetimeSchema) -> JsonSchemaValue:
        if schema.get("tz_constraint") == "naive":
            raise InexpressibleError("a date-time without an offset is another moment on every machine.", "use datetime or AwareDatetime.")
        return super().datetime_schema(schema)

    def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        raise InexpressibleError(f"{kind}: {detail}.", "use a type that JSON Schema can say.")
