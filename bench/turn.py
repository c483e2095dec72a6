"""What one model request costs in the loop: total processor time of a turn with 361 provider events, 30 tools and 41 messages.

Ours is the whole product path: `host.turn` with boundary, ledger and SQLite, through the real SDK. The peer is pydantic-ai's agent with the
same tools and history, streaming events. Both read the same bytes from the same loopback provider, which runs in a process of its own; they
take turns in one process, and the cheapest of several rounds counts. `--json FILE` writes the numbers. Needs the `bench` extra.
"""

import argparse
import asyncio
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from handgriff import Assistant, Caller, Host, Result, Toolbox
from handgriff.core.batch import AppendEvent
from handgriff.core.events import AssistantMessage, TextPart, UserMessage, Written
from handgriff.core.rows import Session
from handgriff.models.anthropic.adapter import AnthropicModel

EVENTS = 361
TOOLS = 30
PAIRS = 20
MODEL = "claude-sonnet-5"
QUESTION, ANSWER = "hello " * 50, "answer " * 50
ADA = Caller("acme", "ada")
GOAL = 0.5
"""At most this share of the peer's time (specification 13)."""
PEERS = ("pydantic-ai-slim", "anthropic", "handgriff", "pydantic", "httpx2")


def toolbox() -> Toolbox:
    """Thirty tools of five text arguments."""
    box = Toolbox("bench")
    for number in range(TOOLS):

        async def handler(p0: str, p1: str, p2: str, p3: str, p4: str) -> Result[None]:
            return Result(f"{p0}{p1}{p2}{p3}{p4}")

        description = f"Use when: {'desc ' * 15}. Not for: other. Needs: nothing. Effect: none."
        box.tool(effect="read", name=f"tool_{number}", description=description)(handler)
    return box


async def ours(url: str, folder: Path, requests: int) -> tuple[Callable[[], Awaitable[int]], Callable[[], Awaitable[None]]]:
    """A function that makes one turn on a fresh session with the history, and one that closes everything."""
    assistant = Assistant("bench", instructions="You help.", toolboxes=[toolbox()])
    model = AnthropicModel(api_key="loopback-key", base_url=url)
    host = Host(assistant, store=f"sqlite:///{folder / 'bench.db'}", callers=_ada, model=f"anthropic:{MODEL}", models=[model])
    sessions = [await _with_history(host, model) for _ in range(requests)]

    async def one() -> int:
        count = 0
        async for _ in host.turn(ADA, sessions.pop().id, "q"):
            count += 1
        return count

    async def close() -> None:
        await host.close()
        await model.close()

    return one, close


async def _with_history(host: Host, model: AnthropicModel) -> Session:
    session = await host.sessions.create(ADA)
    engine = await host.engine()
    now = engine.clock.now()
    events: list[UserMessage | AssistantMessage] = []
    for _ in range(PAIRS):
        events.append(UserMessage((TextPart(QUESTION),), (model.wire.text(QUESTION),)))
        events.append(AssistantMessage(engine.ids.new("request"), ANSWER, "end", (model.wire.text(ANSWER),)))
    written = [Written(engine.ids.new("event"), "t", now, body) for body in events]
    await engine.store.commit(tuple(AppendEvent(session.tenant, session.id, event) for event in written))
    return session


async def _ada(tenant: str, user: str) -> Caller:
    return Caller(tenant, user)


def theirs(url: str) -> Callable[[], Awaitable[int]]:
    """A function that runs pydantic-ai's agent once, reading its events."""
    # The peer and what it stands on are loaded for the comparison alone.
    import anthropic  # noqa: PLC0415
    from pydantic_ai import Agent, Tool, messages  # noqa: PLC0415
    from pydantic_ai.models import anthropic as peer  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    client = anthropic.AsyncAnthropic(base_url=url, api_key="loopback-key")
    settings = peer.AnthropicModelSettings(max_tokens=8192, anthropic_cache_tool_definitions="1h", anthropic_cache_messages="5m")

    def tool(number: int) -> Any:
        async def handler(p0: str, p1: str, p2: str, p3: str, p4: str) -> str:
            return f"{p0}{p1}{p2}{p3}{p4}"

        return Tool(handler, name=f"tool_{number}", description="desc " * 20)

    agent = Agent(
        peer.AnthropicModel(MODEL, provider=AnthropicProvider(anthropic_client=client)),
        instructions="You help.",
        tools=[tool(number) for number in range(TOOLS)],
        model_settings=settings,
    )
    history: list[messages.ModelMessage] = []
    for _ in range(PAIRS):
        history.append(messages.ModelRequest(parts=[messages.UserPromptPart(QUESTION)]))
        history.append(messages.ModelResponse(parts=[messages.TextPart(ANSWER)]))

    async def one() -> int:
        count = 0
        async with agent.run_stream_events("q", message_history=history) as events:
            async for _ in events:
                count += 1
        return count

    return one


async def measure(url: str, *, requests: int, rounds: int) -> dict[str, dict[str, float]]:
    """Milliseconds of processor time a request, each side the best of *rounds*, taking turns."""
    with tempfile.TemporaryDirectory() as folder:
        warm = 3
        our_one, close = await ours(url, Path(folder), requests * rounds + warm)
        sides: dict[str, Callable[[], Awaitable[int]]] = {"handgriff": our_one, "pydantic-ai": theirs(url)}
        best = dict.fromkeys(sides, float("inf"))
        items = dict.fromkeys(sides, 0)
        for one in sides.values():
            for _ in range(warm):
                await one()
        for _ in range(rounds):
            for name, one in sides.items():
                begun = time.process_time()
                for _ in range(requests):
                    items[name] = await one()
                best[name] = min(best[name], (time.process_time() - begun) / requests)
        await close()
    return {name: {"cpu_ms": best[name] * 1000, "items": items[name]} for name in sides}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and tell whether the goal is met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--requests", type=int, default=20, help="requests a round")
    parser.add_argument("--rounds", type=int, default=5, help="rounds; the cheapest counts")
    parser.add_argument("--json", type=Path, help="write the numbers here")
    options = parser.parse_args(arguments)
    command = [sys.executable, "-m", "handgriff.testing.loopback", "--port", "0", "--events", str(EVENTS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as provider:
        try:
            if provider.stdout is None:
                raise AssertionError("the provider's output is read")
            url = provider.stdout.readline().strip()
            sides = asyncio.run(measure(url, requests=options.requests, rounds=options.rounds))
        finally:
            provider.terminate()
    ratio = sides["handgriff"]["cpu_ms"] / sides["pydantic-ai"]["cpu_ms"]
    versions = {name: version(name) for name in PEERS}
    print(f"{'':14s} {'cpu ms a request':>18s} {'items':>7s}")
    for name, side in sides.items():
        print(f"{name:14s} {side['cpu_ms']:18.1f} {side['items']:7.0f}")
    print(f"ratio {ratio:.2f}, goal at most {GOAL}")
    print(f"Python {platform.python_version()}, " + ", ".join(f"{name} {number}" for name, number in versions.items()))
    if options.json:
        told = {"sides": sides, "ratio": ratio, "goal": GOAL, "versions": versions, "python": platform.python_version()}
        options.json.write_text(json.dumps(told, indent=1), encoding="utf-8")
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
