"""A schema compiled for walking: a table of nodes by JSON pointer, so that a circle of references is only a lookup.

It knows which JSON types each place accepts, which is all that reading, sighting and describing need. The finer rules
(lengths, patterns, ranges) belong to the library that judges.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from handgriff.core.jsontext import Json
from handgriff.core.schema.vocabulary import DECIMAL, KNOWN, SET, Raw, children, escaped, plain

Kind: TypeAlias = str
KINDS: tuple[Kind, ...] = ("string", "integer", "number", "boolean", "object", "array", "null")
"""The types of JSON, with the whole numbers beside the numbers, in the order we name them."""
ROOT = "#"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One place in a schema. Its neighbours are pointers into the same shape."""

    kinds: frozenset[Kind]
    """What it accepts by its own words; a place that accepts numbers accepts whole numbers too."""
    choices: tuple[Json, ...] | None
    """The values of `enum` or `const`."""
    format: str
    description: str
    properties: Mapping[str, str]
    required: tuple[str, ...]
    is_closed: bool
    """No properties but those named."""
    rest: str | None
    """What properties that aren't named look like."""
    names: str | None
    """What the names of properties look like."""
    items: str | None
    first_items: tuple[str, ...]
    every: tuple[str, ...]
    """Places the same value must satisfy too: a reference, `allOf`."""
    groups: tuple[tuple[str, ...], ...]
    """For each `anyOf` and `oneOf`, the places of which it must satisfy one."""
    default: tuple[Json, ...]
    """The default, or nothing."""
    known: str | None
    is_decimal: bool
    is_set: bool
    is_secret: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """A compiled schema."""

    nodes: Mapping[str, Node]
    accepted: Mapping[str, frozenset[Kind]]
    """What each place accepts, everything it refers to included."""
    marked: frozenset[str]
    """Places at or below which a value is `Known`."""
    has_sets: bool
    """Something in it is a set, so that values have to be put in order."""

    @property
    def root(self) -> Node:
        """The place of the arguments as a whole."""
        return self.nodes[ROOT]


def compiled(root: Raw) -> Shape:
    """Compile a localised schema that has no circles without data."""
    nodes: dict[str, Node] = {}
    waiting: list[tuple[str, Any]] = [(ROOT, root)]
    while waiting:
        pointer, schema = waiting.pop()
        nodes[pointer] = _node(pointer, plain(schema))
        inside = ((_below(pointer, *path), child) for path, child in children(plain(schema)))
        waiting += [(place, child) for place, child in inside if place not in nodes]
    accepted: dict[str, frozenset[Kind]] = {}
    for pointer in nodes:
        _accept(nodes, pointer, accepted)
    has_sets = any(node.is_set for node in nodes.values())
    return Shape(MappingProxyType(nodes), MappingProxyType(accepted), _marked(nodes), has_sets)


def reach(shape: Shape, pointer: str) -> Iterator[Node]:
    """Yield every node at or below *pointer*, each once."""
    waiting, seen = [pointer], {pointer}
    while waiting:
        node = shape.nodes[waiting.pop()]
        yield node
        following = [place for place in neighbours(node) if place not in seen]
        seen.update(following)
        waiting += following


def in_place(shape: Shape, pointer: str) -> Iterator[Node]:
    """Yield the nodes the value at *pointer* itself may have to satisfy."""
    node = shape.nodes[pointer]
    yield node
    for place in (*node.every, *(place for group in node.groups for place in group)):
        yield from in_place(shape, place)


def neighbours(node: Node) -> Iterator[str]:
    """Yield the places *node* points to."""
    yield from node.properties.values()
    yield from (place for place in (node.rest, node.names, node.items) if place is not None)
    yield from node.first_items
    yield from node.every
    for group in node.groups:
        yield from group


