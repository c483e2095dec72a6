"""JSON that is lent to guards and actions: they read it like any dict or list, and are told when they change it in place."""

from collections.abc import Mapping
from typing import Any, NoReturn

from handgriff.core.frozen import FrozenDict, FrozenList


def hold(value: Any) -> Any:
    """*value* with every list and object in it frozen; the very same where nothing had to be."""
    if isinstance(value, dict):
        return value if type(value) is HeldDict else HeldDict({name: hold(item) for name, item in value.items()})
    if isinstance(value, (list, tuple)):
        return value if type(value) is HeldList else HeldList([hold(item) for item in value])
    return value


def let_go(value: Any) -> Any:
    """*value* as plain lists and dicts that can be changed."""
    if isinstance(value, dict):
        return {name: let_go(item) for name, item in value.items()}
    if isinstance(value, list):
        return [let_go(item) for item in value]
    return value


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    kind = "list" if isinstance(self, list) else "dict"
    raise TypeError(f"what a machine holds can't be changed in place; change {kind}(value) and let an action return the new context.")


class HeldList(FrozenList):
    """A list that a machine holds."""

    __slots__ = ()
    append = extend = insert = remove = pop = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse


class HeldDict(FrozenDict):
    """An object that a machine holds."""

    __slots__ = ()
    update = setdefault = pop = popitem = clear = _refuse
    __setitem__ = __delitem__ = __ior__ = _refuse


NOTHING: Mapping[str, Any] = HeldDict()
"""The params where there are none."""
