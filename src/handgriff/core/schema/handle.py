"""The handle of a workflow as an argument that the server adds: shown and checked like any other, and kept from a judge that knows nothing
of it."""

import re
from dataclasses import dataclass, replace
from types import MappingProxyType

from handgriff.core import jsontext
from handgriff.core.jsontext import Json
from handgriff.core.schema.canonical import canonical_text
from handgriff.core.schema.form import Argument, Judge, Schema, Verdict
from handgriff.core.schema.shape import ROOT, Node, Shape, compiled
from handgriff.errors import DefinitionError


def with_handle(schema: Schema, name: str, description: str) -> Schema:
    """*schema* with the required text argument *name* before its own ones. One that its author has declared stays theirs, and is required.

    Raises:
        DefinitionError: the author's own argument of that name takes no text, or the schema's rules on names leave no room for another one.
    """
    own = next((argument for argument in schema.arguments if argument.name == name), None)
    if own is not None:
        if own.kinds != ("string",):
            problem = f"it is the workflow's handle here, and takes {' or '.join(own.kinds)}."
            raise DefinitionError(schema.tool, f"argument {name!r}", problem, mend=f"annotate it as '{name}: str', or rename it.")
        return _required(schema, own)
    _check_room(schema, name)
    added: dict[str, Json] = {"type": "string", "description": description}
    return replace(
        schema,
        text=_text(schema, name, added),
        arguments=(Argument(name=name, description=description, kinds=("string",), is_required=True, is_added=True), *schema.arguments),
        shape=_shape(schema.shape, name, added),
        judge=_Judge(schema.judge, name),
    )


@dataclass(frozen=True, slots=True)
class _Judge:
    judge: Judge
    name: str

    def __call__(self, text: str, value: dict[str, Json], /) -> Verdict:
        del text
        rest = {key: item for key, item in value.items() if key != self.name}
        verdict = self.judge(jsontext.dumps(rest), rest)
        if verdict.problems:
            return verdict
        handle = f"{jsontext.dumps(self.name)}:{jsontext.dumps(value[self.name])}"
        inside = verdict.canonical[1:-1]
        return replace(verdict, canonical=f"{{{handle},{inside}}}" if inside else f"{{{handle}}}")


def _required(schema: Schema, own: Argument) -> Schema:
    """*schema* with its author's own argument demanded: a default names no instance."""
    place = schema.shape.root.properties[own.name]
    root = replace(schema.shape.root, required=tuple(dict.fromkeys((own.name, *schema.shape.root.required))))
    nodes = {**schema.shape.nodes, place: replace(schema.shape.nodes[place], default=()), ROOT: root}
    declared = {keyword: value for keyword, value in _properties(_root(schema))[own.name].items() if keyword != "default"}
    return replace(
        schema,
        text=_text(schema, own.name, declared),
        arguments=tuple(replace(each, is_required=True) if each is own else each for each in schema.arguments),
        shape=replace(schema.shape, nodes=MappingProxyType(nodes)),
    )


def _check_room(schema: Schema, name: str) -> None:
    root = _root(schema)
    patterns = root.get("patternProperties", {})
    fitting: tuple[Json, ...] = ({}, {"type": "string"})
    matching = isinstance(patterns, dict) and any(re.search(each, name) and rule not in fitting for each, rule in patterns.items())
    rules = [rule for rule in ("maxProperties", "propertyNames") if rule in root] + ["patternProperties"] * matching
    if rules:
        problem = f"its {rules[0]!r} counts the handle {name!r} that is added, so what is shown could not be satisfied."
        mend = f"declare {name!r} as a string property of its own, leave out {rules[0]!r}, or wrap the tool in one of yours."
        raise DefinitionError(schema.tool, "input_schema", problem, mend=mend)


def _text(schema: Schema, name: str, declared: dict[str, Json]) -> str:
    """The schema as text with *name* as it is *declared*, and required: where it already stood, or first."""
    root = _root(schema)
    own = _properties(root)
    properties: dict[str, Json] = {**own, name: declared} if name in own else {name: declared, **own}
    required = root.get("required", [])
    kept = required if isinstance(required, list) else []
    return canonical_text({**root, "properties": properties, "required": [name, *kept]}, tool=schema.tool)


def _root(schema: Schema) -> dict[str, Json]:
    root = jsontext.loads(schema.text)
    if not isinstance(root, dict):
        raise AssertionError("a canonical schema is about an object")  # noqa: TRY004  # a promise of whoever made it
    return root


def _properties(root: dict[str, Json]) -> dict[str, dict[str, Json]]:
    properties = root.get("properties", {})
    if not isinstance(properties, dict):
        raise AssertionError("a canonical schema is about an object")  # noqa: TRY004  # a promise of whoever made it
    return {name: dict(each) if isinstance(each, dict) else {} for name, each in properties.items()}


def _shape(shape: Shape, name: str, added: dict[str, Json]) -> Shape:
    alone = compiled({"type": "object", "properties": {name: added}, "required": [name], "additionalProperties": False})
    [place] = alone.root.properties.values()
    root: Node = replace(shape.root, properties={name: place, **shape.root.properties}, required=(name, *shape.root.required))
    return replace(
        shape,
        nodes=MappingProxyType({**shape.nodes, place: alone.nodes[place], ROOT: root}),
        accepted=MappingProxyType({**shape.accepted, place: alone.accepted[place]}),
    )
