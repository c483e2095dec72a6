"""A pydantic model read as a declaration of state: each field is a key, and each key is checked by its own type.

One of the few modules that know pydantic. Keys are written one at a time, so what a model says about several of them at once could never
be kept, and is refused rather than forgotten.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    RootModel,
    TypeAdapter,
    WrapValidator,
)
from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
from pydantic.fields import FieldInfo

from handgriff.core.jsontext import JsonError
from handgriff.core.schema.canonical import closed
from handgriff.core.schema.generation import InexpressibleError, generated, names_that_differ
from handgriff.core.schema.references import localised, unwrapped
from handgriff.core.schema.shape import compiled
from handgriff.core.schema.stored import StoredType
from handgriff.core.scope import parse_key
from handgriff.errors import DefinitionError


def declared_keys(model: object) -> Mapping[str, StoredType]:
    """The keys of *model*, in the order of its fields.

    Raises:
        DefinitionError: it is no pydantic model, or a field can't be a key; the field is named, with the mend.
    """
    if not isinstance(model, type) or not issubclass(model, BaseModel) or issubclass(model, RootModel) or model is BaseModel:
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        raise DefinitionError("Assistant", "state", f"{name} is no pydantic model with fields.", mend="give a subclass of BaseModel.")
    _check_whole(model)
    found: dict[str, StoredType] = {}
    for field, info in model.model_fields.items():
        key = _key(model, field, info)
        if key in found:
            raise DefinitionError(model.__name__, f"field {field!r}", f"another field is {key!r} too.", mend="give each its own alias.")
        found[key] = _typed(model, field, info)
    return found


_UNSAYABLE = (InexpressibleError, PydanticUserError, PydanticUndefinedAnnotation, NameError, TypeError)
_VALIDATORS: Mapping[str, Any] = {"after": AfterValidator, "before": BeforeValidator, "plain": PlainValidator, "wrap": WrapValidator}
_OF_SEVERAL = ("model_validators", "root_validators", "validators", "field_serializers", "model_serializers")
"""Decorators that take the whole model, or write a field in a way its type does not know."""


def _check_whole(model: type[BaseModel]) -> None:
    try:
        model.model_rebuild()
    except _UNSAYABLE as error:
        raise DefinitionError(model.__name__, "fields", _first_line(error), mend="define the types at module level before it.") from error
    if not model.model_fields:
        raise DefinitionError(model.__name__, "fields", "it has none, so no key could be used.", mend="give it a field for each key.")
    for kind in _OF_SEVERAL:
        for name in getattr(model.__pydantic_decorators__, kind):
            raise DefinitionError(
                model.__name__,
                name,
                "it would never run: keys are read and written one at a time, each by its own type.",
                mend="check one field with a field_validator, and write it with a PlainSerializer in its type.",
            )


def _key(model: type[BaseModel], field: str, info: FieldInfo) -> str:
    member = f"field {field!r}"
    names = [name for name in (info.validation_alias, info.alias, info.serialization_alias) if name is not None] or [field]
    key = names[0]
    if not isinstance(key, str) or any(name != key for name in names):
        raise DefinitionError(model.__name__, member, "it goes by several names.", mend="give it one alias.")
    if key.lower().startswith("scratch:"):
        raise DefinitionError(model.__name__, member, "scratch has no declared keys.", mend="leave it out; call.scratch('name') takes any.")
    try:
        return str(parse_key(key))
    except DefinitionError as error:
        problem = f"{key!r} is no key: a name is 1 to 256 letters, digits and _ . : - of ASCII, behind one prefix at most."
        raise DefinitionError(model.__name__, member, problem, mend=error.mend) from error


def _typed(model: type[BaseModel], field: str, info: FieldInfo) -> StoredType:
    member = f"field {field!r}"
    try:
        adapter = _adapter(_said(model, field, info), model.model_config)
        differing = names_that_differ(adapter, generated(adapter, "validation"))
        root = unwrapped(localised(generated(adapter, "serialization"), tool=model.__name__), tool=model.__name__)
    except _UNSAYABLE as error:
        mend = getattr(error, "mend", "use types pydantic can read from JSON.")
        raise DefinitionError(model.__name__, member, _first_line(error), mend=mend) from error
    if differing:
        problem = f"{', '.join(sorted(differing))} can't be written under the name it is read by."
        raise DefinitionError(model.__name__, member, problem, mend="use one alias for both, and exclude no field.")
    shape = compiled(closed(root))
    if any(node.is_secret for node in shape.nodes.values()):
        raise DefinitionError(
            model.__name__, member, "its type is a secret, and is written as asterisks.", mend="keep secrets in your secret store."
        )
    typed = StoredType(adapter, shape, info)
    try:
        if info.default_factory is None and not info.is_required():
            typed.write(info.default)
    except JsonError as error:
        raise DefinitionError(
            model.__name__, member, f"its default is not of its type: {error}.", mend="change the default or the annotation."
        ) from None
    return typed


def _said(model: type[BaseModel], field: str, info: FieldInfo) -> Any:
    """The field's type, with what the model's own validators add to it."""
    validators = [
        _VALIDATORS[each.info.mode](each.func)
        for each in model.__pydantic_decorators__.field_validators.values()
        if field in each.info.fields or "*" in each.info.fields
    ]
    discriminator = [Field(discriminator=info.discriminator)] if info.discriminator is not None else []
    said = (info.annotation, *info.metadata, *discriminator, *validators)
    return Annotated[said] if len(said) > 1 else info.annotation


def _adapter(said: Any, config: ConfigDict) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(said, config=config)
    except PydanticUserError as error:
        if error.code != "type-adapter-config-unused":
            raise
        # A model of its own, which has its own.
        return TypeAdapter(said)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".") + "."
