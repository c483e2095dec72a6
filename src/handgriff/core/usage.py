"""What one model request used: tokens by class, as far as the provider said so.

Below are the errors; above, the ledger row, caps and prices. It knows no price, no provider's field names and no stream. Two rules live
here: providers report running totals, so the last one counts and nothing is added up; and a zero that was reported is a number, while a
class nobody reported is a gap, which only `settle` fills.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from handgriff.errors import DefinitionError

TokenClass: TypeAlias = Literal["input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "reasoning"]
"""The classes tokens are counted in. They don't overlap, except that reasoning is a part of output."""

TOKEN_CLASSES: tuple[TokenClass, ...] = get_args(TokenClass)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens by class and server-tool uses of one model request. `Usage.of` is the usual way to make one.

    A count whose class is not in `reported` is a floor: at least that many (the placeholder a stream opens with, an estimate).

    Raises:
        DefinitionError: a count is not an integer of 0 or more, a tool is named twice, or `reported` names no class.
    """

    input: int = 0
    """What was neither read from nor written to a cache."""
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    output: int = 0
    reasoning: int = 0
    """The part of `output` the model kept to itself; already counted there."""
    server_tool_uses: tuple[tuple[str, int], ...] = ()
    """How often the provider ran a tool of its own, by the tool's name, sorted."""
    reported: frozenset[TokenClass] = frozenset()
    """The classes the provider gave a number for, 0 included."""

    def __post_init__(self) -> None:
        for name in TOKEN_CLASSES:
            _check_count(name, getattr(self, name))
        for tool, count in self.server_tool_uses:
            _check_count(tool, count)
        if len(dict(self.server_tool_uses)) < len(self.server_tool_uses):
            raise DefinitionError("Usage", "server_tool_uses", "it names a tool twice.", mend="give one running total per tool.")
        if unknown := sorted(self.reported.difference(TOKEN_CLASSES)):
            raise DefinitionError("Usage", "reported", f"{unknown!r} are no token classes.", mend=f"use {', '.join(TOKEN_CLASSES)}.")

    @classmethod
    def of(
        cls,
        *,
        input: int | None = None,  # noqa: A002  # the specification's word
        cache_read: int | None = None,
        cache_write_5m: int | None = None,
        cache_write_1h: int | None = None,
        output: int | None = None,
        reasoning: int | None = None,
        server_tool_uses: Mapping[str, int] | None = None,
    ) -> "Usage":
        """What a provider reported; None is what it did not mention."""
        given: dict[TokenClass, int | None] = {
            "input": input,
            "cache_read": cache_read,
            "cache_write_5m": cache_write_5m,
            "cache_write_1h": cache_write_1h,
            "output": output,
            "reasoning": reasoning,
        }
        counts = {name: count for name, count in given.items() if count is not None}
        return cls(**counts, server_tool_uses=_sorted_uses(server_tool_uses or {}), reported=frozenset(counts))

    @property
    def total_input(self) -> int:
        """The whole prompt, however it was paid for; it decides the context-length tier."""
        return self.input + self.cache_read + self.cache_write_5m + self.cache_write_1h


def latest(previous: Usage, update: Usage) -> Usage:
    """*previous* brought up to date: each total *update* reports replaces the earlier one, also when it is smaller."""
    counts = {name: _later(name, previous, update) for name in TOKEN_CLASSES}
    uses = dict(previous.server_tool_uses) | dict(update.server_tool_uses)
    return Usage(**counts, server_tool_uses=_sorted_uses(uses), reported=previous.reported | update.reported)


def settle(usage: Usage, *, estimate_output: int, estimate_input: int) -> tuple[Usage, bool]:
    """What to write down when the request is over, and whether any of it is an estimate.

    Only a class that was not reported is filled. *estimate_input* is for the whole prompt: what the provider reported as cache tokens is
    taken off, so that it isn't counted twice. Settling again with the same estimates changes nothing.
    """
    missing = {"input", "output"} - usage.reported
    if "output" in missing:
        usage = replace(usage, output=max(usage.output, usage.reasoning, estimate_output))
    if "input" in missing:
        cached = usage.total_input - usage.input
        usage = replace(usage, input=max(usage.input, estimate_input - cached))
    return usage, bool(missing)


def _later(name: TokenClass, previous: Usage, update: Usage) -> int:
    before: int = getattr(previous, name)
    after: int = getattr(update, name)
    if name in update.reported:
        return after
    return before if name in previous.reported else max(before, after)


def _sorted_uses(uses: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(uses.items()))


def _check_count(name: str, count: object) -> None:
    if type(count) is not int or count < 0:
        raise DefinitionError(
            "Usage", name, f"{count!r} is not a count.", mend="give an integer of 0 or more, and leave out what was not reported."
        )
