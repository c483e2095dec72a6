"""Python values written as canonical JSON by their declared type.

One of the few modules that know pydantic. A value that isn't of its type is refused rather than written as what it
happens to be: the type is what keeps a field that nobody declared away from the model.
"""

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic_core import PydanticSerializationError

from handgriff.core import jsontext
from handgriff.core.jsontext import JsonError, clean, spell
from handgriff.core.schema.arrangement import arranged
from handgriff.core.schema.shape import Shape


def written(adapter: TypeAdapter[Any], shape: Shape, value: object, *, with_computed: bool) -> str:
    """Write *value* by *adapter*.

    Raises:
        JsonError: it isn't of its type, or JSON can't say it.
    """
    try:
        plain = _plain(adapter, value, with_computed=with_computed)
    except JsonError:
        raise
    except (PydanticSerializationError, ValueError, RecursionError) as error:
        raise JsonError(_mismatch(str(error))) from None  # pydantic's sentence quotes the value
    text = jsontext.dumps(arranged(shape, plain) if shape.has_sets else plain)
    if "null" in text and not _are_meant(value, plain):
        _refuse_not_finite(adapter.serializer.to_python(value, warnings="none"), ())
    return text


def _plain(adapter: TypeAdapter[Any], value: object, *, with_computed: bool) -> Any:
    try:
        # The adapter's own method would look at a dozen options first.
        return adapter.serializer.to_python(value, mode="json", by_alias=True, warnings="error", exclude_computed_fields=not with_computed)
    except ValueError as error:
        if "surrogates not allowed" not in str(error):
            raise
    # pydantic can't write a key with half a character in it; written by what it is, it can be mended.
    halves = adapter.dump_python(value, by_alias=True, warnings="error", exclude_computed_fields=not with_computed)
    return _ANYTHING.dump_python(_mended(halves), mode="json")


_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


def _mended(value: object) -> object:
    match value:
        case str():
            return clean(value)
        case Mapping():
            mended = {_mended(name): _mended(member) for name, member in value.items()}
            if len(mended) != len(value):
                raise JsonError("two keys differ only in half a character")
            return mended
        case list() | tuple():
            return [_mended(item) for item in value]
        case _:
            return value


def _mismatch(sentence: str) -> str:
    if expected := re.search(r"Expected `([^`]+)`", sentence):
        return f"a value that isn't of its declared type {expected[1]}"
    if unknown := re.search(r"unknown type: <class '([^']+)'>", sentence):
        return f"a value of type {unknown[1]} isn't JSON"
    if "Circular reference" in sentence:
        return "a value that holds itself"
    return "a value its serializer can't write"


def _are_meant(value: object, plain: object) -> bool:
    """Whether the nulls of *plain* are the Nones of *value*: told at a glance of a model without anything inside each other, as most
    arguments are."""
    if not (isinstance(value, BaseModel) and isinstance(plain, dict)):
        return False
    members = plain.values()
    if any(isinstance(member, (dict, list)) for member in members):
        return False
    return sum(member is None for member in members) == sum(member is None for member in vars(value).values())


def _refuse_not_finite(value: object, path: tuple[str | int, ...]) -> None:
    # Where the type is Any, pydantic writes NaN and infinities as null, and nobody would learn of it.
    match value:
        case float() if not math.isfinite(value):
            raise JsonError("NaN and infinities aren't JSON", spell(path) or "the top")
        case Decimal() if not value.is_finite():
            raise JsonError("NaN and infinities aren't JSON", spell(path) or "the top")
        case Mapping():
            for name, member in value.items():
                _refuse_not_finite(member, (*path, str(name)))
        case list() | tuple() | set() | frozenset():
            for index, item in enumerate(value):
                _refuse_not_finite(item, (*path, index))
        case _:
            pass
