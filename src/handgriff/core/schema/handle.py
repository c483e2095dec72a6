"""The handle of a workflow as an argument that the server adds: shown and checked like any other, and kept from a judge that knows nothing
of it."""

from dataclasses import dataclass, replace
from types import MappingProxyType

from handgriff.core import jsontext
from handgriff.core.jsontext import Json
from handgriff.core.schema.canonical import canonical_text
from handgriff.core.schema.form import Argument, Judge, Schema, Verdict
from handgriff.core.schema.shape import ROOT, Node, Shape, compiled
from handgriff.errors import DefinitionError


def with_handle(schema: Schema, name: str, description: str) -> Schema:
    """*schema* with the required text argument *name* before its own ones. One that its author has declared stays theirs.

    Raises:
        DefinitionError: the author's own argument of that name takes no text.
    """
    own = next((argument for argument in schema.arguments if argument.name == name), None)
    if own is not None:
        if own.kinds != ("string",):
            problem = f"it is the workflow's handle here, and takes {' or '.join(own.kinds)}."
            raise DefinitionError(schema.tool, f"argument {name!r}", problem, mend=f"annotate it as '{name}: str', or rename it.")
        return schema
    added: dict[str, Json] = {"type": "string", "description": description}
    return replace(
        schema,
        text=_text(schema.text, name, added, tool=schema.tool),
        arguments=(Argument(name=name, description=description, kinds=("string",), is_required=True), *schema.arguments),
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


def _text(text: str, name: str, added: dict[str, Json], *, tool: str) -> str:
    root = jsontext.loads(text)
    if not isinstance(root, dict) or not isinstance(properties := root.get("properties", {}), dict):
        raise AssertionError("a canonical schema is about an object")  # noqa: TRY004  # a promise of whoever made it
    required = root.get("required", [])
    kept = required if isinstance(required, list) else []
    return canonical_text({**root, "properties": {name: added, **properties}, "required": [name, *kept]}, tool=tool)


def _shape(shape: Shape, name: str, added: dict[str, Json]) -> Shape:
    alone = compiled({"type": "object", "properties": {name: added}, "required": [name], "additionalProperties": False})
    [place] = alone.root.properties.values()
    root: Node = replace(shape.root, properties={name: place, **shape.root.properties}, required=(name, *shape.root.required))
    return replace(
        shape,
        nodes=MappingProxyType({**shape.nodes, place: alone.nodes[place], ROOT: root}),
        accepted=MappingProxyType({**shape.accepted, place: alone.accepted[place]}),
    )
