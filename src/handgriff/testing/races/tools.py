"""The tools that race. Each touches nothing but state, so what it could not write has not happened: it ends as a conflict."""

from typing import Final

from anyio.lowlevel import checkpoint

from handgriff.core.call import ABSENT, Call
from handgriff.core.result import Result
from handgriff.core.toolbox import Toolbox
from handgriff.runtime.assistant import Assistant

HOUR: Final = 3600.0


def racing_assistant() -> Assistant:
    """The assistant of all races."""
    return Assistant("races", instructions="You race.", toolboxes=[_toolbox()])


def _toolbox() -> Toolbox:
    box = Toolbox("races")

    @box.tool(effect="read", writes="state", description=_words("a counter and a list are read, then added to"))
    async def gather(item: int, call: Call) -> Result[None]:
        await call.state.get("n", 0)
        await call.state.get("items", [])
        await checkpoint()  # whoever reads and then writes what it computed loses here
        await call.state.increment("n")
        await call.state.append("items", item)
        return Result("Gathered.")

    @box.tool(effect="read", writes="state", description=_words("one is added to a counter"))
    async def count(call: Call) -> Result[None]:
        await call.state.increment("n")
        return Result("Counted.")

    @box.tool(effect="read", writes="state", description=_words("a counter is read, computed with, and set if nobody was quicker"))
    async def take(call: Call) -> Result[None]:
        n = await call.state.get("taken", ABSENT)
        await checkpoint()
        await call.state.compare_and_set("taken", n, 1 if n is ABSENT else n + 1)
        return Result("Taken.")

    @box.tool(effect="read", writes="app", description=_words("keys of its own are set, and counters of all are added to"))
    async def share(name: str, call: Call) -> Result[None]:
        await call.state.set(f"app:{name}", name)
        await call.state.set(f"user:{name}", name)
        await call.state.increment("app:all")
        await call.state.increment("user:all")
        return Result("Shared.")

    @box.tool(effect="read", writes="state", description=_words("a notebook is prolonged"))
    async def note(item: int, call: Call) -> Result[None]:
        await call.scratch("race").append("items", item, ttl=HOUR)
        return Result("Noted.")

    return box


def _words(effect: str) -> str:
    return f"Use when: state is raced for. Not for: anything else. Needs: nothing. Effect: {effect}."
