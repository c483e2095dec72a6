"""Records as JSON: frozen dataclasses to plain values and back, by their annotations.

Below are only the standard library and strict JSON; above, events and rows are written with it. A field that has its default is left
out, so that records of an earlier version read as if they had it. Unknown fields are refused: a newer version wrote them.
"""

import types
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from handgriff.core.jsontext import Json

T = TypeVar("T")
Read = Callable[[Any], Any]
_SCALARS: Final = frozenset((str, int, bool, float, type(None)))


def pack(record: object) -> Json:
    """*record* as JSON values, in field order, without the fields that have their default."""
    kind: Any = type(record)
    if kind in _SCALARS:
        return record  # type: ignore[return-value]  # what JSON holds as it is
    if is_dataclass(record):
        return {
            name: value if type(value) in _SCALARS else pack(value)
            for name, default in _defaults(kind)
            if (value := getattr(record, name)) is not default and value != default
        }
    if isinstance(record, datetime):
        return record.isoformat()
    if isinstance(record, (tuple, list, frozenset)):
        return [pack(item) for item in (sorted(record) if isinstance(record, frozenset) else record)]
    if isinstance(record, Mapping):
        return {str(key): pack(value) for key, value in record.items()}
    return record  # type: ignore[return-value]  # JSON scalars of other types; anything else is refused when it is dumped


def unpack(kind: type[T], value: object) -> T:
    """The *kind* that `pack` made *value* of.

    Raises:
        ValueError: *value* is not of that form.
    """
    # A class is hashable, which the checker does not see in type[T].
    reader: Read = _reader(kind)  # type: ignore[arg-type]
    result: T = reader(value)
    return result


@cache
def _defaults(kind: Any) -> tuple[tuple[str, object], ...]:
    def default(field: Any) -> object:
        return field.default_factory() if field.default_factory is not MISSING else field.default

    return tuple((field.name, default(field)) for field in fields(kind))


@cache
def _reader(kind: Any) -> Read:
    origin, args = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _record_reader(kind)
    if origin in (Union, types.UnionType):
        return _optional_reader(args)
    if origin in (tuple, frozenset, AbstractSet):
        return _items_reader(args, tuple if origin is tuple else frozenset)
    if origin is Literal:
        return _literal_reader(args)
    if kind is datetime:
        text = _exact_reader(str)
        return lambda value: datetime.fromisoformat(text(value))
    if kind in (str, int, bool, float):
        return _exact_reader(kind)
    return lambda value: value


def _record_reader(kind: type) -> Read:
    # A dataclass may name itself, so its readers are looked up when the first record is read.
    hints: dict[str, Any] = {}
    required = {name for name, default in _defaults(kind) if default is MISSING}

    def read(value: Any) -> Any:
        if not hints:
            hints.update(get_type_hints(kind))
        if not isinstance(value, Mapping) or not required <= value.keys() <= hints.keys():
            raise ValueError(f"this is no {kind.__name__}")
        return kind(**{name: _reader(hints[name])(item) for name, item in value.items()})

    return read


def _optional_reader(args: tuple[Any, ...]) -> Read:
    some = [arg for arg in args if arg is not type(None)]
    inner = _reader(some[0]) if len(some) == 1 else lambda value: value
    return lambda value: None if value is None else inner(value)


def _items_reader(args: tuple[Any, ...], make: Callable[[Any], Any]) -> Read:
    # A text is a sequence too, of letters that nobody wrote as items.
    listed = _exact_reader(list)
    if make is tuple and not (len(args) == 2 and args[1] is Ellipsis):  # noqa: PLR2004  # a pair such as (name, value)
        readers = [_reader(arg) for arg in args]
        return lambda value: tuple(read(item) for read, item in zip(readers, listed(value), strict=True))
    inner = _reader(args[0])
    return lambda value: make(inner(item) for item in listed(value))


def _literal_reader(words: tuple[Any, ...]) -> Read:
    def read(value: Any) -> Any:
        if value not in words:
            raise ValueError(f"{value!r} is none of {', '.join(map(str, words))}")
        return value

    return read


def _exact_reader(kind: type) -> Read:
    def read(value: Any) -> Any:
        if type(value) is not kind and not (kind is float and type(value) is int):
            raise ValueError(f"{value!r} is no {kind.__name__}")
        return value

    return read
