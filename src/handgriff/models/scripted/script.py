"""What a script is made of: texts and calls, one step an answer.

Below is JSON; above, `answer` plays it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from handgriff.core.jsontext import Json


@dataclass(frozen=True, slots=True)
class Say:
    """Text. `{summary}` in it stands for what the calls before came to."""

    text: str


@dataclass(frozen=True, slots=True)
class Use:
    """A call."""

    tool: str
    arguments: Mapping[str, Json] = field(default_factory=dict)


Step: TypeAlias = Say | Use | tuple[Say | Use, ...]
"""One answer: a text, a call, or several of them at once."""
