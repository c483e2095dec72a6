"""What the annotation of one argument says beside its type: marks, secrets, the name it is shown by.

One of the few modules that know pydantic.
"""

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic import Secret, SecretBytes, SecretStr
from pydantic.fields import FieldInfo

from handgriff.core.marks import Data, Known, Selector
from handgriff.core.schema.form import Argument
from handgriff.core.schema.shape import KINDS, Shape, in_place, reach
from handgriff.errors import DefinitionError


def property_name(info: FieldInfo, field: str, *, tool: str) -> str:
    """Give the one name a model sends this field by.

    Raises:
        DefinitionError: it has several.
    """
    name = info.validation_alias or info.alias or field
    if not isinstance(name, str):
        raise DefinitionError(tool, f"parameter {field!r}", "it goes by several names.", mend="give it one alias.")
    return name


def argument(shape: Shape, name: str, info: FieldInfo, *, tool: str) -> Argument:
    """Describe the top-level argument *name*.

    Raises:
        DefinitionError: a `Known` on it would have no effect.
    """
    pointer = shape.root.properties[name]
    said = [*info.metadata, *_said(info.annotation, set())]
    demanded = tuple(dict.fromkeys(node.known for node in reach(shape, pointer) if node.known is not None))
    if any(isinstance(each, Known) and each.kind not in demanded for each in said):
        problem = "its Known is hidden by a schema of its own."
        raise DefinitionError(tool, f"parameter {name!r}", problem, mend="write Known last in Annotated.")
    return Argument(
        name=name,
        description=next((node.description for node in in_place(shape, pointer) if node.description), ""),
        kinds=tuple(kind for kind in KINDS if kind in shape.accepted[pointer]),
        is_required=name in shape.root.required,
        known=demanded,
        is_data=any(isinstance(each, Data) for each in said),
        is_selector=any(isinstance(each, Selector) for each in said),
        is_secret=any(map(_is_secret, said)) or any(node.is_secret for node in reach(shape, pointer)),
        has_choices=any(node.choices is not None for node in in_place(shape, pointer)),
    )


def check_marks(shape: Shape, *, tool: str, member: str) -> None:
    """Refuse a `Known` that stands on something that can't be a value of a kind.

    Raises:
        DefinitionError: it stands on an object.
    """
    keys = {node.names for node in shape.nodes.values()}  # always texts, whether their schema says so or not
    for pointer, node in shape.nodes.items():
        if node.known is not None and "object" in shape.accepted[pointer] and pointer not in keys:
            problem = f"Known({node.known!r}) marks an object, and only a text or number can be known."
            raise DefinitionError(tool, member, problem, mend="mark the field that holds the id.")


def _said(annotation: Any, seen: set[int]) -> Iterator[Any]:
    yield annotation
    if (origin := get_origin(annotation)) is not None:
        yield origin
    for part in get_args(annotation):
        yield from _said(part, seen)
    if (aliased := getattr(annotation, "__value__", None)) is not None and id(annotation) not in seen:
        seen.add(id(annotation))  # an alias may speak of itself
        yield from _said(aliased, seen)


def _is_secret(said: object) -> bool:
    return isinstance(said, type) and issubclass(said, (SecretStr, SecretBytes, Secret))
