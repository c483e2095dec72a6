"""Schemas from Python: a handler's signature, a pydantic model, a result's type. pydantic judges.

One of the few modules that know pydantic, and the door to the others; whoever defines a tool imports it then.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_origin

from pydantic import BaseModel, ConfigDict, Field, RootModel, TypeAdapter, ValidationError, create_model
from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
from pydantic.fields import FieldInfo

from handgriff.core.jsontext import Json, JsonError
from handgriff.core.schema.annotation import argument, check_marks, property_name
from handgriff.core.schema.canonical import canonical_text, closed
from handgriff.core.schema.complaints import complaints
from handgriff.core.schema.form import Output, Schema, Verdict
from handgriff.core.schema.generation import InexpressibleError, generated, names_that_differ
from handgriff.core.schema.lint import unfit_defaults, warnings_of
from handgriff.core.schema.references import check_circles, localised, unwrapped
from handgriff.core.schema.shape import Shape, compiled
from handgriff.core.schema.signature import NO_DEFAULT, Parameter, parameters
from handgriff.core.schema.vocabulary import COMBINATORS, Raw
from handgriff.core.schema.written import written
from handgriff.errors import DefinitionError


def schema_of(handler: Callable[..., Any], *, tool: str, exclude: frozenset[str] = frozenset()) -> Schema:
    """Make the schema of *handler*'s parameters but those in *exclude*; a single pydantic model stands for its fields.

    Raises:
        DefinitionError: a parameter can't be filled in by a model; it is named, with the mend.
    """
    found = parameters(handler, tool=tool, exclude=exclude)
    if len(found) == 1 and (model := _model_in(found[0].annotation)) is not None:
        return schema_of_model(model, tool=tool, parameter=found[0].name)
    names = {parameter.name: f"argument_{index}" for index, parameter in enumerate(found)}
    try:
        gathered = _gathered(found, names)
    except _UNSAYABLE as error:
        raise _unsayable(error, tool, found) from error

    def bound(instance: BaseModel) -> Mapping[str, object]:
        return {name: getattr(instance, field) for name, field in names.items()}

    return _schema(gathered, tool=tool, bound=bound, found=found)


def schema_of_model(model: type[BaseModel], *, tool: str, parameter: str) -> Schema:
    """Make the schema whose arguments are the fields of *model*; the handler gets the instance as *parameter*.

    Raises:
        DefinitionError: the model can't be said in JSON Schema, or is read and written under different names.
    """
    return _schema(model, tool=tool, bound=lambda instance: {parameter: instance}, found=())


def output_of(data_type: Any, *, tool: str) -> Output:
    """Make the output of a tool whose result holds *data_type*.

    Raises:
        DefinitionError: the type can't be said in JSON Schema.
    """
    try:
        adapter = TypeAdapter(data_type)
        raw = generated(adapter, "serialization")
    except _UNSAYABLE as error:
        mend = getattr(error, "mend", "return types pydantic can write.")
        raise DefinitionError(tool, "return annotation", _first_line(error), mend=mend) from error
    root = unwrapped(localised(raw, tool=tool), tool=tool)
    check_circles(root, tool=tool)
    shape = compiled(closed(root))
    check_marks(shape, tool=tool, member="return annotation")
    return Output(
        tool=tool,
        text=canonical_text(root, tool=tool),
        shape=shape,
        write=lambda value: written(adapter, shape, value, with_computed=True),
    )


_UNSAYABLE = (InexpressibleError, PydanticUserError, PydanticUndefinedAnnotation, NameError, TypeError)


@dataclass(frozen=True, slots=True)
class _Judge:
    tool: str
    adapter: TypeAdapter[Any]
    shape: Shape
    bound: Callable[[BaseModel], Mapping[str, object]]

    def __call__(self, text: str, value: dict[str, Json], /) -> Verdict:
        try:
            instance = self.adapter.validator.validate_json(text, strict=True, by_alias=True, by_name=False)
        except ValidationError as error:
            return Verdict(problems=complaints(error, value))
        try:
            text = written(self.adapter, self.shape, instance, with_computed=False)
        except JsonError as error:
            problem = f"what a validator made of them can't be written again: {error}."
            raise DefinitionError(self.tool, "arguments", problem, mend="give that type a pydantic serializer.") from error
        return Verdict(self.bound(instance), text)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    plain = annotation.__origin__ if get_origin(annotation) is Annotated else annotation
    is_model = isinstance(plain, type) and issubclass(plain, BaseModel) and not issubclass(plain, RootModel)
    return plain if is_model else None


def _gathered(found: tuple[Parameter, ...], names: Mapping[str, str]) -> type[BaseModel]:
    # Fields get names of ours, because a parameter may be called `copy` or `_x`; the model is shown the alias.
    fields: dict[str, Any] = {names[each.name]: (_aliased(each), ... if each.default is NO_DEFAULT else each.default) for each in found}
    return create_model("Arguments", __config__=ConfigDict(extra="forbid", protected_namespaces=()), **fields)


def _aliased(parameter: Parameter) -> Any:
    own = FieldInfo.from_annotated_attribute(parameter.annotation, ... if parameter.default is NO_DEFAULT else parameter.default)
    has_name = own.alias is not None or own.validation_alias is not None
    return parameter.annotation if has_name else Annotated[parameter.annotation, Field(alias=parameter.name)]


def _schema(
    model: type[BaseModel], *, tool: str, bound: Callable[[BaseModel], Mapping[str, object]], found: tuple[Parameter, ...]
) -> Schema:
    try:
        adapter = TypeAdapter(model)
        raw = generated(adapter, "validation")
        differing = names_that_differ(adapter, raw)
    except _UNSAYABLE as error:
        raise _unsayable(error, tool, found) from error
    if differing:
        problem = f"{', '.join(sorted(differing))} can't be written under the name it is read by."
        raise DefinitionError(tool, "input_schema", problem, mend="use one alias for both, and exclude no field.")
    root = _object(unwrapped(localised(raw, tool=tool), tool=tool), tool)
    check_circles(root, tool=tool)
    shape = compiled(root)
    check_marks(shape, tool=tool, member="input_schema")
    for name in unfit_defaults(shape):
        raise DefinitionError(tool, f"parameter {name!r}", "its default isn't of its type.", mend="change the default or the annotation.")
    infos = {property_name(info, name, tool=tool): info for name, info in model.model_fields.items()}
    return Schema(
        tool=tool,
        text=canonical_text(root, tool=tool),
        arguments=tuple(argument(shape, name, infos[name], tool=tool) for name in shape.root.properties),
        warnings=warnings_of(shape),
        shape=shape,
        judge=_Judge(tool, adapter, shape, bound),
    )


def _object(root: Raw, tool: str) -> Raw:
    if root.get("type") != "object" or any(keyword in root for keyword in COMBINATORS):
        problem = "its root isn't a plain object."
        raise DefinitionError(tool, "input_schema", problem, mend="give one field per argument, and check their relations in a validator.")
    # The model's own docstring is for programmers; the tool has a description of its own.
    return closed({keyword: value for keyword, value in {"properties": {}, **root}.items() if keyword != "description"})


def _unsayable(error: Exception, tool: str, found: tuple[Parameter, ...]) -> DefinitionError:
    member = next((f"parameter {each.name!r}" for each in found if _is_unsayable(each)), "input_schema")
    return DefinitionError(tool, member, _first_line(error), mend=getattr(error, "mend", "use types pydantic can read from JSON."))


def _is_unsayable(parameter: Parameter) -> bool:
    try:
        generated(TypeAdapter(parameter.annotation), "validation")
    except _UNSAYABLE:
        return True
    return False


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".") + "."
