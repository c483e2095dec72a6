"""What the shop's tables hold, as values, and the errors its rules raise. They know no tool and no database."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

RefundState: TypeAlias = Literal["begun", "made", "failed"]


class ShopError(Exception):
    """The shop says no, and nothing was done; the message is safe to show."""


class MissingError(ShopError):
    """The shop has no such thing."""


class ConflictError(ShopError):
    """It was possible, but something is in the way now."""


class RuleError(ShopError):
    """The house does not do that."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a customer bought, and which clerk looks after them. `credited` is the store credit given for it."""

    id: str
    shop: str
    clerk: str
    customer: str
    item: str
    cents: int
    credited: int


@dataclass(frozen=True, slots=True)
class Refund:
    """Money on its way back. Its number is also what the payment provider knows it by."""

    number: str
    payment: str
    cents: int
    state: RefundState


@dataclass(frozen=True, slots=True)
class Payment:
    """What was paid for an order, and every refund of it. `reference` is the provider's name for the payment."""

    id: str
    order: str
    reference: str
    cents: int
    numbers: int
    """How many numbers of refunds have been given out."""
    refunds: tuple[Refund, ...]

    @property
    def refunded(self) -> int:
        """What has gone back, or may have."""
        return sum(refund.cents for refund in self.refunds if refund.state != "failed")

    @property
    def open_refund(self) -> Refund | None:
        """The refund of which nobody knows yet what became of it; there is one at most."""
        return next((refund for refund in self.refunds if refund.state == "begun"), None)

    @property
    def next_number(self) -> str:
        """The number of the refund under way, or the one that the next refund gets."""
        return self.open_refund.number if self.open_refund else f"{self.id}-r{self.numbers + 1}"
