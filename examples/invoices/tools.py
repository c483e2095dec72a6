"""What may be done with an invoice. Each tool says in which states it may be called and where a success leads; no handler asks for it."""

from typing import Annotated

from pydantic import BaseModel, Field

from examples.invoices.ledger import Invoice, Ledger, euros
from examples.invoices.workflow import invoice as workflow
from handgriff import Call, Change, Plan, Result, Toolbox

invoices = Toolbox("invoices")
Cents = Annotated[int, Field(gt=0, le=100_000_00, description="The amount in cents.")]


class Shown(BaseModel):
    """An invoice as the model reads it."""

    supplier: str
    cents: int
    note: str


@invoices.tool(effect="write", starts=workflow, requires="invoices.write")
async def create_invoice(
    supplier: Annotated[str, Field(min_length=1, max_length=80)], cents: Cents, invoice: str, call: Call[Ledger]
) -> Result[None]:
    """Use when: a new invoice has come in.
    Not for: changing one that is there, see correct_invoice.
    Needs: nothing.
    Effect: writes a draft and answers its handle, good for 90 days after its last step.
    """
    call.deps.add(invoice, supplier, cents)
    return Result(f"A draft over {euros(cents)} for {supplier}.")


@invoices.tool(effect="read", at=[workflow.at("draft", "review", "approved", "discharged")])
async def show_invoice(invoice: str, call: Call[Ledger]) -> Result[Shown]:
    """Use when: somebody asks about an invoice.
    Not for: a list of them.
    Needs: the invoice's handle.
    Effect: none.
    """
    row = call.deps.get(invoice)
    return Result(f"{row.supplier}: {euros(row.cents)}.", Shown(supplier=row.supplier, cents=row.cents, note=row.note))


@invoices.tool(effect="write", at=workflow.at("draft"), requires="invoices.write")
async def correct_invoice(invoice: str, cents: Cents, call: Call[Ledger]) -> Result[None]:
    """Use when: a draft has the wrong amount.
    Not for: an invoice that is being reviewed; have it rejected first.
    Needs: the invoice's handle.
    Effect: changes the amount.
    """
    before = call.deps.get(invoice)
    call.deps.correct(invoice, cents)
    return Result(f"Now {euros(cents)}.", diff=[Change("Amount", euros(before.cents), euros(cents))])


@invoices.tool(effect="write", at=workflow.at("draft"), fires="SUBMIT", requires="invoices.write")
async def submit_invoice(invoice: str, call: Call[Ledger]) -> Result[None]:
    """Use when: a draft is ready to be reviewed.
    Not for: invoices that are submitted already.
    Needs: the invoice's handle.
    Effect: gives it to the reviewers.
    """
    return Result(f"{_named(call.deps.get(invoice))} is with the reviewers.")


@invoices.tool(effect="write", at=workflow.at("review"), fires="APPROVE", requires="invoices.review")
async def approve_invoice(invoice: str, call: Call[Ledger]) -> Result[None]:
    """Use when: the reviewer has read the invoice and agrees.
    Not for: paying it.
    Needs: the invoice's handle.
    Effect: it may be paid from then on.
    """
    return Result(f"{_named(call.deps.get(invoice))} is approved.")


@invoices.tool(effect="write", at=workflow.at("review", "approved"), fires="REJECT", requires="invoices.review")
async def reject_invoice(invoice: str, why: Annotated[str, Field(min_length=1, max_length=200)], call: Call[Ledger]) -> Result[None]:
    """Use when: the reviewer does not agree.
    Not for: invoices that are paid.
    Needs: the invoice's handle and a reason.
    Effect: gives it back to be corrected.
    """
    call.deps.note(invoice, why)
    return Result(f"{_named(call.deps.get(invoice))} goes back: {why}")


@invoices.tool(effect="irreversible", at=workflow.tagged("payable"), fires="DISCHARGE", requires="invoices.pay")
async def discharge_invoice(invoice: str, call: Call[Ledger]) -> Result[None]:
    """Use when: an approved invoice is to be paid.
    Not for: invoices that nobody has approved.
    Needs: the invoice's handle.
    Effect: pays it. A person confirms first.
    """
    return Result(f"{_named(call.deps.pay(invoice))} is paid.")


@discharge_invoice.plan
async def plan_discharge(invoice: str, call: Call[Ledger]) -> Plan:
    """Show what will be paid."""
    row = call.deps.get(invoice)
    return Plan(f"Pay {row.supplier} {euros(row.cents)}?", [Change("Paid", euros(0), euros(row.cents), raw=(row.paid, row.cents))])


def _named(row: Invoice) -> str:
    return f"The invoice of {row.supplier} over {euros(row.cents)}"
