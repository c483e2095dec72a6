"""A calculator for sums of money: decimal numbers, + - * /, brackets, and nothing else that could be evaluated."""

import re
from decimal import Decimal, DecimalException

LONGEST = 500
"""Characters of an expression; it also bounds how deep brackets nest."""
DEEPEST = 50
_PLACES = Decimal("0.0000000001")
_TOKEN = re.compile(r"\s*(?:([0-9]+(?:\.[0-9]*)?|\.[0-9]+)|([-+*/()]))")


class NotArithmetic(ValueError):
    """The expression cannot be calculated; the message says why."""


def calculate(expression: str) -> Decimal:
    """The value of *expression*, exact for sums and products of money, to ten places after a division.

    Raises:
        NotArithmetic: it holds anything but numbers, + - * / and brackets, or divides by zero.
    """
    if len(expression) > LONGEST:
        raise NotArithmetic(f"It is longer than {LONGEST} characters.")
    try:
        value = _Reader(_tokens(expression)).whole()
        rounded = value.quantize(_PLACES) if value.as_tuple().exponent < -10 else value  # type: ignore[operator]  # finite, so an integer
    except DecimalException as error:
        raise NotArithmetic("A number is divided by zero, or grows too large.") from error
    return rounded


def _tokens(expression: str) -> list[str]:
    tokens = []
    at = 0
    text = expression.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise NotArithmetic(f"{text[at:].strip()[:1]!r} is no number, + - * / or bracket.")
        tokens.append(found.group(1) or found.group(2))
        at = found.end()
    return tokens


class _Reader:
    """Reads sums of products of signed atoms, each level by its own method."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def whole(self) -> Decimal:
        value = self._sum()
        if self._at < len(self._tokens):
            raise NotArithmetic(f"{self._tokens[self._at]!r} stands where an operator or the end should.")
        return value

    def _sum(self) -> Decimal:
        value = self._product()
        while (sign := self._take("+", "-")) is not None:
            value = value + self._product() if sign == "+" else value - self._product()
        return value

    def _product(self) -> Decimal:
        value = self._atom()
        while (sign := self._take("*", "/")) is not None:
            value = value * self._atom() if sign == "*" else value / self._atom()
        return value

    def _atom(self) -> Decimal:
        self._depth += 1
        if self._depth > DEEPEST:
            raise NotArithmetic("Its brackets nest too deep.")
        sign = self._take("+", "-")
        if sign is not None:
            value = self._atom() if sign == "+" else -self._atom()
        elif self._take("("):
            value = self._sum()
            if self._take(")") is None:
                raise NotArithmetic("A bracket is never closed.")
        else:
            value = self._number()
        self._depth -= 1
        return value

    def _number(self) -> Decimal:
        if self._at >= len(self._tokens):
            raise NotArithmetic("It ends where a number should stand.")
        token = self._tokens[self._at]
        if not token[0].isdigit() and token[0] != ".":
            raise NotArithmetic(f"{token!r} stands where a number should.")
        self._at += 1
        return Decimal(token)

    def _take(self, *signs: str) -> str | None:
        if self._at < len(self._tokens) and self._tokens[self._at] in signs:
            self._at += 1
            return self._tokens[self._at - 1]
        return None
