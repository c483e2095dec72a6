"""Strategies from annotations: every value a record of ours may hold."""

import types
from dataclasses import is_dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

_PLAIN: dict[object, SearchStrategy[Any]] = {
    str: st.text(max_size=12),
    int: st.integers(-(2**70), 2**70),
    bool: st.booleans(),
    datetime: st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45)), timezone(-timedelta(hours=9))])),
    types.NoneType: st.none(),
}


def anything(kind: type[T]) -> SearchStrategy[T]:
    """Every *kind*, a dataclass, with every field filled, those with defaults too."""
    return st.builds(kind, **{name: _of(hint) for name, hint in get_type_hints(kind).items()})


def _of(hint: Any) -> SearchStrategy[Any]:
    origin, args = get_origin(hint), get_args(hint)
    if is_dataclass(hint) and isinstance(hint, type):
        return anything(hint)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(_of, args))
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple and args[-1] is not Ellipsis:
        return st.tuples(*map(_of, args))
    if origin in (tuple, frozenset):
        return st.lists(_of(args[0]), max_size=3).map(origin)
    return _PLAIN[hint]
