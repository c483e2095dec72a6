"""The type of one declared key of state: values written as the JSON that is kept, and read back.

One of the few modules that know pydantic. JSON is read as strictly as Python values are, so nothing is ever converted into something else.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from handgriff.core import jsontext
from handgriff.core.frozen import FrozenDict, FrozenList
from handgriff.core.jsontext import Json, JsonError
from handgriff.core.schema.complaints import complaints
from handgriff.core.schema.shape import Shape
from handgriff.core.schema.words import WHOLE
from handgriff.core.schema.written import written


@dataclass(frozen=True, slots=True)
class StoredType:
    """One key's type, with its schema and the field that declares it."""

    adapter: TypeAdapter[Any]
    shape: Shape
    info: FieldInfo

    def write(self, value: Any) -> Json:
        """A value of the type, or JSON that says one, as the JSON to store.

        Raises:
            JsonError: it is neither; says what was expected.
        """
        text = written(self.adapter, self.shape, self._instance(value), with_computed=False)
        self._validated(text)  # what could not be read again would be lost
        return jsontext.loads(text)

    def read(self, text: str) -> Any:
        """JSON *text* as the type; lists and objects in it can't be changed in place.

        Raises:
            JsonError: it says none; says what was expected.
        """
        return _still(self._validated(text))

    def default(self) -> Any:
        """The declared default, as if it had been read; None where there is none."""
        if self.info.is_required():
            return None
        return _still(self._instance(self.info.get_default(call_default_factory=True, validated_data={})))

    def _validated(self, text: str) -> Any:
        try:
            return self.adapter.validate_json(text, strict=True, by_alias=True, by_name=False)
        except ValidationError as error:
            raise JsonError(_expected(error, jsontext.loads(text))) from None

    def _instance(self, value: Any) -> Any:
        try:
            return self.adapter.validate_python(value, strict=True, by_alias=True, by_name=False)
        except ValidationError as error:
            problem = _expected(error, value)
        try:
            text = jsontext.dumps(value)
        except JsonError:
            raise JsonError(problem) from None
        return self._validated(text)


def _still(value: Any) -> Any:
    """*value*, fresh from its adapter, with every list and dict in it frozen, those in its models too."""
    match value:
        case BaseModel():
            for name, item in vars(value).items():
                vars(value)[name] = _still(item)
            return value
        case dict():
            return FrozenDict({name: _still(item) for name, item in value.items()})
        case list():
            return FrozenList(map(_still, value))
        case _:
            return value


def _expected(error: ValidationError, value: Any) -> str:
    found = complaints(error, value)
    return "; ".join(problem if path == WHOLE else f"{path} {problem}" for path, problem in found.items())
