"""FastMCP's per-session visibility: fifty tools, five tags of ten, an in-memory client. `python -m bench.gate_sides.peer SECONDS`."""

import asyncio
import json
import sys
import time

import fastmcp  # type: ignore[import-not-found]  # in an environment of its own
from fastmcp import Client, Context, FastMCP

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
server = FastMCP("bench")


def add(number: int) -> None:
    """One tool; the first of each ten moves on to the next tag."""
    tag, following = f"s{number // 10}", f"s{(number // 10 + 1) % 5}"

    async def tool(id: str, ctx: Context, amount: float | None = None) -> dict[str, object]:  # noqa: A002  # an argument's name
        del amount
        if number % 10 == 0:
            await ctx.disable_components(tags={tag})
            await ctx.enable_components(tags={following})
        return {"id": id, "ok": True}

    tool.__name__ = f"tool{number:02d}"
    server.tool(tool, name=f"tool{number:02d}", description=f"Tool {number}: does one thing to one record.", tags={tag})


async def main() -> None:
    """Print the processor time of a list and a call, and how many a second."""
    for number in range(50):
        add(number)
    server.disable(tags={"s1", "s2", "s3", "s4"})
    async with Client(server) as client:
        for _ in range(5):
            await client.list_tools()
            await client.call_tool("tool01", {"id": "x"})
        pairs, wall, spent = 0, time.perf_counter(), time.process_time()
        while time.perf_counter() - wall < SECONDS:
            await client.list_tools()
            await client.call_tool("tool01", {"id": "x"})
            pairs += 1
        cpu, seconds = time.process_time() - spent, time.perf_counter() - wall
    print(json.dumps({"version": fastmcp.__version__, "cpu_us": cpu / pairs * 1e6, "pairs_a_second": pairs / seconds}))


asyncio.run(main())
