"""Thinking bound to its conversation: on the newest models such a block may come back only behind the prompt it was made for.

Below are the prompt's blocks; above, the responder asks when a provider is opened with `binds_thinking`. It is pure. The prompt
before a block is tools, system and messages as sent, cache marks and thinking apart: thinking may be left out, history may not be edited.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

from handgriff.testing.loopback.prompt import UNMARKABLE, Block, Prompt

Bindings: TypeAlias = Mapping[str, frozenset[tuple[str, int]]]
"""By signature: the digest of each prompt that was answered with it, and how many blocks of the answer stand before it."""


def bound(bindings: Bindings, prompt: Prompt, content: Sequence[Mapping[str, Any]]) -> Bindings:
    """*bindings* and those of a message with *content*, said in answer to *prompt*."""
    digest = _digests(prompt)[-1]
    before = list(accumulate((block["type"] not in UNMARKABLE for block in content), initial=0))
    fresh = {block["signature"]: (digest, before[at]) for at, block in enumerate(content) if block["type"] == "thinking"}
    # The same thought may have been said twice.
    return {**bindings, **{signature: bindings.get(signature, frozenset()) | {place} for signature, place in fresh.items()}}


def unbound(bindings: Bindings, prompt: Prompt) -> tuple[str, ...]:
    """A complaint for every thinking block of *prompt* that stands behind another prompt than the one it was made for."""
    if not bindings:
        return ()
    digests = _digests(prompt)
    complaints, passed = [], 0
    for block in prompt.blocks:
        said = json.loads(block.text)
        if said.get("type") not in UNMARKABLE:
            passed += 1
        elif said.get("signature") in bindings:
            places = bindings[said["signature"]]
            if not any(before <= passed and digests[passed - before] == digest for digest, before in places):
                complaints.append(
                    "messages: Invalid `signature` in `thinking` block. The block is bound to a different conversation."
                    ' Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
                )
    return tuple(complaints)


def _digests(prompt: Prompt) -> tuple[str, ...]:
    """The digests of the first 0, 1, 2, … blocks that are no thinking."""
    running = hashlib.sha256()
    digests = [running.hexdigest()]
    for block in prompt.blocks:
        if _is_thinking(block):
            continue
        running.update(json.dumps((block.place, block.text)).encode())
        digests.append(running.hexdigest())
    return tuple(digests)


def _is_thinking(block: Block) -> bool:
    return json.loads(block.text).get("type") in UNMARKABLE
