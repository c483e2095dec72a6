"""What a conversation can know of a shop: its records as they are found, and the ids that each read makes known. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from examples.retail.records import Key, Order, Product, Record, User

Seen: TypeAlias = tuple[str, str]
"""A kind and a value."""


class Shop:
    """The records of a shop, and what is found in them."""

    def __init__(self, records: Mapping[Key, Record]) -> None:
        self._records: Mapping[Key, Any] = records
        self._product_of = {item: key for (table, key), record in records.items() if table == "products" for item in record["variants"]}
        self._users: list[Any] = [record for (table, _), record in records.items() if table == "users"]

    def order(self, order_id: object) -> Order | None:
        """The order of this id."""
        found: Order | None = self._records.get(("orders", order_id)) if isinstance(order_id, str) else None
        return found

    def user(self, user_id: object) -> User | None:
        """The shopper of this id."""
        found: User | None = self._records.get(("users", user_id)) if isinstance(user_id, str) else None
        return found

    def product(self, product_id: object) -> Product | None:
        """The product of this id."""
        found: Product | None = self._records.get(("products", product_id)) if isinstance(product_id, str) else None
        return found

    def orders(self) -> Iterator[Order]:
        """All orders."""
        yield from (record for (table, _), record in self._records.items() if table == "orders")

    def user_ids(self) -> Iterator[str]:
        """The ids of all shoppers."""
        yield from (key for table, key in self._records if table == "users")

    def product_ids(self) -> Iterator[str]:
        """The ids of all products."""
        yield from (key for table, key in self._records if table == "products")

    def product_of(self, item_id: str) -> str | None:
        """The id of the product that has this variant."""
        return self._product_of.get(item_id)

    def owner(self, arguments: Mapping[str, Any]) -> str | None:
        """Whose record the call names."""
        order, user = self.order(arguments.get("order_id")), self.user(arguments.get("user_id"))
        return order["user_id"] if order is not None else user["user_id"] if user is not None else None

    def found_by(self, arguments: Mapping[str, Any]) -> str | None:
        """Whom an identifying call finds: one shopper, or nobody."""
        wanted = {name: value.strip().casefold() for name, value in arguments.items() if isinstance(value, str)}
        found = [user["user_id"] for user in self._users if wanted and wanted.items() <= _identity(user).items()]
        return found[0] if len(found) == 1 else None

    def identification(self, user_id: str) -> tuple[str, Mapping[str, Any]] | None:
        """How to identify this shopper: by e-mail address, or by name where two share the address."""
        user = self.user(user_id)
        if user is None:
            return None
        by_email = {"email": user["email"]}
        if self.found_by(by_email) == user_id:
            return "find_user_id_by_email", by_email
        return "find_user_id_by_name_zip", {**user["name"], "zip": user["address"]["zip"]}


def introduced(shop: Shop, tool: str, arguments: Mapping[str, Any]) -> Iterator[Seen]:
    """What a successful read makes known."""
    match tool:
        case "find_user_id_by_email" | "find_user_id_by_name_zip":
            yield from (("user", user_id) for user_id in [shop.found_by(arguments)] if user_id)
        case "get_user_details":
            yield from _of_user(shop.user(arguments.get("user_id")))
        case "get_order_details":
            yield from _of_order(shop.order(arguments.get("order_id")))
        case "get_product_details":
            yield from _of_product(shop.product(arguments.get("product_id")))
        case "list_all_product_types":
            yield from (("product", product_id) for product_id in shop.product_ids())
        case _:
            return


def _identity(user: User) -> dict[str, str]:
    return {
        "email": user["email"].casefold(),
        "first_name": user["name"]["first_name"].casefold(),
        "last_name": user["name"]["last_name"].casefold(),
        "zip": user["address"]["zip"].casefold(),
    }


def _of_user(user: User | None) -> Iterator[Seen]:
    if user is not None:
        yield "user", user["user_id"]
        yield from (("order", order_id) for order_id in user["orders"])
        yield from (("payment_method", method_id) for method_id in user["payment_methods"])


def _of_order(order: Order | None) -> Iterator[Seen]:
    if order is not None:
        yield "order", order["order_id"]
        yield from (("payment_method", entry["payment_method_id"]) for entry in order["payment_history"])
        for item in order["items"]:
            yield from (("item", item["item_id"]), ("product", item["product_id"]))


def _of_product(product: Product | None) -> Iterator[Seen]:
    if product is not None:
        yield "product", product["product_id"]
        yield from (("item", item_id) for item_id in product["variants"])
