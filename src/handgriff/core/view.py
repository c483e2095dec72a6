"""Arguments as the application's checks read them: `args.order`, or the model itself where the handler takes one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from handgriff.core.schema.form import Arguments, Schema


@dataclass(frozen=True, slots=True)
class ArgumentView(Mapping[str, object]):
    """Validated arguments by name, as attributes and as a mapping. An argument called `items` or `get` is that argument."""

    _values: Mapping[str, object]

    def __getattribute__(self, name: str) -> object:
        values = _held(self)
        return values[name] if name in values else object.__getattribute__(self, name)

    def __getitem__(self, name: str) -> object:
        return _held(self)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_held(self))

    def __len__(self) -> int:
        return len(_held(self))


def view(schema: Schema, arguments: Arguments) -> object:
    """What `(args, call)` functions are given."""
    values = tuple(arguments.values.values())
    return values[0] if len(values) == 1 and _stands_for_all(values[0], schema) else ArgumentView(arguments.values)


def _stands_for_all(value: object, schema: Schema) -> bool:
    """Whether *value* is the pydantic model whose fields are the arguments. Only its kind of class tells, and importing that is dear."""
    fields = getattr(type(value), "model_fields", None)
    if fields is None:
        return False
    names = {info.validation_alias or info.alias or name for name, info in fields.items()}
    return names == {argument.name for argument in schema.arguments if not argument.is_added}


def _held(arguments: ArgumentView) -> Mapping[str, object]:
    values: Mapping[str, object] = object.__getattribute__(arguments, "_values")
    return values
