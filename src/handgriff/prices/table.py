"""The operator's own price table: contract prices, and models no public list knows.

Below is money with its text decimals; above, the host. It reads no file: whoever read one hands in the mapping. Everything is checked while
the table is built, so that a wrong price stops the start and not a request.
"""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import NotRequired, TypedDict

from handgriff.core.money import Prices, Rates, Tier, price_of, stamped
from handgriff.errors import DefinitionError

_RELEASE_DATE = re.compile(r"[-@]20\d\d(-?)(0[1-9]|1[0-2])\1(0[1-9]|[12]\d|3[01])\Z", re.ASCII)


class TextRates(TypedDict):
    """Dollars per million tokens, as text. A class the provider doesn't price apart repeats the input price."""

    input: str
    cache_read: str
    cache_write_5m: str
    cache_write_1h: str
    output: str
    reasoning: NotRequired[str]
    """Like `output` when left out."""


class Entry(TextRates):
    """One model: its rates, and what they depend on."""

    above: NotRequired[Mapping[int, TextRates]]
    """Rates for the whole request when its prompt has more tokens than the key."""
    server_tools: NotRequired[Mapping[str, str]]
    """Dollars for one use of a provider's own tool; '0' when it is included."""
    request: NotRequired[str]
    """Dollars for each request as such."""


class PriceTable:
    """Prices by `model` or, for one provider only, by `provider:model`. A dated id falls back to its family.

    Raises:
        DefinitionError: a price is missing, unknown, not text, or finer than a pico-dollar.
    """

    def __init__(self, entries: Mapping[str, Entry], *, version: str) -> None:
        self._prices = {name: _prices(name, entry, version) for name, entry in entries.items()}

    def prices(self, provider: str, model: str, at: datetime) -> Prices | None:  # noqa: ARG002  # a table holds one moment's prices
        """The entry for *model*: the exact id before its family, this provider's before anybody's."""
        for name in (model, family(model)):
            for key in (f"{provider}:{name}", name):
                if key in self._prices:
                    return self._prices[key]
        return None


def family(model: str) -> str:
    """*model* without the release date at its end: `m-1-20251001`, `m-1@20251001` and `m-1-2025-10-01` are `m-1`."""
    return _RELEASE_DATE.sub("", model)


def _prices(name: str, entry: Entry, version: str) -> Prices:
    if not name:
        raise DefinitionError("PriceTable", "key", "it is empty.", mend="name a model.")
    _check_names(name, "entry", entry.keys(), optional=Entry.__optional_keys__)
    uses = entry.get("server_tools", {})
    return stamped(
        Prices(
            rates=_rates(name, entry),
            tiers=tuple(_tier(name, start, rates) for start, rates in sorted(entry.get("above", {}).items())),
            server_tools=tuple((tool, price_of(text, per=1, subject=name, member=tool)) for tool, text in sorted(uses.items())),
            request=price_of(entry.get("request", "0"), per=1, subject=name, member="request"),
            version=f"{version} {name}",
        )
    )


def _tier(name: str, start: int, rates: TextRates) -> Tier:
    _check_names(name, f"above {start}", rates.keys(), optional=TextRates.__optional_keys__)
    return Tier(start, _rates(name, rates))


def _rates(name: str, rates: TextRates) -> Rates:
    return Rates(
        input=price_of(rates["input"], subject=name, member="input"),
        cache_read=price_of(rates["cache_read"], subject=name, member="cache_read"),
        cache_write_5m=price_of(rates["cache_write_5m"], subject=name, member="cache_write_5m"),
        cache_write_1h=price_of(rates["cache_write_1h"], subject=name, member="cache_write_1h"),
        output=price_of(rates["output"], subject=name, member="output"),
        reasoning=price_of(rates.get("reasoning", rates["output"]), subject=name, member="reasoning"),
    )


def _check_names(name: str, member: str, given: AbstractSet[str], *, optional: frozenset[str]) -> None:
    required = TextRates.__required_keys__
    if missing := sorted(required - given):
        raise DefinitionError(
            name, member, f"it has no price for {', '.join(missing)}.", mend="a class that is not priced apart repeats input's."
        )
    if unknown := sorted(given - required - optional):
        raise DefinitionError(name, member, f"{unknown!r} are not known here.", mend=f"use {', '.join(sorted(required | optional))}.")
