"""The customers toolbox: find people, enter new ones."""

from typing import Annotated

from pydantic import Field

from examples.salon import book
from examples.salon.desk import Desk
from examples.salon.tools.shapes import REFUSALS, CustomerRead
from handgriff import Call, Change, Result, Toolbox

customers = Toolbox("customers")


@customers.tool(effect="read", title="Find customer")
def find_customer(name: Annotated[str, Field(min_length=2, max_length=80)], call: Call[Desk]) -> Result[list[CustomerRead]]:
    """Use when: somebody is named and their id, phone or e-mail address is wanted.
    Not for: what they have booked, see list_appointments.
    Needs: a part of the name.
    Effect: none.
    """
    found = book.customers_named(call.deps.book, name)
    if not found:
        return Result.none(searched=f"customers whose name holds {name!r}")
    return Result(f"Found {', '.join(row.name for row in found)}.", [CustomerRead.of(row) for row in found])


@customers.tool(effect="write", errors=REFUSALS, title="Add customer")
def add_customer(
    name: Annotated[str, Field(min_length=2, max_length=80)],
    phone: Annotated[str, Field(pattern=r"^\+?[0-9 ]{5,20}$", description="With the country's code, e.g. '+49 30 5550101'.")],
    email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", max_length=120)],
    call: Call[Desk],
) -> Result[CustomerRead]:
    """Use when: a new customer has given name, phone and e-mail address.
    Not for: somebody find_customer finds.
    Needs: all three, as the person gave them.
    Effect: enters the customer.
    """
    added = book.add_customer(call.deps.book, name=name, phone=phone, email=email)
    return Result(
        f"{added.name} is in the book.",
        CustomerRead.of(added),
        diff=[Change("Customer", None, added.name), Change("Phone", None, added.phone), Change("E-mail", None, added.email)],
        link=f"/customers/{added.id}",
    )
