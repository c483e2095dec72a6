"""Whether what the provider said comes back as it said it: thinking and blocks of unknown kinds are its own, and clients only carry them.

Below is `rules` for the joined turns; above, the responder remembers its answers. It is pure. Two promises are checked: such a block is
never altered or invented, wherever it stands; and none is left out of the latest assistant message, the one the model goes on from. An
earlier turn may have dropped them whole, as the real API allows.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from handgriff.testing.loopback.rules import Placed, Turn, joined

Json: TypeAlias = Mapping[str, Any]
Issued: TypeAlias = tuple[tuple[Json, ...], ...]
"""The content of the messages the provider has sent."""

_PLAIN = frozenset({"text", "tool_use"})


def is_owed(content: tuple[Json, ...]) -> bool:
    """Whether a message holds anything that must come back unaltered; only such messages need to be remembered."""
    return any(block["type"] not in _PLAIN for block in content)


def alterations(body: Json, issued: Issued) -> tuple[str, ...]:
    """How the assistant messages in *body*, which keeps the rules, differ from what was *issued*."""
    turns = [turn for turn in joined(body["messages"]) if turn.role == "assistant"]
    known = {_exact(block) for message in issued for block in message}
    foreign = tuple(problem for turn in turns for placed in turn.blocks for problem in _invented(placed, known))
    return foreign or (tuple(_omitted(turns[-1], issued)) if turns else ())


def _invented(placed: Placed, known: set[str]) -> Iterator[str]:
    # Thinking proves itself by its signature, also to a provider that was started anew.
    if placed.kind not in _PLAIN and placed.kind != "thinking" and _exact(placed.block) not in known:
        yield f"{placed.path}: `{placed.kind}` blocks cannot be modified. This block must remain as it was in the original response."


def _omitted(turn: Turn, issued: Issued) -> Iterator[str]:
    calls = {placed.block["id"] for placed in turn.blocks if placed.kind == "tool_use"}
    present = [_exact(placed.block) for placed in turn.blocks if placed.kind not in _PLAIN]
    owed = [
        _exact(block)
        for message in issued
        if any(block["type"] == "tool_use" and block["id"] in calls for block in message)
        for block in message
        if block["type"] not in _PLAIN
    ]
    at = iter(present)
    if not all(block in at for block in owed):
        yield (
            f"{turn.path}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."
            " These blocks must remain as they were in the original response."
        )


def _exact(block: Json) -> str:
    """A text equal for blocks with the same members in the same order, a cache mark apart."""
    return json.dumps({key: value for key, value in block.items() if key != "cache_control"}, ensure_ascii=False)
