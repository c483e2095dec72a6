"""A notepad whose tools write into every scope: what forks, rewinds, garbage collection and erasure are tried on."""

import random
from typing import Any

from handgriff import Assistant, Call, Plan, Result, Toolbox
from handgriff.core.delta import merged
from tests.interaction.desk import WORDS, assistant

KEYS = ["n", "list", "object", "user:n", "app:n", "b.1", "temp:n"]
Write = tuple[str, str, Any]
"""An operation, a key and a value."""


def notepad(seen: list[Any] | None = None, **options: Any) -> Assistant:
    """An assistant with the notepad; what `look` reads goes into *seen*."""
    box = Toolbox("notepad")
    seen = [] if seen is None else seen

    @box.tool(effect="write", writes="app", description=WORDS)
    async def write(op: str, key: str, value: Any, call: Call) -> Result[None]:
        operation = getattr(call.state, op)
        await (operation(key) if op in ("delete", "pop") else operation(key, value))
        return Result("Written.")

    @box.tool(effect="write", description=WORDS)
    async def note(text: str, call: Call) -> Result[None]:
        await call.scratch("notes").append("texts", text)
        return Result(f"Noted {text}.")

    @box.tool(effect="read", description=WORDS)
    async def look(call: Call) -> Result[None]:
        seen.append(dict(await call.state.all()))
        return Result("Seen.")

    @box.tool(effect="irreversible", description=WORDS)
    async def burn(text: str, call: Call) -> Result[None]:
        seen.append(text)
        return Result(f"Burnt {text}.")

    @burn.plan
    async def preview(text: str) -> Plan:
        return Plan(f"Burn {text}?")

    return assistant(box, **options)


def random_writes(seed: int, count: int) -> list[Write]:
    """Writes of every kind, on keys that mostly fit them."""
    chance = random.Random(seed)  # noqa: S311  # traffic, no secret
    return [_random_write(chance) for _ in range(count)]


def applied(state: dict[str, Any], write: Write) -> dict[str, Any]:
    """What *state* is after *write*, by the plainest arithmetic there is; as it was where it does not fit."""
    op, key, value = write
    held = state.get(key)
    match op:
        case "set":
            return {**state, key: value}
        case "delete":
            return {name: kept for name, kept in state.items() if name != key}
        case "increment":
            return {**state, key: (held or 0) + value} if key not in state or type(held) is int else state
        case "append" | "add" | "remove" | "pop":
            return _with_list(state, write) if key not in state or isinstance(held, list) else state
        case _:
            return {**state, key: merged(held, value)} if key not in state or isinstance(held, dict) else state


def _with_list(state: dict[str, Any], write: Write) -> dict[str, Any]:
    op, key, value = write
    held = list(state.get(key, []))
    match op:
        case "append":
            return {**state, key: [*held, value]}
        case "add":
            return state if value in held else {**state, key: [*held, value]}
        case "remove":
            return {**state, key: [item for item in held if item != value]} if key in state else state
        case _:
            return {**state, key: held[:-1]} if held else state


def _random_write(chance: random.Random) -> Write:
    op = chance.choice(["set", "set", "delete", "increment", "append", "append", "add", "remove", "pop", "merge"])
    key = chance.choice(KEYS)
    values: dict[str, list[Any]] = {
        "set": [None, 0, 7, "", "é\u2028", [1, "a"], {"a": {"b": 1}}, []],
        "increment": [1, -3],
        "append": ["x", 1, [2], {"y": None}],
        "add": ["x", 1],
        "remove": ["x", 1],
        "merge": [{"a": None}, {"a": {"c": 2}}, {"d": [1]}],
    }
    return op, key, chance.choice(values.get(op, [None]))
