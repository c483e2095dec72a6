"""Whether the demo ended as it should: at the depot, in the scratch pad, and in what was shown. It trusts rows and events alone."""

import csv
from collections.abc import Iterator, Mapping, Sequence

from examples.relabeling.depot import Depot
from examples.relabeling.script import ORDERED, Half
from examples.relabeling.sheet import COLUMNS
from handgriff import Caller, Host
from handgriff.core.events import CallOutcome, Event, TurnEnded

NUMBER = "R-00001"
Facts = Mapping[str, tuple[object, object]]
"""What each thing is, and what it should be."""


def complaints_of_events(half: Half, events: Sequence[Event]) -> tuple[str, ...]:
    """What was not shown as it should have been."""
    bodies = [event.body for event in events]
    refused = tuple((body.tool, body.code) for body in bodies if isinstance(body, CallOutcome) and body.code is not None)
    ends = tuple(body.status for body in bodies if isinstance(body, TurnEnded))
    return tuple(_wrong({"how the turns ended": (ends, half.ends), "what was refused": (refused, half.refusals)}))


def complaints_of_depot(depot: Depot) -> tuple[str, ...]:
    """What is not at the depot as the conversation should have left it."""
    orders = [(order.number, str(order.direction), order.codes) for order in depot.orders()]
    path = depot.sheet_of(NUMBER)
    lines = list(csv.reader(path.read_text(encoding="utf-8").splitlines())) if path.exists() else []
    expected = [list(COLUMNS), *([code, "DHL", "DPD"] for code in ORDERED)]
    sheets = sorted(found.name for found in path.parent.iterdir()) if path.parent.exists() else []
    return tuple(
        _wrong(
            {
                "the orders": (orders, [(NUMBER, "DHL->DPD", ORDERED)]),
                "the sheet": (lines, expected),
                "the folder of sheets": (sheets, [path.name]),
            }
        )
    )


async def complaints_of_store(host: Host, caller: Caller) -> tuple[str, ...]:
    """What is left behind in the store and should not be."""
    records = [(record.session, record.namespace) for record in await host.scratch.list(caller.tenant)]
    waiting = [proposal.id for proposal in await host.proposals.list(caller)]
    return tuple(_wrong({"scratch records left": (records, []), "proposals that wait": (waiting, [])}))


def _wrong(facts: Facts) -> Iterator[str]:
    for name, (found, expected) in facts.items():
        if found != expected:
            yield f"{name}: {found!r}, not {expected!r}"
