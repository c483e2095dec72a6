"""What the shop's tools share: ids that cannot be guessed, amounts, what a model reads of a row, and the shop's errors as refusals."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, Field

from examples.refunds.money import euros
from examples.refunds.payments import DeclinedError, UnreachableError
from examples.refunds.rows import ConflictError, MissingError, Order, Payment, RuleError
from handgriff import Known
from handgriff.errors import RefusalCode

OrderId = Annotated[str, Known("order"), Field(description="Order id, e.g. 'o_501'.")]
PaymentId = Annotated[str, Known("payment"), Field(description="Payment id, e.g. 'pay_501'.")]
Cents = Annotated[int, Field(ge=1, le=100_000_00, description="Whole cents: 1250 is € 12.50.")]

REFUSALS: Mapping[type[Exception], RefusalCode] = {
    MissingError: "not_found",
    ConflictError: "conflict",
    RuleError: "invalid",
    DeclinedError: "conflict",
    UnreachableError: "transient",
}
"""What these errors mean to a model. Each says that nothing was done; what leaves a handler besides them says that nobody knows."""


class OrderRead(BaseModel):
    """An order as a model reads it."""

    id: OrderId
    customer: str
    item: str
    total: str
    credited: str
    clerk: str

    @classmethod
    def of(cls, row: Order) -> "OrderRead":
        """*row*, read."""
        return cls(id=row.id, customer=row.customer, item=row.item, total=euros(row.cents), credited=euros(row.credited), clerk=row.clerk)


class RefundRead(BaseModel):
    """A refund as a model reads it."""

    number: str
    amount: str
    state: str


class PaymentRead(BaseModel):
    """A payment as a model reads it."""

    id: PaymentId
    paid: str
    refunded: str
    refunds: list[RefundRead]

    @classmethod
    def of(cls, row: Payment) -> "PaymentRead":
        """*row*, read."""
        words = {"begun": "nobody knows yet", "made": "made", "failed": "not made"}
        refunds = [RefundRead(number=each.number, amount=euros(each.cents), state=words[each.state]) for each in row.refunds]
        return cls(id=row.id, paid=euros(row.cents), refunded=euros(row.refunded), refunds=refunds)
