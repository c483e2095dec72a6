"""What the tests of drawings share: an invoice, an order with regions, one of hostile names, and tools bound to them."""

from dataclasses import dataclass

from handgriff import Machine
from handgriff.core.machine.machine import At, Fires
from handgriff.machine import State, Transition


def yes(_context: object, _event: object, _params: object) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Tool:
    """As much of a contract as a picture reads."""

    name: str
    at: tuple[At, ...] = ()
    fires: Fires | None = None
    starts: Machine | None = None


INVOICE = Machine(
    "invoice",
    State("draft", on={"EDIT": "draft", "SUBMIT": "review"}),
    State("review", on={"APPROVE": Transition("approved", guard="is_checked"), "REJECT": "draft"}),
    State("approved", on={"DISCHARGE": "discharged"}),
    State("discharged", type="final"),
    guards={"is_checked": yes},
    instance="handle",
)
INVOICE_TOOLS = (
    Tool("new_invoice", starts=INVOICE),
    Tool("submit", (INVOICE.at("draft"),), INVOICE.event("SUBMIT")),
    Tool("approve", (INVOICE.at("review"),), INVOICE.event("APPROVE")),
    Tool("reject", (), INVOICE.event("REJECT")),
    Tool("discharge", (INVOICE.at("approved"),), INVOICE.event("DISCHARGE")),
    Tool("look", (INVOICE.at("draft", "review"),)),
)

ORDER = Machine(
    "order",
    State("open", on={"CHECKOUT": Transition("running", guard="at_least", params={"items": 1})}),
    State(
        "running",
        State(
            "payment",
            State("asked", on={"PAID": "paid", "GIVE_UP": "#order.cancelled"}),
            State("paid", type="final"),
        ),
        State("delivery", State("packing", on={"PACKED": "packed"}), State("packed", after={86_400_000: "packing"}, type=None)),
        State("back", type="history", history="deep"),
        type="parallel",
        on={"HOLD": "held"},
        on_done="complete",
    ),
    State("held", on={"RESUME": "running.back"}),
    State("complete", type="final"),
    State("cancelled", type="final"),
    guards={"at_least": yes},
)
ORDER_TOOLS = (
    Tool("pay", (ORDER.at("asked"), ORDER.at("packed")), ORDER.event("PAID")),
    Tool("pack", (ORDER.at("packing"), INVOICE.at("approved", "discharged")), ORDER.event("PACKED")),
)

HOSTILE = Machine(
    'ho"st;ile %%{x}',
    State('a"b: c --> [*]', on={'E;V"\n}': "end note", "<b>&amp;": "}{"}),
    State("end note", on={"\x1b[2J\u202e": "}{"}),
    State("}{", State("<script>alert(1)</script>"), on={"B": "constructor"}),
    State("constructor", type="final"),
)
HOSTILE_TOOLS = (Tool("note right of s1 : }<!--", (HOSTILE.at("end note"),)),)
