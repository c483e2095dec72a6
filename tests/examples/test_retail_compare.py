"""When two records are the same."""

from decimal import Decimal

import pytest

from examples.retail.compare import differences


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ({"amount": Decimal("51.0")}, {"amount": Decimal("51.00")}),
        ({"amount": 51}, {"amount": Decimal("51.00")}),
        ({"amount": Decimal("10.1")}, {"amount": Decimal("10.100000000001")}),
        ({"a": 1, "b": None}, {"a": 1}),
        ({"a": {"b": [1, {"c": "d"}]}}, {"a": {"b": [1, {"c": "d", "e": None}]}}),
    ],
)
def test_amounts_are_equal_to_the_cent_and_null_is_absent(expected: object, actual: object) -> None:
    assert list(differences(expected, actual)) == []
    assert list(differences(actual, expected)) == []


@pytest.mark.parametrize(
    ("expected", "actual", "found"),
    [
        ({"amount": Decimal("1.00")}, {"amount": Decimal("1.01")}, ["amount: expected 1.00, is 1.01"]),
        ({"status": "pending"}, {"status": "cancelled"}, ["status: expected 'pending', is 'cancelled'"]),
        ({"a": "1"}, {"a": 1}, ["a: expected '1', is 1"]),
        ({"a": True}, {"a": 1}, ["a: expected True, is 1"]),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, ["a.b[1]: expected 2, is 3"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a: expected [1], is [1, 2]"]),
        ({"a": 1}, {}, ["a: expected 1, is None"]),
        ({}, {"a": 1, "b": 2}, ["a: expected None, is 1", "b: expected None, is 2"]),
    ],
)
def test_each_difference_is_named_where_it_is(expected: object, actual: object, found: list[str]) -> None:
    assert list(differences(expected, actual)) == found
