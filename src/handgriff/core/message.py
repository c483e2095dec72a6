"""A provider's history as values: roles and the texts of their blocks, exactly as they are sent."""

from dataclasses import dataclass
from typing import Literal

from handgriff.core.events import Stop


@dataclass(frozen=True, slots=True)
class Message:
    """One message: its blocks are JSON texts in the provider's form."""

    role: Literal["user", "assistant"]
    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call as it stood in a model's message. `is_closed` is False where its block was never finished."""

    wire_id: str
    tool: str
    arguments: str
    is_closed: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's message, complete: its blocks lossless and valid to send back, its text, its calls in order."""

    blocks: tuple[str, ...]
    text: str
    calls: tuple[AskedCall, ...]
    stop: Stop


@dataclass(frozen=True, slots=True)
class ToolFace:
    """A tool as a provider is shown it: schema as canonical JSON text of its dialect."""

    name: str
    description: str
    schema: str


@dataclass(frozen=True, slots=True)
class HostedFace:
    """A tool of the provider's own, offered by name."""

    name: str
