"""Arguments as the application's checks read them."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from handgriff.core.schema.handle import with_handle
from handgriff.core.schema.imported import schema_from
from handgriff.core.schema.typed import schema_of
from handgriff.core.view import ArgumentView, view


class Order(BaseModel):
    order: str
    note: str = ""


class Alone(BaseModel):
    order: str


class Named(BaseModel):
    order: str = Field(alias="orderId")


def seen(handler: Any, arguments: str) -> Any:
    schema = schema_of(handler, tool="tool")
    return view(schema, schema.validate(arguments))


def test_arguments_are_attributes_and_a_mapping() -> None:
    def handler(order: str, count: int = 1) -> None: ...

    args = seen(handler, '{"order":"o_17"}')

    assert (args.order, args["order"], args.count) == ("o_17", "o_17", 1)
    assert dict(args) == {"order": "o_17", "count": 1}
    assert (len(args), list(args), "order" in args, "other" in args) == (2, ["order", "count"], True, False)
    with pytest.raises(AttributeError):
        args.other  # noqa: B018  # the point
    with pytest.raises((AttributeError, TypeError)):  # which of them differs between versions of Python
        args.order = "o_18"


def test_an_argument_called_like_a_method_is_the_argument() -> None:
    def handler(items: list[str], get: int, _values: str) -> None: ...

    args = seen(handler, '{"items":["a"],"get":5,"_values":"v"}')

    assert (args.items, args.get, args._values) == (["a"], 5, "v")
    assert (args["items"], len(args), list(args)) == (["a"], 3, ["items", "get", "_values"])


def handler_of_model(params: Order) -> None: ...


def handler_named_like_a_field(order: Order) -> None: ...


def handler_of_one_field(order: Alone) -> None: ...


@pytest.mark.parametrize(
    ("handler", "arguments", "expected"),
    [
        (handler_of_model, '{"order":"o_17"}', Order(order="o_17")),
        (handler_named_like_a_field, '{"order":"o_17","note":"x"}', Order(order="o_17", note="x")),
        (handler_of_one_field, '{"order":"o_17"}', Alone(order="o_17")),
    ],
)
def test_a_single_model_is_the_arguments_themselves(handler: Any, arguments: str, expected: BaseModel) -> None:
    assert seen(handler, arguments) == expected


def test_a_single_model_is_the_arguments_themselves_beside_a_handle_that_the_server_adds() -> None:
    schema = with_handle(schema_of(handler_of_model, tool="tool"), "paper", "The paper.")

    assert view(schema, schema.validate('{"paper":"w_1","order":"o_17"}')) == Order(order="o_17")


def test_a_model_that_is_one_argument_stays_one_beside_a_handle_that_the_server_adds() -> None:
    def handler(change: Order | None = None) -> None: ...

    schema = with_handle(schema_of(handler, tool="tool"), "paper", "The paper.")
    args: Any = view(schema, schema.validate('{"paper":"w_1","change":{"order":"o_17"}}'))

    assert args.change == Order(order="o_17")


def test_a_model_with_names_of_its_own_is_the_arguments_too() -> None:
    def handler(params: Named) -> None: ...

    assert seen(handler, '{"orderId":"o_17"}').order == "o_17"


def test_a_model_that_may_be_left_out_is_an_argument() -> None:
    def handler(change: Order | None = None) -> None: ...

    assert seen(handler, '{"change":{"order":"o_17"}}').change == Order(order="o_17")
    assert seen(handler, "{}").change is None


def test_one_argument_with_another_name_for_the_model_is_read_by_its_parameter() -> None:
    def handler(order: Annotated[str, Field(alias="orderId")]) -> None: ...

    assert seen(handler, '{"orderId":"o_17"}').order == "o_17"


def test_an_argument_nobody_named_is_still_an_argument() -> None:
    schema = schema_from({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True}, tool="tool")

    args = view(schema, schema.validate('{"b":1}'))

    assert isinstance(args, ArgumentView)
    assert dict(args) == {"b": 1}


def test_no_arguments_are_an_empty_view() -> None:
    def handler() -> None: ...

    assert dict(seen(handler, "")) == {}
