"""Ten turns with everything that could disturb a prompt's prefix, as its requests' bytes. Run as a program it prints digests."""

import hashlib
import json
import random
import sys
from typing import Any

import anyio

from handgriff import Assistant, Caller, Plan, Result, Toolbox
from handgriff.core.events import AssistantMessage
from handgriff.testing.clock import CountedIds, StillClock
from handgriff.testing.harness import Harness, harness
from handgriff.testing.loopback.script import Answer, HttpError, Reply, Text, Thinking, ToolUse
from tests.interaction.desk import WORDS, assistant

PERMISSIONS = [f"right_{n}" for n in range(12)]
ODD = '{"z": 1, "a": {"y": 1.0, "b": "\\u00e9 \\u2028"}, "m": "line\\r\\n  "}'
"""Arguments whose key order, numbers, escapes and blanks a careless store would change."""
SCRIPT: list[Any] = [
    (Thinking("Let me see. "), Text("One moment. "), ToolUse("tool_07", raw=ODD)),
    "Seen.",
    (ToolUse("pay", {"amount": 1}), ToolUse("tool_11", raw=ODD)),  # confirmed
    "Paid.",
    ToolUse("pay", {"amount": 2}),  # declined
    "As you wish.",
    ToolUse("pay", {"amount": 3}),  # superseded
    "Very well.",
    (ToolUse("nothing", {}), ToolUse("tool_01", {"z": "no"}), ToolUse("tool_02", raw='{"z": 1')),  # all refused
    "I can't.",
    HttpError(529),  # tried again
    "Here I am.",
    Answer((Text("What I begin "), ToolUse("tool_03", raw=ODD)), stop_reason="max_tokens"),  # cut off
    "Shorter.",
    ToolUse("tool_04", raw=ODD),  # stopped
    "All is well.",
]


def forty_tools(seed: int) -> Assistant:
    """Forty tools and a payment, defined in an order that *seed* decides, whose arguments stand in an order of their own."""
    box = Toolbox("many")

    async def act(z: float, a: dict[str, Any] | None = None, m: str = "") -> Result[dict[str, Any]]:
        return Result(f"Acted {z}. é", {"b": 1.0, "a": [m]})

    @box.tool(effect="irreversible", description=WORDS)
    async def pay(amount: int) -> Result[None]:
        return Result(f"Paid {amount}.")

    @pay.plan
    async def preview(amount: int) -> Plan:
        return Plan(f"Pay {amount}?")

    numbers = list(range(40))
    random.Random(seed).shuffle(numbers)  # noqa: S311  # an order, no secret
    for n in numbers:
        box.tool(effect="read", name=f"tool_{n:02}", requires=PERMISSIONS[n % 12], description=WORDS)(act)
    return assistant(box, context="You serve a shop.", attempts=2)


def somebody(seed: int) -> Caller:
    """Somebody with every permission, told in an order that *seed* decides."""
    shuffled = PERMISSIONS.copy()
    random.Random(seed).shuffle(shuffled)  # noqa: S311  # as above
    return Caller("acme", "ada", permissions=set(shuffled))


async def ten_turns(chat: Harness, clock: StillClock) -> None:
    """The whole conversation."""
    await chat.say("Look.")
    await chat.say("Pay one.")
    await chat.confirm()
    await chat.say("Pay two.")
    await chat.decline()
    await chat.say("Pay three.")
    await chat.say("Never mind.")
    await chat.say("Do the impossible.")
    async for item in chat.host.turn(chat.caller, chat.session.id, "Are you there?"):
        if type(item.body).__name__ == "Retrying":
            await anyio.wait_all_tasks_blocked()
            clock.move(1)
    await chat.say("Tell me everything.")
    async for item in chat.host.turn(chat.caller, chat.session.id, "Act."):
        if isinstance(item.body, AssistantMessage):
            await chat.host.stop(chat.caller, chat.session.id)
    await chat.say("Go on.")


async def record(seed: int, script: list[Reply] | None = None, **options: Any) -> list[bytes]:
    """The requests of the conversation."""
    clock, caller = StillClock(), somebody(seed)
    made = forty_tools(seed)
    async with harness(made, caller, script=script or SCRIPT, clock=clock, ids=CountedIds(), **options) as chat:
        await ten_turns(chat, clock)
        assert chat.provider.violations == ()
        return [request.raw for request in chat.provider.requests]


if __name__ == "__main__":
    requests = anyio.run(record, int(sys.argv[1]))
    print(json.dumps([hashlib.sha256(raw).hexdigest() for raw in requests]))  # noqa: T201  # a program's output
