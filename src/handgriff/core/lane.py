"""Lanes and limits: a named model choice with every setting that affects caching, and the bounds of a turn."""

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias, get_args

from handgriff.core.bound import check_bound
from handgriff.core.state import LIMITS, StateLimits
from handgriff.errors import DefinitionError

Effort: TypeAlias = Literal["low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class Lane:
    """A model, such as "anthropic:claude-sonnet-5", and its settings. It is pinned when a session begins and never changes.

    `effort` and `parallel` None leave it to the provider's default and to what the lane's tools need.
    """

    model: str
    effort: Effort | None = None
    max_tokens: int = 8192
    parallel: bool | None = None
    """Whether a model may ask for several calls at once; by default it may where no listed tool writes."""
    weight: int = 1
    """Weight of this lane's tokens against a cap."""

    def __post_init__(self) -> None:
        provider, colon, name = self.model.partition(":")
        if not (provider and colon and name):
            raise DefinitionError(
                "Lane", "model", f"{self.model!r} names no provider and model.", mend="write it as 'anthropic:model-name'."
            )
        for member in ("max_tokens", "weight"):
            if getattr(self, member) < 1:
                raise DefinitionError("Lane", member, "it is below one.", mend="give a whole number from 1.")
        if self.effort not in (None, *get_args(Effort)):
            raise DefinitionError("Lane", "effort", f"{self.effort!r} is none.", mend="say 'low', 'medium' or 'high', or leave it out.")

    @property
    def provider(self) -> str:
        """What stands before the colon."""
        return self.model.partition(":")[0]

    @property
    def name(self) -> str:
        """What stands behind the colon: the provider's name of the model."""
        return self.model.partition(":")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds of a turn and of its calls. At a bound the model is asked once more, without tools, what was done and what is left."""

    model_requests: int = 12
    """Requests of one turn, the last one without tools included."""
    calls: int = 50
    """Calls of one turn."""
    seconds: float = 300
    """Wall time of one turn."""
    call_seconds: float = 30
    """Time-out of one call."""
    result_bytes: int = 32 * 1024
    """Largest result of one call, as the model reads it."""
    turn_result_bytes: int = 512 * 1024
    """All results of one turn."""
    parallel: int = 8
    """Reads that run at the same time."""
    attempts: int = 3
    """Tries of one model request before its first content."""
    proposal_seconds: float = 600
    """How long a proposal waits for a person."""
    message_bytes: int = 64 * 1024
    """Largest message of a user."""
    state: StateLimits = LIMITS
    """Bounds of state and scratch."""

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, StateLimits):
                continue  # it has checked itself
            if item.type is StateLimits:
                raise DefinitionError("Limits", item.name, f"{value!r} is no bound.", mend="give StateLimits(…), or leave it out.")
            check_bound("Limits", item.name, value, is_whole=item.type is int)
