"""The ids a model may hand over. `Known` says that each was read in this conversation: none is guessed, and none is remembered."""

from typing import Annotated, TypeAlias

from pydantic import Field

from handgriff import Known
from handgriff.tool import Data

UserId: TypeAlias = Annotated[
    str, Known("user"), Data("own record only, see authorize"), Field(description="Shopper id, e.g. 'ada_moss_1201'.")
]
OrderId: TypeAlias = Annotated[str, Known("order"), Field(description="Order id with its number sign, e.g. '#W1000001'.")]
ProductId: TypeAlias = Annotated[
    str, Known("product"), Field(description="Id of a product type, e.g. '2000000001'; item ids are other ids.")
]
ItemId: TypeAlias = Annotated[str, Known("item"), Field(description="Id of one variant of a product, e.g. '3000000001'.")]
PaymentMethodId: TypeAlias = Annotated[str, Known("payment_method"), Field(description="Id of a payment method, e.g. 'gift_card_4000001'.")]

ItemIds: TypeAlias = Annotated[
    list[Annotated[str, Known("item")]],
    Field(min_length=1, max_length=100, description="Item ids of the order, e.g. ['3000000001']; an item bought twice may stand twice."),
]
NewItemIds: TypeAlias = Annotated[
    list[Annotated[str, Known("item")]],
    Field(min_length=1, max_length=100, description="New item ids, e.g. ['3000000002'], each at the position of the item it replaces."),
]
