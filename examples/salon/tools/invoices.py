"""The invoices toolbox: for salons that have the module, and people who may bill. Sending is the one thing here that can't be undone."""

from typing import Protocol

from examples.salon import billing
from examples.salon.desk import Desk
from examples.salon.rows import counted, euros
from examples.salon.tools.shapes import REFUSALS, AppointmentId, CustomerId, InvoiceId, InvoiceRead
from handgriff import Call, Change, Plan, Result, Toolbox
from handgriff.tool import Module

invoices = Toolbox("invoices", requires=(Module("invoicing"), "invoices.write"))


class _ForInvoice(Protocol):
    invoice: str


@invoices.tool(effect="read", title="Invoices")
def list_invoices(call: Call[Desk], customer: CustomerId | None = None) -> Result[list[InvoiceRead]]:
    """Use when: it is asked what was billed, or an invoice's id is wanted.
    Not for: what is booked, see list_appointments.
    Needs: for one customer, the id from find_customer.
    Effect: none.
    """
    found = billing.invoices(call.deps.book, customer=customer)
    if not found:
        return Result.none(searched="invoices")
    return Result(f"{counted(len(found), 'invoice')}.", [InvoiceRead.of(row) for row in found])


@invoices.tool(effect="write", errors=REFUSALS, title="Draft invoice")
def create_invoice(appointment: AppointmentId, call: Call[Desk]) -> Result[InvoiceRead]:
    """Use when: an appointment that took place is to be billed.
    Not for: one still to come, and not for mailing it, see send_invoice.
    Needs: appointment from list_appointments.
    Effect: writes a draft; nothing leaves the house.
    """
    made = billing.draft(call.deps.book, appointment, today=call.deps.today)
    return Result(
        f"Drafted {made.id} for {made.customer_name}: {made.text}, {euros(made.cents)}.",
        InvoiceRead.of(made),
        diff=[Change("Invoice", None, f"{made.id}, draft, {euros(made.cents)}")],
        link=f"/invoices/{made.id}",
    )


@invoices.tool(effect="irreversible", errors=REFUSALS, title="Send invoice")
def send_invoice(invoice: InvoiceId, call: Call[Desk]) -> Result[None]:
    """Use when: a drafted invoice is to go to its customer.
    Not for: reminders, or an invoice that was sent.
    Needs: invoice from create_invoice or list_invoices.
    Effect: after a person has confirmed, numbers it and mails it; it can't be called back.
    """
    sent = billing.send(call.deps.book, invoice, today=call.deps.today)
    return Result(
        f"Invoice {sent.number} over {euros(sent.cents)} went to {sent.email}.",
        diff=[Change("State", "draft", "sent"), Change("Number", None, sent.number)],
        link=f"/invoices/{sent.id}",
    )


@send_invoice.plan
def plan_send(invoice: InvoiceId, call: Call[Desk]) -> Plan:
    """Show amount, recipient and number."""
    ready = billing.draft_invoice(call.deps.book, invoice)
    number = billing.next_number(call.deps.book, call.deps.today)
    return Plan(
        f"Mail {ready.id} over {euros(ready.cents)} ({ready.text}) to {ready.email}? It can't be called back.",
        [Change("State", "draft", "sent"), Change("Number", None, number)],
    )


@send_invoice.idempotency_key
def once_per_invoice(args: _ForInvoice, _call: Call[Desk]) -> str:
    """Name the wish by the invoice: wished twice, it is sent once."""
    return args.invoice
