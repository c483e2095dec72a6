import functools
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, NaiveDatetime, RootModel, Secret, SecretBytes, SecretStr, WithJsonSchema
from typing_extensions import TypeAliasType

from handgriff.core.marks import Data, Known, Selector
from handgriff.core.schema.form import Argument
from handgriff.core.schema.typed import output_of, schema_of, schema_of_model
from handgriff.errors import DefinitionError


class Opaque: ...


class Address(BaseModel):
    """Where it goes."""

    street: Annotated[str, Field(description="With number.")]
    title: str = "home"


class Tree(BaseModel):
    leaf: str
    branches: list["Tree"] = []


def error(handler: Callable[..., Any], **options: Any) -> DefinitionError:
    with pytest.raises(DefinitionError) as caught:
        schema_of(handler, tool="lookup", **options)
    assert caught.value.subject == "lookup"
    assert caught.value.mend
    return caught.value


# --- the schema of a signature -------------------------------------------------------------------------------------------


def test_a_signature_is_the_schema() -> None:
    def tool(z: int, address: Address, call: Opaque, mode: Literal["fast", "slow"] = "slow", at: datetime | None = None) -> None: ...

    made = schema_of(tool, tool="t", exclude=frozenset({"call"}))

    assert made.text == (
        '{"type":"object","properties":{"z":{"type":"integer"},"address":{"$ref":"#/$defs/Address"},'
        '"mode":{"type":"string","enum":["fast","slow"],"default":"slow"},'
        '"at":{"default":null,"anyOf":[{"type":"string","format":"date-time"},{"type":"null"}]}},'
        '"required":["z","address"],"additionalProperties":false,'
        '"$defs":{"Address":{"type":"object","description":"Where it goes.","properties":{"street":{"type":"string",'
        '"description":"With number."},"title":{"type":"string","default":"home"}},"required":["street"],"additionalProperties":false}}}'
    )
    assert made.notes == ()
    assert made.warnings == ()


def test_a_single_model_stands_for_its_fields_and_arrives_whole() -> None:
    def tool(where: Address, call: Opaque) -> None: ...

    made = schema_of(tool, tool="t", exclude=frozenset({"call"}))

    assert [argument.name for argument in made.arguments] == ["street", "title"]
    assert "Where it goes" not in made.text
    assert made.validate('{"street":"A 1"}').values == {"where": Address(street="A 1")}


def test_a_recursive_model_may_stand_at_the_root() -> None:
    """B043"""

    def tool(tree: Annotated[Tree, Field()]) -> None: ...

    made = schema_of(tool, tool="t")

    assert made.validate('{"leaf":"a","branches":[{"leaf":"b"}]}').values == {"tree": Tree(leaf="a", branches=[Tree(leaf="b")])}
    assert made.text.count('"$defs"') == 1


def test_a_root_model_is_an_argument_like_others() -> None:
    class Ids(RootModel[list[int]]): ...

    def tool(ids: Ids) -> None: ...

    assert schema_of(tool, tool="t").validate('{"ids":[1]}').values == {"ids": Ids([1])}


def test_a_model_can_be_given_without_a_handler() -> None:
    made = schema_of_model(Address, tool="answer", parameter="answer")

    assert made.validate({"street": "A 1", "title": "work"}).canonical == '{"street":"A 1","title":"work"}'


def test_parameters_may_have_any_name_python_allows() -> None:
    def tool(copy: int, model_config: int, json: str, _x: int = 1, schema: int = 2) -> None: ...

    assert schema_of(tool, tool="t").validate('{"copy":1,"model_config":2,"json":"a"}').values == {
        "copy": 1, "model_config": 2, "json": "a", "_x": 1, "schema": 2,
    }  # fmt: skip


def test_an_alias_is_the_name_the_model_uses() -> None:
    def tool(sender: Annotated[str, Field(alias="from")], limit: int = Field(3, ge=1, alias="max", description="At most.")) -> None: ...

    made = schema_of(tool, tool="t")
    arguments = made.validate('{"from":"ada"}')

    assert arguments.values == {"sender": "ada", "limit": 3}
    assert arguments.canonical == '{"from":"ada","max":3}'
    assert made.validate(arguments.canonical) == arguments


def test_mutable_defaults_are_not_shared_between_calls() -> None:
    def tool(tags: list[str] = [], other: dict[str, int] = {}) -> None: ...  # noqa: B006  # what authors write

    made = schema_of(tool, tool="t")
    first = made.validate("{}").values["tags"]
    assert isinstance(first, list)
    first.append("x")

    assert made.validate("{}").values["tags"] == []


def test_methods_partials_wrapped_functions_and_callable_objects_are_handlers_too() -> None:
    class Service:
        def find(self, name: str) -> None: ...

        def __call__(self, name: "str") -> None: ...

    def find(limit: int, name: "str") -> None: ...

    @functools.wraps(find)
    def wrapped(*args: Any, **kwargs: Any) -> None: ...

    for handler in (Service().find, Service(), functools.partial(find, 3), wrapped):
        assert schema_of(handler, tool="t").text.endswith('"additionalProperties":false}')
    assert [argument.name for argument in schema_of(functools.partial(find, 3), tool="t").arguments] == ["name"]


def test_an_excluded_parameter_need_not_be_resolvable() -> None:
    def tool(name: str, call: "OnlyForTypeCheckers") -> None: ...  # type: ignore[name-defined]  # noqa: F821  # the point of it

    assert [argument.name for argument in schema_of(tool, tool="t", exclude=frozenset({"call"})).arguments] == ["name"]


# --- what can't be a schema ----------------------------------------------------------------------------------------------


