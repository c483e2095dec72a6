"""Values in canonical order: properties as the schema lists them, and sets, which have no order of their own, sorted."""

from collections.abc import Collection

from handgriff.core import jsontext
from handgriff.core.jsontext import Json
from handgriff.core.schema.reading import fits
from handgriff.core.schema.shape import ROOT, Shape, kind_of


def arranged(shape: Shape, value: Json) -> Json:
    """Put *value* in order."""
    return _arranged(shape, ROOT, value)


def with_defaults(shape: Shape, value: dict[str, Json], *, leave_out: Collection[str] = ()) -> dict[str, Json]:
    """Add the defaults of the top-level arguments but *leave_out*."""
    absent = ((name, place) for name, place in shape.root.properties.items() if name not in value and name not in leave_out)
    return value | {name: default for name, place in absent for default in shape.nodes[place].default}


def _arranged(shape: Shape, pointer: str, value: Json) -> Json:
    node = shape.nodes[pointer]
    if isinstance(value, dict):
        names = [*(name for name in node.properties if name in value), *(name for name in value if name not in node.properties)]
        value = {name: _at(shape, node.properties.get(name, node.rest), value[name]) for name in names}
    elif isinstance(value, list):
        first = node.first_items
        value = [_at(shape, first[index] if index < len(first) else node.items, item) for index, item in enumerate(value)]
        value = sorted(value, key=jsontext.dumps) if node.is_set else value
    for place in node.every:
        value = _arranged(shape, place, value)
    for group in node.groups:
        value = _at(shape, _chosen(shape, group, value), value)
    return value


def _at(shape: Shape, place: str | None, value: Json) -> Json:
    return value if place is None else _arranged(shape, place, value)


def _chosen(shape: Shape, group: tuple[str, ...], value: Json) -> str | None:
    possible = [place for place in group if kind_of(value) in shape.accepted[place]]
    return possible[0] if len(possible) == 1 else next((place for place in possible if fits(shape, place, value)), None)
