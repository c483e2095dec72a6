"""What the salon's tools share: ids that cannot be guessed, what a model reads of a row, and the book's errors as refusals."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, Field

from examples.salon.rows import Appointment, ConflictError, Customer, Invoice, MissingError, RuleError, euros, moment
from handgriff import Known
from handgriff.errors import RefusalCode

CustomerId = Annotated[str, Known("customer"), Field(description="Customer id, e.g. 'c_101'.")]
ServiceId = Annotated[str, Known("service"), Field(description="Service id, e.g. 's_cut'.")]
SlotId = Annotated[str, Known("slot"), Field(description="Free slot, e.g. '2026-03-06T10:00/mia'.")]
AppointmentId = Annotated[str, Known("appointment"), Field(description="Appointment id, e.g. 'a_501'.")]
InvoiceId = Annotated[str, Known("invoice"), Field(description="Invoice id, e.g. 'i_301'.")]

REFUSALS: Mapping[type[Exception], RefusalCode] = {MissingError: "not_found", ConflictError: "conflict", RuleError: "invalid"}
"""What the book's errors mean to a model, for `errors=` of every tool that may meet one. Their messages are safe to show."""


class CustomerRead(BaseModel):
    """A customer as a model reads it."""

    id: CustomerId
    name: str
    phone: str
    email: str

    @classmethod
    def of(cls, row: Customer) -> "CustomerRead":
        """*row*, read."""
        return cls(id=row.id, name=row.name, phone=row.phone, email=row.email)


class AppointmentRead(BaseModel):
    """An appointment as a model reads it."""

    id: AppointmentId
    customer: CustomerId
    name: str
    service: str
    stylist: str
    starts: str
    minutes: int
    price: str

    @classmethod
    def of(cls, row: Appointment) -> "AppointmentRead":
        """*row*, read."""
        return cls(
            id=row.id,
            customer=row.customer,
            name=row.customer_name,
            service=row.service_name,
            stylist=row.stylist,
            starts=moment(row.starts),
            minutes=row.minutes,
            price=euros(row.cents),
        )


class InvoiceRead(BaseModel):
    """An invoice as a model reads it."""

    id: InvoiceId
    appointment: AppointmentId
    name: str
    text: str
    amount: str
    state: str
    number: str | None

    @classmethod
    def of(cls, row: Invoice) -> "InvoiceRead":
        """*row*, read."""
        return cls(
            id=row.id,
            appointment=row.appointment,
            name=row.customer_name,
            text=row.text,
            amount=euros(row.cents),
            state=row.state,
            number=row.number,
        )
