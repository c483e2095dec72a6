"""The demo's conversation: what Tara scans, says and decides, and what the scripted model answers. It is one session in two halves.

Between the halves the process ends. The model's place in its script is the number of answers in the history, so that another process finds
it; what was collected is in the scratch pad, and in no process.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from examples.relabeling.gs1 import FNC1
from handgriff.models.scripted import Say, Step, Use

ORDERED: Final = (
    "00340434161094042557",
    "00340434161094042564",
    "201298452277",
    "RR473124829GB",
    "00340434161094042571",
    "00340434161094042588",
    "00340434161094042595",
    "00340434161094042601",
)
"""What the one order must hold in the end: each code once, in the order they came."""

_IN_MATRIX: Final = f"]d200340434161094042564{FNC1}42012345"
"""A GS1 DataMatrix as a scanner sends it: an SSCC, FNC1, and the post code it goes to."""


@dataclass(frozen=True, slots=True)
class Line:
    """What a person sends, and how they decide each proposal it leads to."""

    text: str
    decisions: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Half:
    """What is said in one process, and what must come of it."""

    lines: Sequence[Line]
    ends: tuple[str, ...]
    """How each turn ends; one that waits is followed by the one that goes on."""
    refusals: tuple[tuple[str, str], ...]
    """Which tool is refused with which code."""


BEFORE: Final = Half(
    lines=(
        Line(f"]C100340434161094042557\n{_IN_MATRIX}"),
        Line("All of these go from DHL to DPD."),
        Line("2012 9845 2277, 201298452278, rr473124829gb, and once more ]C100340434161094042557"),
        Line("]C100340434161094042571 ]C100340434161094042588 ]C100340434161094042595 ]C100340434161094042601"),
        Line("The last one was a mistake, take it back."),
        Line("1Z 999 AA1 01 2345 6784"),
    ),
    ends=("done",) * 6,
    refusals=(),
)
AFTER: Final = Half(
    lines=(
        Line("I'm back. What have we got?"),
        Line("Wasn't it from DPD to UPS?"),
        Line("Then submit them.", (False,)),
        Line("Wait, there is one more: ]C100340434161094042601"),
        Line("Now submit them.", (True,)),
        Line("Submit them again, to be on the safe side."),
        Line("This one is still lying here: 00340434161094042557"),
        Line("And 21.802 580.906 6 is another carrier's, I think."),
        Line("No, forget that one."),
    ),
    ends=("done", "done", "waiting", "done", "done", "waiting", "done", "done", "done", "done", "done"),
    refusals=(("choose_direction", "conflict"), ("submit_relabeling", "declined"), ("submit_relabeling", "conflict")),
)

STEPS: Final[tuple[Step, ...]] = (
    Use("collect_codes", {"codes": ["]C100340434161094042557", _IN_MATRIX]}),
    Say("I have both. From which carrier to which do they go?"),
    Use("choose_direction", {"direction": "DHL->DPD"}),
    Say("From DHL to DPD, then. Scan on."),
    Use("collect_codes", {"codes": ["2012 9845 2277", "201298452278", "rr473124829gb", "]C100340434161094042557"]}),
    Say("Two are new. The first one I had before, and 201298452278 has a wrong check digit: please scan it again."),
    tuple(Use("collect_codes", {"codes": [f"]C1{code}"]}) for code in ORDERED[4:]),
    Say("Four more; that makes eight."),
    Use("undo_last"),
    Say("It is out again; seven are left."),
    Use("collect_codes", {"codes": ["1Z 999 AA1 01 2345 6784"]}),
    Say("That one is from UPS and we relabel from DHL, so I did not take it."),
    Use("show_collected"),
    Say("Seven parcels from DHL to DPD, just as you left them."),
    Use("choose_direction", {"direction": "DPD->UPS"}),
    Say("No: all seven bear DHL's codes. The direction stays DHL to DPD."),
    Use("submit_relabeling"),
    Say("All right, nothing was handed over."),
    Use("collect_codes", {"codes": ["]C100340434161094042601"]}),
    Say("That makes eight."),
    Use("submit_relabeling"),
    Say("The depot has them. The notebook is empty again."),
    Use("submit_relabeling"),
    Say("That isn't needed: nothing was collected since. What you had is in the order."),
    Use("collect_codes", {"codes": ["00340434161094042557"]}),
    Say("Its new label is in the order already, so I did not take it again."),
    Use("collect_codes", {"codes": ["21.802 580.906 6"]}),
    Say("It is a valid Identcode of DHL's; I have it."),
    Use("clear_codes"),
    Say("Forgotten."),
)
