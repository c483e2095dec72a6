"""The root of a schema without combinators: an object that names every argument, and sentences for what it can't say.

Providers refuse `anyOf` and its kin at the root of a tool's schema. What they said stays enforced by whoever validates;
here it becomes plain properties, so that a model sees each argument, and notes, so that it knows the rule.
"""

from typing import Any

from handgriff.core import jsontext
from handgriff.core.schema.canonical import canonical
from handgriff.core.schema.references import target
from handgriff.core.schema.vocabulary import COMBINATORS, Raw, children, plain
from handgriff.errors import DefinitionError

_SIMPLE = frozenset(("required", "type", "title", "description"))
_UNSAID = frozenset(("properties", "required", "type", "title", "description", "$defs", "additionalProperties", *COMBINATORS))


def opened(root: Raw, *, tool: str) -> tuple[Raw, tuple[str, ...]]:
    """Return *root* as an object without combinators, closed unless it says otherwise, and the notes.

    Raises:
        DefinitionError: the root describes something other than an object.
    """
    branches = _branches(root)
    kinds = [schema["type"] for schema in (root, *branches) if "type" in schema]
    if any("object" not in ([kind] if isinstance(kind, str) else kind) for kind in kinds):
        raise DefinitionError(tool, "input_schema", "its root isn't an object.", mend="describe an object with one property per argument.")
    body = {keyword: value for keyword, value in root.items() if keyword not in COMBINATORS}
    properties = _properties(root, branches)
    required = _required(root, root)
    body |= {"type": "object", "properties": properties, "required": required}
    if not any(schema.keys() & {"additionalProperties", "patternProperties", "unevaluatedProperties"} for schema in (root, *branches)):
        body["additionalProperties"] = False
    elif "additionalProperties" not in body and any(schema.get("additionalProperties") is False for schema in branches):
        # Each branch closes itself; together they take what any of them names.
        body["additionalProperties"] = False
    return body, _notes(root, root)


def alternatives(root: Raw) -> str:
    """Say what the root's `anyOf` and `oneOf` ask for; empty where it has none."""
    return " ".join(_choice(root, root, keyword) for keyword in ("anyOf", "oneOf") if keyword in root)


def _branches(root: Raw) -> list[Raw]:
    found: list[Raw] = []
    waiting = _alternatives(root)
    while waiting:
        branch = _resolved(root, waiting.pop(0))
        if branch not in found:
            found.append(branch)
            waiting += _alternatives(branch)
    return found


def _alternatives(schema: Raw) -> list[Raw]:
    # What `if` and `not` name is an argument too, but what they say of it is a question, not a rule.
    asked = [_names_only(plain(schema[keyword])) for keyword in ("if", "not") if keyword in schema]
    return asked + [plain(child) for path, child in children(schema) if path[0] in COMBINATORS and path[0] not in ("if", "not")]


def _names_only(schema: Raw) -> Raw:
    return {"properties": {name: {} for name in (*schema.get("properties", ()), *schema.get("required", ()))}}


def _resolved(root: Raw, schema: Raw) -> Raw:
    while "$ref" in schema:
        schema = target(root, schema["$ref"])
    return schema


def _properties(root: Raw, branches: list[Raw]) -> Raw:
    found: dict[str, list[Raw]] = {name: [plain(schema)] for name, schema in root.get("properties", {}).items()}
    for branch in branches:
        for name, schema in branch.get("properties", {}).items():
            known = found.setdefault(name, [])
            if name not in root.get("properties", {}) or not known[0]:
                known += [plain(schema)] if plain(schema) not in known else []
    for name in (name for schema in (root, *branches) for name in schema.get("required", ())):
        found.setdefault(name, [])
    return {name: _merged([schema for schema in schemas if schema] or [{}]) for name, schemas in found.items()}


def _merged(schemas: list[Raw]) -> Raw:
    if len(schemas) == 1:
        return schemas[0]
    if all(schema.keys() - {"type"} == {"const"} for schema in schemas):
        return {"enum": [schema["const"] for schema in schemas]}
    return {"anyOf": schemas}


def _required(root: Raw, schema: Raw) -> list[str]:
    schema = _resolved(root, schema)
    names: list[str] = list(schema.get("required", ()))
    for branch in schema.get("allOf", ()):
        names += _required(root, plain(branch))
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            each = [_required(root, plain(branch)) for branch in schema[keyword]]
            names += [name for name in each[0] if all(name in others for others in each)]
    return list(dict.fromkeys(names))


def _notes(root: Raw, schema: Raw) -> tuple[str, ...]:
    notes: list[str] = []
    for branch in schema.get("allOf", ()):
        resolved = _resolved(root, plain(branch))
        notes += _notes(root, resolved)
        if unsaid := {keyword: value for keyword, value in resolved.items() if keyword not in _UNSAID}:
            notes.append(_verbatim(unsaid))
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            simple = all(_is_simple(plain(branch)) for branch in schema[keyword])
            notes.append(_choice(root, schema, keyword) if simple else _verbatim(_with_defs(root, {keyword: schema[keyword]})))
    if "not" in schema:
        notes.append(_verbatim(_with_defs(root, {"not": schema["not"]})))
    conditional: Raw = {keyword: schema[keyword] for keyword in ("if", "then", "else") if keyword in schema}
    if conditional:
        notes.append(_verbatim(_with_defs(root, conditional)))
    return tuple(notes)


def _is_simple(branch: Raw) -> bool:
    return "required" in branch and branch.keys() <= _SIMPLE


def _choice(root: Raw, schema: Raw, keyword: str) -> str:
    few = "Give at least one of these:" if keyword == "anyOf" else "Give exactly one of these:"
    return f"{few} {'; '.join(_named(_resolved(root, plain(branch))) for branch in schema[keyword])}."


def _named(branch: Raw) -> str:
    properties: dict[str, Any] = branch.get("properties", {})
    names = [_fixed(name, plain(properties.get(name, {}))) for name in branch.get("required", ())]
    return " and ".join(names) or "what " + jsontext.dumps(canonical(branch)) + " allows"


def _fixed(name: str, schema: Raw) -> str:
    return f"{name} = {jsontext.dumps(schema['const'])}" if "const" in schema else name


def _with_defs(root: Raw, part: Raw) -> Raw:
    return {**part, "$defs": root["$defs"]} if "$defs" in root else part


def _verbatim(part: Raw) -> str:
    return f"The arguments must also satisfy this JSON Schema: {jsontext.dumps(canonical(part))}"
