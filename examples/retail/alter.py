"""From a rule to a change: records are read, the rule is applied, and the result is shown (a plan) or saved (a handler).

Both go through `Alteration`, so what a person agreed to and what is written are made by the same lines.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from examples.retail.database import Database
from examples.retail.diff import order_lines, user_lines
from examples.retail.records import Order, Product, User
from examples.retail.rules import Bought, Forbidden
from handgriff import Change, Refusal


@dataclass(frozen=True, slots=True)
class Alteration:
    """An order and its shopper before and after a change; `lines` is what a person reads of it."""

    before: Bought
    after: Bought
    lines: tuple[Change, ...]

    def save(self, database: Database) -> None:
        """Write what differs."""
        if self.after.order != self.before.order:
            database.put("orders", self.after.order["order_id"], self.after.order)
        if self.after.user != self.before.user:
            database.put("users", self.after.user["user_id"], self.after.user)


def alter(
    database: Database,
    order_id: str,
    rule: Callable[[Order, User], Bought],
    *,
    explain: Callable[[Bought], Iterable[Change]] = lambda _: (),
) -> Alteration:
    """What *rule* makes of an order and its shopper; *explain* adds lines that the two records do not tell.

    Raises:
        Refusal: the rule forbids it.
    """
    before = bought(database, order_id)
    with forbidden_is_refused():
        after = rule(before.order, before.user)
    return Alteration(before, after, (*order_lines(before.order, after.order), *explain(after), *user_lines(before.user, after.user)))


def bought(database: Database, order_id: str) -> Bought:
    """An order and its shopper.

    Raises:
        Refusal: `not_found`; there is none, any more.
    """
    order = database.order(order_id)
    user = None if order is None else database.user(order["user_id"])
    if order is None or user is None:
        raise Refusal("not_found", "There is no such order.", next="Use an order id from get_user_details.")
    return Bought(order, user)


def products_of(database: Database, order: Order) -> dict[str, Product]:
    """The products of an order's items, by id."""
    found = {item["product_id"]: database.product(item["product_id"]) for item in order["items"]}
    return {product_id: product for product_id, product in found.items() if product is not None}


@contextmanager
def forbidden_is_refused() -> Iterator[None]:
    """The shop's no, as the answer a model reads."""
    try:
        yield
    except Forbidden as error:
        raise Refusal("conflict", str(error), next="Tell the shopper why, and offer what is possible instead.") from error
