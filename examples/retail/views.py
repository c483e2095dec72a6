"""What a model reads of the shop's records. A field marked as an id introduces it: from then on it may be used in this conversation."""

from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from examples.retail.records import Order, PaymentMethod, Product, User, Variant, cents
from handgriff import Known

UserRef = Annotated[str, Known("user")]
OrderRef = Annotated[str, Known("order")]
ProductRef = Annotated[str, Known("product")]
ItemRef = Annotated[str, Known("item")]
PaymentMethodRef = Annotated[str, Known("payment_method")]
Money = Annotated[Decimal, AfterValidator(cents)]


class NameView(BaseModel):
    """A shopper's name."""

    first_name: str
    last_name: str


class AddressView(BaseModel):
    """Where a parcel goes."""

    address1: str
    address2: str
    city: str
    state: str
    country: str
    zip: str


class PaymentMethodView(BaseModel):
    """A way to pay."""

    id: PaymentMethodRef
    source: str
    brand: str | None = None
    last_four: str | None = None
    balance: Money | None = None


class UserView(BaseModel):
    """A shopper, their ways to pay and their orders."""

    user_id: UserRef
    name: NameView
    email: str
    address: AddressView
    payment_methods: list[PaymentMethodView]
    orders: list[OrderRef]


class Shopper(BaseModel):
    """Whom a conversation is about."""

    user_id: UserRef


class ItemView(BaseModel):
    """An item of an order."""

    name: str
    product_id: ProductRef
    item_id: ItemRef
    price: Money
    options: dict[str, str]


class PaymentView(BaseModel):
    """Money that was paid or refunded."""

    transaction_type: str
    amount: Money
    payment_method_id: PaymentMethodRef


class FulfillmentView(BaseModel):
    """A parcel that was sent."""

    tracking_id: list[str]
    item_ids: list[str]


class OrderView(BaseModel):
    """An order."""

    order_id: OrderRef
    status: str
    address: AddressView
    items: list[ItemView]
    payment_history: list[PaymentView]
    fulfillments: list[FulfillmentView] = Field(default_factory=list)
    cancel_reason: str | None = None
    return_items: list[str] | None = None
    return_payment_method_id: str | None = None
    exchange_items: list[str] | None = None
    exchange_new_items: list[str] | None = None
    exchange_payment_method_id: str | None = None
    exchange_price_difference: Money | None = None


class VariantView(BaseModel):
    """One variant of a product."""

    item_id: ItemRef
    options: dict[str, str]
    available: bool
    price: Money


class ProductView(BaseModel):
    """A product and its variants."""

    name: str
    product_id: ProductRef
    variants: list[VariantView]


class ItemOfProduct(VariantView):
    """One variant, and the product it belongs to."""

    name: str
    product_id: ProductRef


class ProductType(BaseModel):
    """A product by name."""

    name: str
    product_id: ProductRef


def user_view(user: User) -> UserView:
    """A shopper's record, ways to pay as a list."""
    return UserView.model_validate({**user, "payment_methods": list[PaymentMethod](user["payment_methods"].values())})


def order_view(order: Order) -> OrderView:
    """An order's record without its owner, who is known."""
    return OrderView.model_validate(order)


def product_view(product: Product) -> ProductView:
    """A product's record, variants as a list."""
    return ProductView.model_validate({**product, "variants": list[Variant](product["variants"].values())})


def item_view(product: Product, item_id: str) -> ItemOfProduct:
    """One variant of *product*."""
    return ItemOfProduct.model_validate({**product["variants"][item_id], "name": product["name"], "product_id": product["product_id"]})
