"""Where cache marks go, and how one is put on a block without making the block anew.

Below are messages as block texts; above, the wire form asks for the two short marks of a request. It knows nothing of the long mark but
that there is one, so three of the four allowed marks are used.
"""

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from handgriff.core.message import Message

Position: TypeAlias = tuple[int, int]
"""A message and a block in it."""

LONG: Final = '"cache_control":{"type":"ephemeral","ttl":"1h"}'
SHORT: Final = '"cache_control":{"type":"ephemeral","ttl":"5m"}'

_TYPE: Final = '{"type":"'
_ELIGIBLE: Final = frozenset(
    {
        "text",
        "image",
        "document",
        "search_result",
        "tool_use",
        "tool_result",
        "server_tool_use",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
    }
)
"""What the API takes a mark on. Thinking may not carry one, and of a kind unknown here nobody knows."""

_BLANK: Final = re.compile(r'\{"type":"text","text":"(?:\s|\\[nrt])*"')


def marked(block: str, mark: str) -> str:
    """*block*, a JSON object as text, with *mark* as its last member; every other byte stays."""
    return f"{block[:-1]},{mark}}}"


def is_blank(block: str) -> bool:
    """Whether *block* is a text without a word in it, which the API refuses."""
    return _BLANK.match(block) is not None


def short_marks(messages: Sequence[Message]) -> tuple[Position, ...]:
    """Where the conversation is marked: its last eligible block, and the last one of the user's message before.

    A request ends with a user's message, so the second mark stands where the first one stood in the request before: its entry is found
    however many blocks were added since, while the provider looks back over twenty only.
    """
    last = _last_eligible(messages, len(messages), roles=("user", "assistant"))
    if last is None:
        return ()
    before = _last_eligible(messages, last[0], roles=("user",))
    return (last,) if before is None else (before, last)


def _last_eligible(messages: Sequence[Message], end: int, *, roles: tuple[str, ...]) -> Position | None:
    for number in range(end - 1, -1, -1):
        message = messages[number]
        if message.role in roles:
            for place in range(len(message.blocks) - 1, -1, -1):
                if _is_eligible(message.blocks[place]):
                    return number, place
    return None


def _is_eligible(block: str) -> bool:
    kind = block[len(_TYPE) : block.find('"', len(_TYPE))]
    return block.startswith(_TYPE) and kind in _ELIGIBLE and not is_blank(block)
