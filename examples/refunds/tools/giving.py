"""The giving toolbox: for people who may give money back, and whose orders they may do it for."""

from examples.refunds.rows import Order
from handgriff import Caller, Refusal, Toolbox

giving = Toolbox("giving", requires="refunds.make")


def check_row(order: Order, caller: Caller) -> None:
    """Whether *caller* may give something back for *order*: its own clerk may, and whoever may approve.

    An order has one clerk, so of any two people who may do that, one at least may approve: that is what a second person stands on.

    Raises:
        Refusal: `denied`; they may not.
    """
    if caller.user != order.clerk and not caller.can("refunds.approve"):
        raise Refusal("denied", f"{order.id} is looked after by {order.clerk}.", next=f"Ask {order.clerk}, or somebody who may approve.")
