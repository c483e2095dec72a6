"""The calculator of the shop."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.retail.arithmetic import NotArithmetic, calculate


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("3131.1 + 4777.75 + 367.38", "8276.23"),
        ("155.33 - 147.05 + 268.77 - 235.13", "41.92"),
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * 4", "20"),
        ("10 - 2 - 3", "5"),
        ("12 / 3 / 2", "2"),
        ("-(1.5 - 4)", "2.5"),
        ("2*-3", "-6"),
        (" .5+1. ", "1.5"),
        ("0.1 + 0.2", "0.3"),
        ("1 / 3", "0.3333333333"),
    ],
)
def test_sums_are_exact_and_keep_the_usual_order(expression: str, value: str) -> None:
    assert calculate(expression) == Decimal(value)


@pytest.mark.parametrize(
    "expression",
    [
        "",
        " ",
        "1 +",
        "(1",
        "1)",
        "()",
        "1 2",
        "1..2",
        "1,5",
        "2 ** 3",
        "1e9",
        "a + 1",
        "٣ + 1",
        "__import__('os')",
        "1 / 0",
        "0 / 0",
        "1 / (2 - 2)",
        pytest.param("(" * 60 + "1" + ")" * 60, id="deep"),
        pytest.param("9" * 501, id="long"),
    ],
)
def test_anything_else_is_no_arithmetic(expression: str) -> None:
    with pytest.raises(NotArithmetic):
        calculate(expression)


@given(st.text(alphabet="0123456789+-*/(). ", max_size=60))
def test_no_text_of_its_letters_does_anything_but_give_a_number_or_say_no(expression: str) -> None:
    try:
        value = calculate(expression)
    except NotArithmetic:
        return
    assert value.is_finite()
