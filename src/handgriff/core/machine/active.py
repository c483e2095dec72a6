"""What is active in a snapshot: states by id, the tags they carry, and what their authors say of them."""

from collections.abc import Iterator, Mapping
from typing import Any

from handgriff.core.machine.configuration import places_of
from handgriff.core.machine.node import Definition, Node
from handgriff.core.machine.snapshot import Snapshot


def active(definition: Definition, snapshot: Snapshot) -> frozenset[str]:
    """The ids of the active states; the machine itself is one."""
    return frozenset(node.id for node in _nodes(definition, snapshot))


def tags(definition: Definition, snapshot: Snapshot) -> frozenset[str]:
    """The tags of the active states."""
    return frozenset(tag for node in _nodes(definition, snapshot) for tag in node.tags)


def meta(definition: Definition, snapshot: Snapshot) -> Mapping[str, Any]:
    """The `meta` of the active states that have any, by id."""
    return {node.id: node.meta for node in _nodes(definition, snapshot) if node.meta is not None}


def _nodes(definition: Definition, snapshot: Snapshot) -> Iterator[Node]:
    return (definition.places[place] for place in places_of(definition.places, snapshot.value))