def kind_of(value: Json) -> Kind:
    """Name the type of a JSON value; booleans aren't numbers."""
    kind = _KIND_OF_TYPE.get(type(value))
    return kind or next(kind for kind_type, kind in _KIND_OF_TYPE.items() if isinstance(value, kind_type))


_KIND_OF_TYPE: Mapping[type, Kind] = {
    str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object", type(None): "null"
}  # fmt: skip


_EVERYTHING = frozenset(KINDS)
_WITH_WHOLE_NUMBERS = frozenset(("number", "integer"))


def _node(pointer: str, schema: Raw) -> Node:
    choices = (schema["const"],) if "const" in schema else tuple(schema["enum"]) if "enum" in schema else None
    rest = schema.get("additionalProperties")
    patterns = schema.get("patternProperties", {})
    is_reference = "$ref" in schema
    return Node(
        kinds=_kinds(schema, choices),
        choices=choices,
        format=schema.get("format", ""),
        description=schema.get("description", ""),
        properties={name: _below(pointer, "properties", name) for name in schema.get("properties", ())},
        required=tuple(schema.get("required", ())),
        is_closed=rest is False and not patterns,
        rest=_rest(pointer, rest, patterns),
        names=_below(pointer, "propertyNames") if isinstance(schema.get("propertyNames"), dict) else None,
        items=_below(pointer, "items") if isinstance(schema.get("items"), dict) else None,
        first_items=_listed(pointer, "prefixItems", schema),
        every=((schema["$ref"],) if is_reference else ()) + _listed(pointer, "allOf", schema),
        groups=tuple(_listed(pointer, keyword, schema) for keyword in ("anyOf", "oneOf") if keyword in schema),
        default=(schema["default"],) if "default" in schema else (),
        known=schema.get(KNOWN),
        is_decimal=DECIMAL in schema,
        is_set=SET in schema,
        is_secret=schema.get("format") == "password" and schema.get("writeOnly") is True,
    )


def _kinds(schema: Raw, choices: tuple[Json, ...] | None) -> frozenset[Kind]:
    if "type" in schema:
        named = frozenset([schema["type"]] if isinstance(schema["type"], str) else schema["type"])
    elif choices is not None:
        named = frozenset(kind_of(choice) for choice in choices)
    else:
        named = _EVERYTHING
    return named | _WITH_WHOLE_NUMBERS if "number" in named else named


def _rest(pointer: str, rest: object, patterns: Raw) -> str | None:
    if isinstance(rest, dict):
        return _below(pointer, "additionalProperties")
    # With one pattern and nothing beside it, every other property must be of that pattern's kind.
    return _below(pointer, "patternProperties", next(iter(patterns))) if len(patterns) == 1 and rest is False else None


def _listed(pointer: str, keyword: str, schema: Raw) -> tuple[str, ...]:
    return tuple(_below(pointer, keyword, str(index)) for index in range(len(schema.get(keyword, ()))))


def _below(pointer: str, *path: str) -> str:
    return "/".join((pointer, *map(escaped, path)))


def _accept(nodes: Mapping[str, Node], pointer: str, accepted: dict[str, frozenset[Kind]]) -> frozenset[Kind]:
    if pointer not in accepted:
        node = nodes[pointer]
        kinds = node.kinds
        for place in node.every:
            kinds &= _accept(nodes, place, accepted)
        for group in node.groups:
            kinds &= frozenset().union(*(_accept(nodes, place, accepted) for place in group))
        accepted[pointer] = kinds
    return accepted[pointer]


def _marked(nodes: Mapping[str, Node]) -> frozenset[str]:
    above: dict[str, list[str]] = {}
    for pointer, node in nodes.items():
        for place in neighbours(node):
            above.setdefault(place, []).append(pointer)
    waiting = [pointer for pointer, node in nodes.items() if node.known is not None]
    marked = set(waiting)
    while waiting:
        fresh = [place for place in above.get(waiting.pop(), ()) if place not in marked]
        marked.update(fresh)
        waiting += fresh
    return frozenset(marked)