def test_what_a_model_cannot_fill_in_is_an_error_that_names_the_parameter() -> None:
    def unannotated(a) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001  # the point of it

    def variadic(*a: int) -> None: ...

    def keywords(**a: int) -> None: ...

    def positional(a: int, /) -> None: ...

    def unknown(a: "Missing") -> None: ...  # type: ignore[name-defined]  # noqa: F821  # the point of it

    def callback(b: int, a: Callable[[], int]) -> None: ...

    def opaque(b: int, a: Opaque) -> None: ...

    def naive(a: list[NaiveDatetime]) -> None: ...

    def mistyped(a: int = None) -> None: ...  # type: ignore[assignment]  # noqa: RUF013  # the point of it

    def hidden(a: Annotated[str, Known("x"), WithJsonSchema({"type": "string"})]) -> None: ...

    for handler in (unannotated, variadic, keywords, positional, unknown, callback, opaque, naive, mistyped, hidden):
        assert error(handler).member == "parameter 'a'", handler.__name__


def test_a_default_nobody_can_be_told_is_an_error() -> None:
    def opaque(a: int = Opaque()) -> None: ...  # type: ignore[assignment]  # the point of it

    def infinite(a: float = float("inf")) -> None: ...

    for handler in (opaque, infinite):
        error(handler)


def test_known_on_an_object_is_an_error() -> None:
    def tool(a: Annotated[dict[str, int], Known("x")]) -> None: ...

    assert "marks an object" in str(error(tool))
    with pytest.raises(DefinitionError, match="marks an object"):
        output_of(list[Annotated[Address, Known("x")]], tool="t")


def test_a_field_read_and_written_under_different_names_is_an_error() -> None:
    class ReadOtherwise(BaseModel):
        a: int = Field(validation_alias="b")

    class LeftOut(BaseModel):
        a: int
        secret_note: str = Field("", exclude=True)

    class Inner(BaseModel):
        inner: ReadOtherwise | None = None

    class Several(BaseModel):
        a: int = Field(validation_alias=AliasChoices("b", "c"))

    class SeveralWaysIn(BaseModel):
        model_config = ConfigDict(validate_by_name=True)
        a: int = Field(validation_alias=AliasChoices("a", "c"), serialization_alias="a")

    for model in (ReadOtherwise, LeftOut, Inner, Several, SeveralWaysIn):
        with pytest.raises(DefinitionError) as caught:
            schema_of_model(model, tool="lookup", parameter="m")
        assert caught.value.member in ("input_schema", "parameter 'a'")


def test_a_combinator_at_the_root_of_a_model_is_an_error_because_nobody_would_enforce_it() -> None:
    """B045"""

    class Find(BaseModel):
        model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["a"]}, {"required": ["b"]}]})
        a: int = 1
        b: int = 1

    with pytest.raises(DefinitionError, match="root"):
        schema_of_model(Find, tool="find", parameter="m")


# --- what the checks of a definition look at -----------------------------------------------------------------------------


def test_arguments_are_described() -> None:
    def tool(
        order: Annotated[str, Known("order"), Field(description="Order id.")],
        user_id: Annotated[str, Data("own record only")],
        filter: Annotated[str, Selector()] | None = None,  # noqa: A002  # a name the checks look for
        mode: Literal["a", "b"] = "a",
        amount: float = 1,
        lines: list[dict[str, Annotated[str, Known("line")]]] = [],  # noqa: B006  # what authors write
    ) -> None: ...

    order, user, selection, mode, amount, lines = schema_of(tool, tool="t").arguments

    assert order == Argument(name="order", description="Order id.", kinds=("string",), is_required=True, known=("order",))
    assert user == Argument(name="user_id", description="", kinds=("string",), is_required=True, is_data=True)
    assert selection == Argument(name="filter", description="", kinds=("string", "null"), is_required=False, is_selector=True)
    assert mode == Argument(name="mode", description="", kinds=("string",), is_required=False, has_choices=True)
    assert amount.kinds == ("integer", "number")
    assert lines.known == ("line",)


def test_marks_on_the_fields_of_a_single_model_count() -> None:
    class Query(BaseModel):
        role: Annotated[str, Data("a job title")]
        where: Annotated[str | None, Selector()] = None
        order: Annotated[str, Known("order")]

    role, where, order = schema_of_model(Query, tool="t", parameter="q").arguments

    assert role.is_data
    assert where.is_selector
    assert order.known == ("order",)


def test_a_secret_is_seen_however_it_is_wrapped() -> None:
    class Login(BaseModel):
        password: SecretStr

    def tool(
        a: SecretStr,
        b: list[SecretBytes],
        c: Secret[int] | None,
        d: Login,
        e: dict[str, list[Login]],
        f: Annotated[SecretStr, Field(description="x")],
        ok: str,
    ) -> None: ...

    assert [argument.is_secret for argument in schema_of(tool, tool="t").arguments] == [True] * 6 + [False]


Nested = TypeAliasType("Nested", Annotated[str, Data("a label")] | list["Nested"])  # type: ignore[misc]  # the point of it


def test_a_recursive_type_alias_is_looked_through() -> None:
    """B043"""

    def tool(a: Nested, b: int) -> None: ...

    made = schema_of(tool, tool="t")

    assert made.validate('{"a":["x",["y"]],"b":1}').values == {"a": ["x", ["y"]], "b": 1}
    assert [argument.is_data for argument in made.arguments] == [True, False]


def test_a_list_that_forbids_the_null_its_type_allows_is_warned_of() -> None:
    """B052"""

    def tool(a: Annotated[int | None, WithJsonSchema({"type": ["integer", "null"], "enum": [1, 2]})]) -> None: ...

    (warning,) = schema_of(tool, tool="t").warnings

    assert "null is refused" in warning
