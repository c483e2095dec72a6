"""The shop's tools, in two toolboxes: looking, and giving back. They say what a model may ask for; the rules are the shop's own."""

from examples.refunds.tools.credit import give_credit
from examples.refunds.tools.giving import giving
from examples.refunds.tools.looking import looking
from examples.refunds.tools.refunds import refund_payment

TOOLBOXES = (looking, giving)

__all__ = ["TOOLBOXES", "give_credit", "giving", "looking", "refund_payment"]
