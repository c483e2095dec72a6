"""The collecting toolbox: codes go into the conversation's notebook, the last one comes out again, and everything is looked at or dropped.

Codes are put in one by one with `add`, which takes effect where the record is stored: calls that run at the same time lose nothing, and
put no code in twice.
"""

from functools import partial
from typing import Annotated, Final

import anyio.to_thread
from pydantic import Field

from examples.relabeling.codes import Code
from examples.relabeling.depot import Depot
from examples.relabeling.desk import depot_of
from examples.relabeling.notebook import CODES, NAMESPACE, collected
from examples.relabeling.scans import codes_in
from examples.relabeling.sorting import sort
from examples.relabeling.tools.shapes import CollectedRead, SortedRead, told
from examples.relabeling.words import counted
from handgriff import Call, Change, Known, Refusal, Result, Toolbox
from handgriff.core.call import Scratch
from handgriff.tool import Page

MOST: Final = 200
"""Codes of one call: as many as a result can name."""
PAGE: Final = 100

Scan = Annotated[
    str,
    # A digit that a model copies wrongly would be another parcel: what nobody has sent is refused.
    Known("code"),
    Field(min_length=1, max_length=4000, description="Exactly as it was scanned, pasted or typed, with everything around it."),
]

collecting = Toolbox("collecting")


@collecting.tool(effect="read", writes="state", title="Collect")
async def collect_codes(codes: Annotated[list[Scan], Field(min_length=1, max_length=MOST)], call: Call[Depot | None]) -> Result[SortedRead]:
    """Use when: the user scans, pastes or types tracking codes of parcels to relabel.
    Not for: a code the user wants to take back, see undo_last; handing the parcels over, see submit_relabeling.
    Needs: the codes as the user sent them, uncorrected; several in one text are taken apart here.
    Effect: notes the valid ones in this conversation for 24 hours, each once; says of every other one why not. The depot gets nothing yet.
    """
    readings = codes_in(codes)
    if len(readings) > MOST:
        message = f"{counted(len(readings), 'code')} at once, {MOST} at most. Nothing was collected."
        raise Refusal("too_large", message, next=f"Collect them {MOST} at a time.", total=len(readings), narrow_by=["codes"])
    scratch = call.scratch(NAMESPACE)
    held = await collected(scratch)
    texts = [reading.text for reading in readings if isinstance(reading, Code)]
    heaps = sort(readings, held, await anyio.to_thread.run_sync(partial(depot_of(call).ordered, texts)))
    if heaps.left and not heaps.fresh:
        message = f"The notebook is full: it holds {counted(len(held.codes), 'code')}, and none of these {len(heaps.left)} fits."
        raise Refusal("limit", message, next="Submit or clear what is collected, then scan these again.")
    for code in heaps.fresh:
        await scratch.add(CODES, code)
    total = len(held.codes) + len(heaps.fresh)
    read = SortedRead.of(heaps, total=total, direction=held.chosen)
    return Result(told(heaps, total), read, diff=_counts(len(held.codes), total))


@collecting.tool(effect="read", writes="state", title="Undo")
async def undo_last(call: Call[Depot | None]) -> Result[CollectedRead]:
    """Use when: the user wants to take the last collected code back.
    Not for: dropping everything, see clear_codes; codes that were submitted.
    Needs: nothing.
    Effect: takes the newest code out of this conversation's notes, one a call.
    """
    scratch = call.scratch(NAMESPACE)
    code = await scratch.pop(CODES)
    if code is None:
        raise Refusal("conflict", "Nothing is collected, so there is nothing to take back.", next="Tell the user.")
    left = await _page(scratch, 1)
    return Result(f"{code} is taken back; {counted(left.total, 'code')} left.", left, diff=_counts(left.total + 1, left.total))


@collecting.tool(effect="read", title="Collected")
async def show_collected(
    call: Call[Depot | None], first: Annotated[int, Field(ge=1, description="Number of the first code shown, from 1.")] = 1
) -> Result[CollectedRead]:
    """Use when: it is asked what is collected, how many, or which direction is chosen; also when a conversation goes on after a break.
    Not for: parcels that were submitted.
    Needs: nothing; first only for more than a hundred codes.
    Effect: none.
    """
    page = await _page(call.scratch(NAMESPACE), first)
    if not page.total:
        chosen = f" The direction is {page.direction}." if page.direction else ""
        return Result(f"Nothing is collected.{chosen}", page)
    direction = page.direction or "no direction chosen yet"
    return Result(f"{counted(page.total, 'code')} collected, {direction}.", page, page=Page(page.total, len(page.codes)))


@collecting.tool(effect="read", writes="state", title="Clear")
async def clear_codes(call: Call[Depot | None]) -> Result[None]:
    """Use when: the user wants to drop everything that is collected and begin anew.
    Not for: one code, see undo_last; after a submission, which clears by itself.
    Needs: the user's word that all of it may go.
    Effect: forgets the codes and the direction of this conversation. Orders stay.
    """
    scratch = call.scratch(NAMESPACE)
    held = await collected(scratch)
    await scratch.clear()
    if not held.codes:
        return Result(
            "Nothing was collected." if held.direction is None else f"Nothing was collected; the direction {held.chosen} is dropped."
        )
    return Result(f"Cleared: {counted(len(held.codes), 'code')} dropped.", diff=_counts(len(held.codes), 0))


async def _page(scratch: Scratch, first: int) -> CollectedRead:
    held = await collected(scratch)
    codes = held.texts[first - 1 : first - 1 + PAGE]
    return CollectedRead(direction=held.chosen, total=len(held.codes), first=first, codes=codes)


def _counts(before: int, after: int) -> list[Change]:
    return [Change("Collected", str(before), str(after))] if before != after else []
