"""Tools about what is sold, and the calculator: anybody may use them, and nothing changes."""

from typing import Annotated

from pydantic import Field

from examples.retail.arithmetic import LONGEST, NotArithmetic
from examples.retail.arithmetic import calculate as value_of
from examples.retail.database import Database
from examples.retail.ids import ItemId, ProductId
from examples.retail.views import ItemOfProduct, ProductType, ProductView, item_view, product_view
from handgriff import Call, Refusal, Result, Toolbox

catalogue = Toolbox("catalogue")

Expression = Annotated[
    str, Field(min_length=1, max_length=LONGEST, description="Numbers, + - * / and brackets, e.g. '(12.50 + 3) * 2'; nothing else.")
]


@catalogue.tool(effect="read", title="All product types", core=True)
async def list_all_product_types(call: Call[Database]) -> Result[list[ProductType]]:
    """Use when: the shopper asks what the shop sells, or a product id is missing. Not for: variants, prices and stock of one product.
    Needs: nothing. Effect: none.
    """
    found = sorted(call.deps.products(), key=lambda product: (product["name"], product["product_id"]))
    types = [ProductType(name=product["name"], product_id=product["product_id"]) for product in found]
    return Result(f"The shop sells {len(types)} product types.", types)


@catalogue.tool(effect="read", title="Product details")
async def get_product_details(product_id: ProductId, call: Call[Database]) -> Result[ProductView]:
    """Use when: all variants of one product are wanted, with options, prices and stock. Not for: a single item whose id is known.
    Needs: product_id from list_all_product_types or get_order_details. Effect: none.
    """
    found = call.deps.product(product_id)
    if found is None:
        raise Refusal(
            "not_found", "There is no such product.", next="Use a product id from list_all_product_types; item ids are other ids."
        )
    stock = sum(variant["available"] for variant in found["variants"].values())
    return Result(f"{found['name']}: {len(found['variants'])} variants, {stock} available.", product_view(found))


@catalogue.tool(effect="read", title="Item details")
async def get_item_details(item_id: ItemId, call: Call[Database]) -> Result[ItemOfProduct]:
    """Use when: options, price and stock of a single item are wanted. Not for: comparing the variants of a product.
    Needs: item_id from get_order_details or get_product_details. Effect: none.
    """
    product = call.deps.product_of_item(item_id)
    if product is None:
        raise Refusal("not_found", "There is no such item.", next="Use an item id from get_product_details or get_order_details.")
    return Result(f"One item of {product['name']}.", item_view(product, item_id))


@catalogue.tool(effect="read", title="Calculator")
async def calculate(expression: Expression) -> Result[str]:
    """Use when: amounts are added, subtracted, multiplied or divided, so that no sum is made up. Not for: anything but arithmetic.
    Needs: the numbers. Effect: none.
    """
    try:
        value = value_of(expression)
    except NotArithmetic as error:
        raise Refusal("invalid", str(error), next="Write numbers, + - * / and brackets only.") from error
    return Result(f"The result is {value:f}.", f"{value:f}")
