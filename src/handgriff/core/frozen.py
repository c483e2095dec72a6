"""Values that were read: lists and objects that say so when somebody changes them, because nobody would store the change.

They are lists and dicts in every other respect; `list(value)`, `dict(value)` and `copy.deepcopy` give ones that can be changed.
"""

from copy import deepcopy
from typing import Any, NoReturn

from handgriff.core.jsontext import Json
from handgriff.errors import DefinitionError


def freeze(value: Json) -> Any:
    """*value* with every list and object in it frozen."""
    match value:
        case dict():
            return FrozenDict({name: freeze(item) for name, item in value.items()})
        case list():
            return FrozenList([freeze(item) for item in value])
        case _:
            return value


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    kind = "list" if isinstance(self, list) else "dict"
    raise DefinitionError(
        "call.state",
        "value",
        "what was read can't be changed in place; the change would be lost.",
        mend=f"use the operations (append, add, remove, pop, merge), or change {kind}(value) and set it.",
    )


class FrozenList(list[Any]):
    """A list that was read."""

    __slots__ = ()
    append = extend = insert = remove = pop = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return [deepcopy(item, memo) for item in self]

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


class FrozenDict(dict[str, Any]):
    """An object that was read."""

    __slots__ = ()
    update = setdefault = pop = popitem = clear = _refuse
    __setitem__ = __delitem__ = __ior__ = _refuse

    def __copy__(self) -> dict[str, Any]:
        return dict(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        return {name: deepcopy(item, memo) for name, item in self.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
