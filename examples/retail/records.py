"""The shop's records as they are kept: JSON objects, typed. Amounts are decimals, ids are text.

A record may hold more than is named here; whoever changes one keeps the rest.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

CENT = Decimal("0.01")

Table: TypeAlias = Literal["products", "users", "orders"]
TABLES: tuple[Table, ...] = ("products", "users", "orders")
Record: TypeAlias = Mapping[str, Any]
"""Any record, where only its place matters."""
Key: TypeAlias = tuple[Table, str]
"""Where a record stands."""


class Address(TypedDict):
    """Where a parcel goes."""

    address1: str
    address2: str
    city: str
    state: str
    country: str
    zip: str


class Name(TypedDict):
    """A shopper's name."""

    first_name: str
    last_name: str


class PaymentMethod(TypedDict):
    """A card, an account or a gift card; only the last has a balance."""

    source: str
    id: str
    brand: NotRequired[str]
    last_four: NotRequired[str]
    balance: NotRequired[Decimal]


class User(TypedDict):
    """A shopper."""

    user_id: str
    name: Name
    address: Address
    email: str
    payment_methods: dict[str, PaymentMethod]
    orders: list[str]


class Variant(TypedDict):
    """What is sold: one item of a product, with its options and price."""

    item_id: str
    options: dict[str, str]
    available: bool
    price: Decimal


class Product(TypedDict):
    """A product type and its variants by item id."""

    name: str
    product_id: str
    variants: dict[str, Variant]


class Item(TypedDict):
    """An item of an order, at the price it was bought for."""

    name: str
    product_id: str
    item_id: str
    price: Decimal
    options: dict[str, str]


class Payment(TypedDict):
    """Money that went one way or the other."""

    transaction_type: Literal["payment", "refund"]
    amount: Decimal
    payment_method_id: str


class Fulfillment(TypedDict):
    """A parcel."""

    tracking_id: list[str]
    item_ids: list[str]


Status: TypeAlias = Literal[
    "pending", "pending (item modified)", "processed", "delivered", "cancelled", "exchange requested", "return requested"
]


class Order(TypedDict):
    """An order. What a change adds is absent until then."""

    order_id: str
    user_id: str
    address: Address
    items: list[Item]
    status: Status
    fulfillments: list[Fulfillment]
    payment_history: list[Payment]
    cancel_reason: NotRequired[str]
    return_items: NotRequired[list[str]]
    return_payment_method_id: NotRequired[str]
    exchange_items: NotRequired[list[str]]
    exchange_new_items: NotRequired[list[str]]
    exchange_payment_method_id: NotRequired[str]
    exchange_price_difference: NotRequired[Decimal]


def cents(amount: Decimal | int) -> Decimal:
    """*amount* to the cent."""
    return Decimal(amount).quantize(CENT)
