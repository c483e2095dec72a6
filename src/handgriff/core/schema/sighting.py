"""Where `Known` values stand in a piece of JSON: found in results to introduce them, in arguments to demand them."""

from collections.abc import Iterator
from dataclasses import dataclass

from handgriff.core import jsontext
from handgriff.core.jsontext import Json, spell
from handgriff.core.schema.reading import Path, fits
from handgriff.core.schema.shape import ROOT, Node, Shape, kind_of


@dataclass(frozen=True, slots=True)
class Sighting:
    """A value of a kind, with its path and its canonical text."""

    path: str
    kind: str
    value: str


def sightings(shape: Shape, value: Json) -> tuple[Sighting, ...]:
    """Find every `Known` value in *value*, in its order, each path and kind once."""
    if ROOT not in shape.marked:
        return ()
    return tuple(dict.fromkeys(_seen(shape, ROOT, value, ())))


def _seen(shape: Shape, pointer: str, value: Json, path: Path) -> Iterator[Sighting]:
    if pointer not in shape.marked:
        return
    node = shape.nodes[pointer]
    if node.known is not None:
        yield from _values(node.known, value, path)
    for place, part, step in _inside(node, value):
        yield from _seen(shape, place, part, (*path, step))
    for place in node.every:
        yield from _seen(shape, place, value, path)
    for group in node.groups:
        for place in _fitting(shape, group, value):
            yield from _seen(shape, place, value, path)


def _inside(node: Node, value: Json) -> Iterator[tuple[str, Json, str | int]]:
    if isinstance(value, dict):
        for name, member in value.items():
            if node.names is not None:
                yield node.names, name, name
            place = node.properties.get(name, node.rest)
            if place is not None:
                yield place, member, name
    elif isinstance(value, list):
        for index, item in enumerate(value):
            place = node.first_items[index] if index < len(node.first_items) else node.items
            if place is not None:
                yield place, item, index


def _values(kind: str, value: Json, path: Path) -> Iterator[Sighting]:
    match value:
        case list():
            for index, item in enumerate(value):
                yield from _values(kind, item, (*path, index))
        case str():
            yield Sighting(spell(path), kind, value)
        case int() | float() if not isinstance(value, bool):
            yield Sighting(spell(path), kind, jsontext.dumps(value))
        case _:
            pass


def _fitting(shape: Shape, group: tuple[str, ...], value: Json) -> list[str]:
    possible = [place for place in group if kind_of(value) in shape.accepted[place]]
    if len(possible) < 2:  # noqa: PLR2004  # nothing to choose between
        return possible
    # Of two that fit, both count: demanding too much is an error one sees, demanding too little is not.
    return [place for place in possible if fits(shape, place, value)] or possible
