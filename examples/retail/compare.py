"""Whether two records are the same: amounts to the cent, fields that are null left out, and where they differ otherwise."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

from examples.retail.records import cents

Json: TypeAlias = Any


def differences(expected: Json, actual: Json, where: str = "") -> Iterator[str]:
    """Every place at which *actual* is not as *expected*, in words."""
    match expected, actual:
        case Mapping(), Mapping():
            for name in sorted(_given(expected) | _given(actual)):
                yield from differences(expected.get(name), actual.get(name), f"{where}.{name}" if where else name)
        case list(), list() if len(expected) == len(actual):
            for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
                yield from differences(left, right, f"{where}[{index}]")
        case _:
            if not _equal(expected, actual):
                yield f"{where or 'the record'}: expected {_shown(expected)}, is {_shown(actual)}"


def _given(record: Mapping[str, Json]) -> set[str]:
    return {name for name, value in record.items() if value is not None}


def _equal(expected: Json, actual: Json) -> bool:
    if _is_number(expected) and _is_number(actual):
        return cents(expected) == cents(actual)
    return type(expected) is type(actual) and bool(expected == actual)


def _is_number(value: Json) -> bool:
    # Booleans are integers to Python, but no amounts.
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def _shown(value: Json) -> str:
    return f"{value}" if isinstance(value, Decimal) else f"{value!r}"
