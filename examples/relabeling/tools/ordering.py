"""The ordering toolbox: from which carrier to which, and the one step that leaves the conversation and can't be taken back."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Final

import anyio.to_thread
from pydantic import Field

from examples.relabeling.depot import Depot, OrderedError, Wish
from examples.relabeling.desk import depot_of
from examples.relabeling.directions import Direction, DirectionError
from examples.relabeling.notebook import CODES, DIRECTION, NAMESPACE, Collected, collected
from examples.relabeling.tools.shapes import NAMED, OrderRead, owners
from examples.relabeling.words import counted, listed
from handgriff import Call, Change, Plan, Refusal, Result, Toolbox
from handgriff.core import jsontext

SAMPLE: Final = 10

ordering = Toolbox("ordering")


@dataclass(frozen=True, slots=True)
class _Ready:
    """What would be submitted: `held` is all that is collected, `codes` what no order holds yet."""

    held: Collected
    direction: Direction
    codes: tuple[str, ...]
    left_out: str
    """A sentence about what is in an order already, or nothing."""

    @property
    def version(self) -> str:
        """A text that is equal for equal contents: what a person has confirmed."""
        return jsontext.digest(jsontext.dumps([str(self.direction), self.held.texts, list(self.codes)]))


@ordering.tool(effect="read", writes="state", errors={DirectionError: "invalid"}, title="Direction")
async def choose_direction(
    direction: Annotated[str, Field(max_length=40, description="From and to, e.g. 'DHL->DPD'. Carriers: DHL, DPD, POST, UPS.")],
    call: Call[Depot | None],
) -> Result[None]:
    """Use when: the user says from which carrier to which the parcels are relabeled, or changes their mind about it.
    Not for: codes, see collect_codes.
    Needs: both carriers.
    Effect: notes the direction in this conversation. Codes collected so far must be the first carrier's; those that are not are named.
    """
    chosen, scratch = Direction.parse(direction), call.scratch(NAMESPACE)
    held = await collected(scratch)
    _check_fit(held, chosen)
    await scratch.set(DIRECTION, str(chosen))
    diff = [Change("Direction", held.chosen, str(chosen))] if held.direction != chosen else []
    return Result(f"The direction is {chosen}.", diff=diff)


@ordering.tool(effect="irreversible", errors={OrderedError: "conflict"}, title="Submit")
async def submit_relabeling(call: Call[Depot | None]) -> Result[OrderRead]:
    """Use when: the user says that all parcels are scanned and wants them relabeled.
    Not for: looking at what is collected, see show_collected; parcels that were submitted.
    Needs: collected codes and a chosen direction.
    Effect: orders the relabeling at the depot and clears what was collected. New labels are printed at once and the old codes mean nothing
    from then on, so nobody can take it back: a person sees the codes and confirms first.
    """
    ready = await _ready(call)
    if call.proposal is not None and call.proposal.before["version"] != ready.version:
        raise Refusal("stale", "Something was collected or ordered just now. Nothing was submitted.", next="Look again, and submit again.")
    wish = Wish(call.idempotency_key, call.session, call.caller.user, call.now, ready.direction, ready.codes)
    order = await anyio.to_thread.run_sync(partial(depot_of(call).place, wish))
    await _forget(call, ready.held)
    return Result(
        f"Order {order.number}: {counted(len(order.codes), 'parcel')} from {order.direction.origin} to {order.direction.target}. "
        f"The sheet is {depot_of(call).sheet_of(order.number).name}.{ready.left_out}",
        OrderRead(number=order.number, direction=str(order.direction), codes=len(order.codes)),
        diff=[Change("Labels", order.direction.origin, order.direction.target), Change("Order", None, order.number)],
        link=f"/relabelings/{order.number}",
    )


@submit_relabeling.plan
async def plan_submit(call: Call[Depot | None]) -> Plan:
    """Show direction, number and the first codes. Whatever is collected or taken back meanwhile makes the plan stale."""
    ready = await _ready(call)
    return Plan(
        f"Relabel {counted(len(ready.codes), 'parcel')} from {ready.direction.origin} to {ready.direction.target}: "
        f"{listed(ready.codes, SAMPLE)}? It can't be called back.{ready.left_out}",
        [Change("Labels", ready.direction.origin, ready.direction.target), Change("Collected", str(len(ready.held.codes)), "0")],
        version=ready.version,
        count=len(ready.codes),
        sample=ready.codes[:SAMPLE],
    )


async def _ready(call: Call[Depot | None]) -> _Ready:
    """What can be submitted now.

    Raises:
        Refusal: `conflict`; something is missing, does not fit, or was submitted before.
    """
    held, depot = await collected(call.scratch(NAMESPACE)), depot_of(call)
    if not held.codes:
        latest = await anyio.to_thread.run_sync(partial(depot.latest, call.session))
        since = f" since order {latest.number} was placed" if latest else ""
        raise Refusal("conflict", f"Nothing is collected{since}, so there is nothing to submit.", next="Collect codes first.")
    if held.direction is None:
        raise Refusal("conflict", "No direction is chosen.", next="Ask the user from which carrier to which, and choose_direction.")
    _check_fit(held, held.direction)
    ordered = await anyio.to_thread.run_sync(partial(depot.ordered, held.texts))
    codes = tuple(text for text in held.texts if text not in ordered)
    named = listed([f"{code} ({number})" for code, number in ordered.items()], NAMED)
    if not codes:
        raise Refusal("conflict", f"Everything collected is in an order already: {named}.", next="Use clear_codes and begin anew.")
    return _Ready(held, held.direction, codes, f" Left out, because in an order already: {named}." if ordered else "")


async def _forget(call: Call[Depot | None], held: Collected) -> None:
    """Empty the notebook in this call's outcome, unless something was collected beside it: a code that came meanwhile must not be lost."""
    scratch = call.scratch(NAMESPACE)
    await scratch.compare_and_set(CODES, held.texts, [])
    await scratch.delete(CODES)
    await scratch.delete(DIRECTION)


def _check_fit(held: Collected, direction: Direction) -> None:
    misfits = direction.misfits(held.codes)
    if misfits:
        raise Refusal(
            "conflict",
            f"{direction} does not fit {counted(len(misfits), 'code')}: {owners(misfits)}.",
            next="Choose the direction that fits, or submit or clear the others first.",
        )
