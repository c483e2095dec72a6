"""The salon's tools, in three toolboxes. They say what a model may ask for; the rules are the book's own."""

from examples.salon.tools.calendar import calendar
from examples.salon.tools.customers import customers
from examples.salon.tools.invoices import invoices

TOOLBOXES = (calendar, customers, invoices)

__all__ = ["TOOLBOXES", "calendar", "customers", "invoices"]
