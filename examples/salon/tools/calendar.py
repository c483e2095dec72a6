"""The calendar toolbox: prices, free slots and appointments."""

from datetime import date
from typing import Annotated, Protocol

from pydantic import BaseModel, Field

from examples.salon import book
from examples.salon.desk import Desk
from examples.salon.hours import opening
from examples.salon.rows import Service, Slot, counted, euros, moment
from examples.salon.tools.shapes import REFUSALS, AppointmentId, AppointmentRead, CustomerId, ServiceId, SlotId
from handgriff import Call, Change, Plan, Refusal, Result, Toolbox

MOST = 50
"""Appointments of one answer; a salon's busy fortnight."""

calendar = Toolbox("calendar")


class ServiceRead(BaseModel):
    """A service as a model reads it."""

    id: ServiceId
    name: str
    minutes: int
    price: str

    @classmethod
    def of(cls, row: Service) -> "ServiceRead":
        """*row*, read."""
        return cls(id=row.id, name=row.name, minutes=row.minutes, price=euros(row.cents))


class SlotRead(BaseModel):
    """A free slot as a model reads it."""

    id: SlotId
    stylist: str
    starts: str


class _ForAppointment(Protocol):
    appointment: str


@calendar.tool(effect="read", title="Price list", core=True)
def list_services(call: Call[Desk]) -> Result[list[ServiceRead]]:
    """Use when: prices, durations or a service's id are wanted.
    Not for: when there is time, see free_slots.
    Needs: nothing.
    Effect: none.
    """
    found = book.services(call.deps.book)
    return Result(f"{counted(len(found), 'service')}.", [ServiceRead.of(row) for row in found])


@calendar.tool(effect="read", errors=REFUSALS, title="Free slots")
def free_slots(
    service: ServiceId,
    day: date,
    call: Call[Desk],
    stylist: Annotated[str | None, Field(description="Only this one: 'ada', 'ben' or 'mia'.")] = None,
) -> Result[list[SlotRead]]:
    """Use when: somebody asks when there is room on a day, and before booking or moving.
    Not for: what is booked already, see list_appointments.
    Needs: service from list_services.
    Effect: none.
    """
    wanted = book.service(call.deps.book, service)
    if opening(day) is None:
        return Result(f"The salon is closed on {day:%A}s.")
    slots = book.free_slots(call.deps.book, minutes=wanted.minutes, day=day, today=call.deps.today)
    fitting = [slot for slot in slots if stylist in {None, slot.stylist}]
    if not fitting:
        return Result.none(searched=f"{wanted.minutes} free minutes on {day:%A} {day}")
    return Result(
        f"{counted(len(fitting), 'free slot')} for {wanted.name} on {day:%A} {day}.",
        [SlotRead(id=slot.id, stylist=slot.stylist, starts=f"{slot.starts:%H:%M}") for slot in fitting],
    )


@calendar.tool(effect="read", title="Appointments")
def list_appointments(first: date, last: date, call: Call[Desk], customer: CustomerId | None = None) -> Result[list[AppointmentRead]]:
    """Use when: it is asked who comes when, or what one customer has booked or had done.
    Not for: free time, see free_slots.
    Needs: the first and the last day; for one customer, the id from find_customer.
    Effect: none.
    """
    found = book.appointments(call.deps.book, first=first, last=last, customer=customer)
    if not found:
        return Result.none(searched=f"appointments from {first} to {last}")
    if len(found) > MOST:
        raise Refusal("too_large", f"{len(found)} appointments, {MOST} at most.", total=len(found), narrow_by=["first", "last", "customer"])
    return Result(f"{counted(len(found), 'appointment')} from {first} to {last}.", [AppointmentRead.of(row) for row in found])


@calendar.tool(effect="write", errors=REFUSALS, title="Book")
def book_appointment(customer: CustomerId, service: ServiceId, slot: SlotId, call: Call[Desk]) -> Result[AppointmentRead]:
    """Use when: a customer wants this service in this slot.
    Not for: changing a booked one, see move_appointment.
    Needs: customer from find_customer, service from list_services, slot from free_slots for that service.
    Effect: books it at today's price.
    """
    made = book.book_slot(call.deps.book, Slot.parse(slot), customer=customer, service_id=service, today=call.deps.today)
    return Result(
        f"{made.service_name} with {made.stylist.title()} is booked for {made.customer_name}: {moment(made.starts)}.",
        AppointmentRead.of(made),
        diff=[Change(f"{made.stylist.title()}, {moment(made.starts)}", "free", f"{made.customer_name}: {made.service_name}")],
        link=f"/calendar/{made.starts:%Y-%m-%d}",
    )


