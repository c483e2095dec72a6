"""The demo's conversation: what Ada says, who agrees and how, how the payment provider fails, and what the scripted model answers.

The model's lines hold ids a real model would have read in earlier results.
"""

from dataclasses import dataclass
from typing import Final, Literal

from handgriff.models.scripted import Say, Step, Use

OWNER: Final = "ada"


@dataclass(frozen=True, slots=True)
class Click:
    """Somebody decides what waits: with the code that was sent, with a wrong one, or without. `refused` is what they are told instead."""

    by: str = OWNER
    approved: bool = True
    code: Literal["sent", "wrong"] | None = None
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """What Ada says, after so many minutes, and the clicks it leads to. `fault` is how the payment provider fails at the next refund."""

    text: str
    clicks: tuple[Click, ...] = ()
    fault: str | None = None
    minutes: int = 0


LINES: Final = (
    Line("Greta Lindqvist waited two weeks for her lamp. Give her 10 euros for next time."),
    Line("And send her 50 euros back.", (Click(),)),
    Line("Omar's floor lamp came broken. He gets 240 euros back.", (Click(code="wrong", refused="denied"), Click(code="sent"))),
    Line(
        "Paula returns her chandelier: 1,500 euros back to her.",
        (Click(refused="denied"), Click("ben", refused="not_found"), Click("cleo")),
    ),
    Line("Jun Sato: one of the shades was cracked, 40 euros back.", (Click(),), fault="during"),
    Line("That can't be. Send it again."),
    Line("So, what became of it?", minutes=1),
    Line("A second shade was cracked too, so the same once more.", (Click(),), fault="before"),
    Line("And now?", (Click(),), minutes=1),
    Line("Lars Holm wants his 35 euros back.", (Click(),)),
    Line("Then 15 euros of credit for Greta again.", (Click(approved=False),)),
)

STEPS: Final[tuple[Step, ...]] = (
    Use("list_orders", {"customer": "Lindqvist"}),
    Use("give_credit", {"order": "o_501", "cents": 1000}),
    Say("She has € 10.00 for her next order. For so little nobody had to be asked."),
    Use("show_payments", {"order": "o_501"}),
    (Say("I'll put that to you."), Use("refund_payment", {"payment": "pay_501", "cents": 5000})),
    Say("€ 50.00 are on their way back to Greta."),
    Use("list_orders", {"customer": "Haddad"}),
    Use("show_payments", {"order": "o_502"}),
    (Say("For that much you need the code that you are being sent."), Use("refund_payment", {"payment": "pay_502", "cents": 24000})),
    Say("Omar gets his € 240.00 back."),
    Use("list_orders", {"customer": "Neumann"}),
    Use("show_payments", {"order": "o_503"}),
    (Say("Somebody else has to agree to that."), Use("refund_payment", {"payment": "pay_503", "cents": 150000})),
    Say("It was agreed to, and € 1,500.00 are on their way back to Paula."),
    Use("list_orders", {"customer": "Sato"}),
    Use("show_payments", {"order": "o_504"}),
    Use("refund_payment", {"payment": "pay_504", "cents": 4000}),
    Say("I can't tell you whether it was made: the provider went away before it answered. Nobody should repeat it; it is being found out."),
    Use("refund_payment", {"payment": "pay_504", "cents": 4000}),
    Say("It can't be, as long as nobody knows about the first."),
    Say("The provider had made it: Jun gets the € 40.00, once."),
    Use("refund_payment", {"payment": "pay_504", "cents": 4000}),
    Say("This time too nobody knows whether it was made."),
    (
        Say("This one never reached the provider, so I'll put it to you again."),
        Use("refund_payment", {"payment": "pay_504", "cents": 4000}),
    ),
    Say("Now it is made: € 80.00 for Jun, in two refunds."),
    Use("list_orders", {"customer": "Holm"}),
    Use("show_payments", {"order": "o_506"}),
    Use("refund_payment", {"payment": "pay_506", "cents": 3500}),
    Say("The provider declined: his account takes no money any more. Nothing was refunded."),
    Use("give_credit", {"order": "o_501", "cents": 1500}),
    Say("All right, then it stays at € 10.00."),
)

ENDS: Final = ("done", *("waiting", "done") * 4, "done", "done", *("waiting", "done") * 4)
"""How each turn ends; one that waits is followed by the one that goes on."""
REFUSED: Final = (
    ("refund_payment", "indeterminate"),
    ("refund_payment", "conflict"),
    ("refund_payment", "indeterminate"),
    ("refund_payment", "conflict"),
    ("give_credit", "declined"),
)
"""Which calls are refused with which code, in order."""
NEWS: Final = (
    "Refund pay_504-r1: € 40.00 are on their way back.",
    "Refund pay_504-r2 over € 40.00 never reached the payment provider. Nothing was refunded.",
)
"""What is found out late, and told with the next message."""
AGREED: Final = ("ada", "ada", "cleo", "ada", "ada", "ada", "ada")
"""Who has agreed to each refund, in order of the clicks."""
REFUNDS: Final = (
    ("pay_501-r1", 5000, "made"),
    ("pay_502-r1", 24000, "made"),
    ("pay_503-r1", 150000, "made"),
    ("pay_504-r1", 4000, "made"),
    ("pay_504-r2", 4000, "failed"),
    ("pay_504-r3", 4000, "made"),
    ("pay_506-r1", 3500, "failed"),
)
"""What is in the shop's book in the end; the provider must have booked what was made, each once, and nothing else."""
CREDIT: Final = (("o_501", 1000, "ada", None),)
"""Order, cents, given by, agreed by."""
