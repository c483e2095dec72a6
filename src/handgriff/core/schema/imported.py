"""Schemas that others wrote: the raw JSON Schema of an imported tool. jsonschema judges, and nothing is ever fetched.

The only module that knows jsonschema; it is imported when such a tool is defined.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry

from handgriff.core import jsontext
from handgriff.core.jsontext import Json, JsonError, spell
from handgriff.core.schema.arrangement import arranged, with_defaults
from handgriff.core.schema.canonical import canonical_text
from handgriff.core.schema.drafts import modernised
from handgriff.core.schema.form import Argument, Schema, Verdict
from handgriff.core.schema.lint import unfit_defaults, warnings_of
from handgriff.core.schema.opening import alternatives, opened
from handgriff.core.schema.references import check_circles, localised, unwrapped
from handgriff.core.schema.shape import KINDS, Shape, compiled, in_place
from handgriff.core.schema.vocabulary import Raw
from handgriff.core.schema.words import WHOLE, one_of, with_article
from handgriff.errors import DefinitionError


def schema_from(raw: Mapping[str, Any], *, tool: str) -> Schema:
    """Make the schema of an imported tool; its handler gets the arguments by name, as JSON.

    Raises:
        DefinitionError: it is no JSON Schema, needs something remote, or isn't about an object.
    """
    root = unwrapped(localised(_checked(raw, tool), tool=tool), tool=tool)
    check_circles(root, tool=tool)
    body, notes = opened(root, tool=tool)
    shape = compiled(body)
    validator = Draft202012Validator(root, registry=Registry(), format_checker=_FORMATS)
    unfit = unfit_defaults(shape)
    return Schema(
        tool=tool,
        text=canonical_text(body, tool=tool),
        arguments=tuple(_argument(shape, name) for name in shape.root.properties),
        notes=notes,
        warnings=(*warnings_of(shape), *(f"the default of {name!r} isn't of its type and is not filled in." for name in unfit)),
        shape=shape,
        judge=_Judge(validator, shape, alternatives(root), unfit),
    )


# Those that the standard library can tell; date and date-time are checked while reading.
_FORMATS = FormatChecker(("email", "ipv4", "ipv6", "uuid"))


@dataclass(frozen=True, slots=True)
class _Judge:
    validator: Draft202012Validator
    shape: Shape
    alternatives: str
    unfit: tuple[str, ...]

    def __call__(self, _text: str, value: dict[str, Json], /) -> Verdict:
        found: dict[str, str] = {}
        for error in self.validator.iter_errors(value):
            for path, problem in self._problems(error):
                found.setdefault(path, problem)
        if found:
            return Verdict(problems=found)
        filled = with_defaults(self.shape, value, leave_out=self.unfit)
        if filled != value and not self.validator.is_valid(filled):
            filled = value  # a default that was meant for the case where something else is given
        canonical = jsontext.dumps(arranged(self.shape, filled))
        values = jsontext.loads(canonical)
        return Verdict(values if isinstance(values, dict) else {}, canonical)

    def _problems(self, error: ValidationError) -> Iterable[tuple[str, str]]:
        path, rule = tuple(error.absolute_path), str(error.validator)
        asked: Any = error.validator_value
        instance: Any = error.instance
        if rule == "required":
            return [(spell((*path, name)), "missing") for name in asked if name not in instance]
        if rule in ("anyOf", "oneOf") and len(error.absolute_schema_path) == 1:
            return [(WHOLE, self.alternatives.rstrip("."))]
        return [(spell(path) or WHOLE, _said(rule, asked))]


def _said(rule: str, value: Any) -> str:
    match rule:
        case "type":
            return "expected " + " or ".join(map(with_article, [value] if isinstance(value, str) else value))
        case "enum":
            return f"expected {one_of(value)}"
        case "const":
            return f"expected {one_of([value])}"
        case "additionalProperties" | "unevaluatedProperties" | "propertyNames":
            return "has properties that aren't taken"
        case "anyOf" | "oneOf":
            return "fits none of the alternatives, or more than one"
        case "format":
            return f"should be a valid {value}"
        case "not" | "contains" | "dependentSchemas" | "if":
            return f"breaks the rule {rule!r} of the schema"
        case _:
            return f"breaks the rule {rule} {jsontext.dumps(value)}"


def _checked(raw: Mapping[str, Any], tool: str) -> Raw:
    try:
        copy = modernised(jsontext.loads(jsontext.dumps(dict(raw))))
        Draft202012Validator.check_schema(copy)
    except (JsonError, SchemaError, AttributeError) as error:
        problem = f"it is no JSON Schema: {error.message if isinstance(error, SchemaError) else error}."
        raise DefinitionError(tool, "input_schema", problem, mend="give a JSON Schema of draft 2020-12.") from error
    return dict(copy)


def _argument(shape: Shape, name: str) -> Argument:
    pointer = shape.root.properties[name]
    return Argument(
        name=name,
        description=next((node.description for node in in_place(shape, pointer) if node.description), ""),
        kinds=tuple(kind for kind in KINDS if kind in shape.accepted[pointer]),
        is_required=name in shape.root.required,
        is_secret=any(node.is_secret for node in in_place(shape, pointer)),
        has_choices=any(node.choices is not None for node in in_place(shape, pointer)),
    )
