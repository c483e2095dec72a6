"""Results as canonical JSON, and the values they introduce."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, PlainSerializer, SecretStr, computed_field

from handgriff.core import jsontext
from handgriff.core.jsontext import JsonError
from handgriff.core.marks import Known
from handgriff.core.schema.typed import output_of
from handgriff.errors import DefinitionError
from tests.ids import stable

OrderId = Annotated[str, Known("order"), Field(description="Order id.")]


class Order(BaseModel):
    id: OrderId
    total: float = 0
    parts: list["Order"] = []
    anything: Any = None
    tags: set[str] = set()


class Internal(Order):
    margin: float = 0.4


@dataclass
class Customer:
    number: Annotated[int, Known("customer")]
    orders: dict[OrderId, int]


def written(data_type: Any, value: object) -> str:
    return output_of(data_type, tool="t").serialise(value)


@pytest.mark.parametrize(
    ("data_type", "value", "text"),
    [
        (None, None, "null"),
        (str, "ü", '"ü"'),
        (list[int], [1, 10**30], f"[1,{10**30}]"),
        (tuple[int, ...], (1, 2), "[1,2]"),
        (float, 3, "3.0"),
        (set[str], {"b", "a", "c"}, '["a","b","c"]'),
        (Decimal, Decimal("1.50"), '"1.50"'),
        (datetime, datetime(2024, 1, 1, tzinfo=UTC), '"2024-01-01T00:00:00Z"'),
        (dict[str, Any], {"z": 1, "a": None}, '{"z":1,"a":null}'),
        (Any, {"x": [1, "y"]}, '{"x":[1,"y"]}'),
    ],
    ids=stable,
)
def test_a_value_is_written_by_its_declared_type(data_type: Any, value: object, text: str) -> None:
    assert written(data_type, value) == text


def test_only_declared_fields_are_written_and_computed_ones_are_declared() -> None:
    class Priced(BaseModel):
        net: int = Field(serialization_alias="amount")

        @computed_field  # type: ignore[prop-decorator]  # pydantic's own way
        @property
        def gross(self) -> int:
            return self.net * 2

    assert "margin" not in written(Order, Internal(id="o_1"))
    assert written(Priced, Priced(net=2)) == '{"amount":2,"gross":4}'


@pytest.mark.parametrize(
    ("data_type", "value", "where"),
    [
        (dict[str, Any], {"mean": float("nan"), "max": 1}, "mean"),
        (dict[str, float], {"xs": 1.0, "max": float("inf")}, "max"),
        (list[float], [1.0, float("-inf")], "1"),
        (Order, Order(id="o", parts=[Order(id="p", total=float("nan"))]), "parts/0/total"),
        (Order, Order(id="o", anything={"deep": [1, (2, float("inf"))]}), "anything/deep/1/1"),
        (Any, float("nan"), "the top"),
        (Any, [None, Decimal("NaN")], "1"),
    ],
    ids=stable,
)
def test_numbers_that_are_not_finite_are_refused_with_their_path(data_type: Any, value: object, where: str) -> None:
    """B055"""
    with pytest.raises(JsonError, match="NaN and infinities") as caught:
        written(data_type, value)

    assert caught.value.where == where


@pytest.mark.parametrize(
    ("data_type", "value"),
    [
        (Any, "a\udc00b"),
        (str, "a\udc00b"),
        (dict[str, str], {"a\udc00b": "x"}),
        (list[Any], [{"a\udc00b": [1]}]),
        (Order, Order(id="a\udc00b")),
    ],
    ids=["any", "str", "key", "inner key", "model"],
)
def test_half_a_character_is_replaced(data_type: Any, value: object) -> None:
    """B056"""
    text = written(data_type, value)

    assert re.search("a\ufffd{1,3}b", text)
    jsontext.loads(text.encode())


def test_keys_that_differ_in_half_a_character_are_refused() -> None:
    """B056"""
    with pytest.raises(JsonError, match="two keys"):
        written(Any, dict.fromkeys(("\ud800", "\ud801")))


@pytest.mark.parametrize(
    ("data_type", "value", "problem"),
    [
        (Order, {"id": "sk-1", "secret": "pw1"}, "declared type Order"),
        (list[int], ["pw1"], "declared type int"),
        (list[int], (1, 2), r"declared type list\[int\]"),
        (None, "pw1", "declared type none"),
        (Any, object(), "type object isn't JSON"),
        (Any, b"\xffpw1", "serializer can't write"),
        (Annotated[int, PlainSerializer(lambda _: 1 // 0)], 1, "serializer can't write"),
        (Any, 10**100, "more than 100 digits"),
    ],
    ids=stable,
)
def test_a_value_that_is_not_of_its_type_is_refused_without_repeating_it(data_type: Any, value: object, problem: str) -> None:
    """B139"""
    with pytest.raises(JsonError, match=problem) as caught:
        written(data_type, value)

    assert "pw1" not in str(caught.value)
    assert "sk-1" not in str(caught.value)


def test_a_value_that_holds_itself_or_is_too_deep_is_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    deep: list[Any] = []
    for _ in range(2000):
        deep = [deep]

    for value in (circle, deep):
        with pytest.raises(JsonError):
            written(Any, value)


def test_a_secret_is_never_written() -> None:
    """B139"""
    assert written(dict[str, SecretStr], {"key": SecretStr("sk-1")}) == '{"key":"**********"}'


def test_a_type_that_has_no_schema_is_an_error_of_the_tool() -> None:
    with pytest.raises(DefinitionError) as caught:
        output_of(list[Callable[[], int]], tool="lookup")

    assert (caught.value.subject, caught.value.member) == ("lookup", "return annotation")


# --- what a result introduces --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data_type", "value", "introduced"),
    [
        (list[Order], [Order(id="o_1", parts=[Order(id="o_2"), Order(id="o_1")])], [("order", "o_1"), ("order", "o_2")]),
        (Order | None, None, []),
        (Order | None, Order(id="o_1"), [("order", "o_1")]),
        (dict[str, Order], {"x": Order(id="o_1")}, [("order", "o_1")]),
        (Customer, Customer(number=17, orders={"o_1": 1}), [("customer", "17"), ("order", "o_1")]),
        (Order | Customer, Customer(number=10**20, orders={}), [("customer", str(10**20))]),
        (tuple[OrderId, str], ("o_1", "o_2"), [("order", "o_1")]),
        (Annotated[list[str], Known("tag")], ["a", "b"], [("tag", "a"), ("tag", "b")]),
        (Annotated[str | None, Known("tag")], None, []),
        (list[OrderId | None], ["o_1", None], [("order", "o_1")]),
        (list[str], ["o_1"], []),
        (None, None, []),
    ],
    ids=stable,
)
def test_a_result_introduces_the_values_its_type_says_are_known(data_type: Any, value: object, introduced: list[tuple[str, str]]) -> None:
    output = output_of(data_type, tool="t")

    assert output.introduced(output.serialise(value)) == tuple(introduced)
    assert "handgriff" not in output.text


def test_an_output_says_which_kinds_it_may_introduce() -> None:
    assert output_of(list[Order] | Customer, tool="t").introduces == {"order", "customer"}
    assert output_of(None, tool="t").introduces == set()


def test_a_large_result_introduces_all_it_holds() -> None:
    output = output_of(list[OrderId], tool="t")

    assert len(output.introduced(output.serialise([f"o_{number}" for number in range(100_001)]))) == 100_001


def test_the_schema_of_the_data_can_be_shown() -> None:
    assert output_of(list[Customer], tool="t").text == (
        '{"type":"array","items":{"$ref":"#/$defs/Customer"},"$defs":{"Customer":{"type":"object","properties":'
        '{"number":{"type":"integer"},"orders":{"type":"object","additionalProperties":{"type":"integer"},'
        '"propertyNames":{"description":"Order id."}}},"required":["number","orders"]}}}'
    )