@calendar.tool(effect="write", errors=REFUSALS, title="Move")
def move_appointment(appointment: AppointmentId, slot: SlotId, call: Call[Desk]) -> Result[AppointmentRead]:
    """Use when: a booked appointment gets another time or another stylist.
    Not for: another service; cancel and book for that.
    Needs: appointment from list_appointments, slot from free_slots for its service.
    Effect: moves it; the price stays. Stylists move their own.
    """
    before = book.appointment(call.deps.book, appointment)
    after = book.move(call.deps.book, appointment, Slot.parse(slot), today=call.deps.today)
    pairs = {"When": (moment(before.starts), moment(after.starts)), "Stylist": (before.stylist.title(), after.stylist.title())}
    return Result(
        f"{after.customer_name}'s {after.service_name} is now {moment(after.starts)} with {after.stylist.title()}.",
        AppointmentRead.of(after),
        diff=[Change(label, old, new) for label, (old, new) in pairs.items() if old != new],
        link=f"/calendar/{after.starts:%Y-%m-%d}",
    )


@calendar.tool(effect="write", errors=REFUSALS, title="Cancel")
def cancel_appointment(appointment: AppointmentId, call: Call[Desk]) -> Result[None]:
    """Use when: one booked appointment is called off.
    Not for: another time, see move_appointment.
    Needs: appointment from list_appointments.
    Effect: cancels it after a person has confirmed; the slot is free for others at once. Stylists cancel their own.
    """
    gone = book.cancel(call.deps.book, appointment, today=call.deps.today)
    return Result(
        f"{gone.customer_name}'s {gone.service_name} on {moment(gone.starts)} is cancelled.", diff=[Change("State", "booked", "cancelled")]
    )


@cancel_appointment.plan
def plan_cancel(appointment: AppointmentId, call: Call[Desk]) -> Plan:
    """Show what would be free again. Somebody who moves it meanwhile makes the plan stale."""
    found = book.open_appointment(call.deps.book, appointment, today=call.deps.today)
    return Plan(
        f"Cancel {found.customer_name}'s {found.service_name} with {found.stylist.title()} on {moment(found.starts)}?",
        [Change("State", "booked", "cancelled")],
        version=Slot(found.stylist, found.starts).id,
    )


@move_appointment.authorize
@cancel_appointment.authorize
def is_own(args: _ForAppointment, call: Call[Desk]) -> bool:
    """Whether the appointment is the caller's own, or the whole calendar is theirs to change."""
    if call.caller.can("calendar.all"):
        return True
    found = book.appointment(call.deps.book, args.appointment)
    if found.stylist != call.caller.user:
        raise Refusal("denied", f"It is {found.stylist.title()}'s appointment.", next=f"Ask {found.stylist.title()} or the owner.")
    return True


@calendar.tool(effect="write", requires="prices.write", errors=REFUSALS, title="Set price")
def set_service_price(
    service: ServiceId, cents: Annotated[int, Field(description="In cents: 9500 for € 95.")], call: Call[Desk]
) -> Result[ServiceRead]:
    """Use when: a service gets another price from now on.
    Not for: the price of something booked already; that was agreed.
    Needs: service from list_services.
    Effect: changes the price list after a person has confirmed.
    """
    # The price the person saw; a change in between makes this write nothing.
    before = book.service(call.deps.book, service).cents if call.proposal is None else call.proposal.before["Price"]
    after = book.set_price(call.deps.book, service, before=before, cents=cents)
    return Result(f"{after.name} now costs {euros(after.cents)}.", ServiceRead.of(after), diff=[_price(before, cents)], link="/prices")


@set_service_price.plan
def plan_price(service: ServiceId, cents: int, call: Call[Desk]) -> Plan:
    """Show both prices."""
    current = book.service(call.deps.book, service)
    book.check_price(current, cents)
    return Plan(f"Change the price of {current.name}?", [_price(current.cents, cents)])


def _price(before: int, after: int) -> Change:
    return Change("Price", euros(before), euros(after), raw=(before, after))
