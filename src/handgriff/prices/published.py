"""Published prices, from the data that genai-prices carries in its package. Nothing here uses the network.

Below are money and that library, which only this module imports; above, the host. It trusts an explicit match and no resemblance: the
library also accepts a provider that merely sounds like one it knows, and such a price would be a guess. Requests are priced as text: a
separate price for pictures, sound or film is not used.
"""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import TypeAlias

import genai_prices.data  # here, because reading it takes part of a second, which must not fall into the first request
from genai_prices.types import ModelPrice, TieredPrices

from handgriff.core.money import MILLION, Prices, Rates, Tier, price_of, stamped
from handgriff.errors import DefinitionError

Price: TypeAlias = Decimal | TieredPrices

_NOTHING = genai_prices.Usage()

_THOUSAND = 1_000

_REQUEST = "requests_kcount"

_TOOLS: Mapping[str, str] = {
    "code_execution": "code_executions_kcount",
    "social_search": "social_searches_kcount",
    "storage_search": "storage_searches_kcount",
    "web_search": "web_searches_kcount",
}
"""The library's price for a thousand uses, by our name of the tool."""

_INCLUDED: Mapping[str, tuple[str, ...]] = {"anthropic": ("web_fetch",)}
"""Tools whose use costs nothing beside its tokens, which a list of prices can't show."""

_UNCOUNTED = ("output_citation_mtok",)
"""Token classes priced apart that no usage of ours tells apart; a model that has one stays unpriced."""


class PublishedPrices:
    """The price list of genai-prices, as of the installed version.

    *context* chooses among a model's price variants in the library's words, for every request this book prices:
    `{"processing": "batch"}`, `{"service_tier": "flex"}`, `{"speed": "fast"}`, a region's `route`.
    """

    def __init__(self, *, context: Mapping[str, str] | None = None) -> None:
        self._context = dict(context or {})

    def prices(self, provider: str, model: str, at: datetime) -> Prices | None:
        """The published prices, or None when there are none that can be written exactly."""
        try:
            return self.checked(provider, model, at)
        except DefinitionError:
            return None

    def checked(self, provider: str, model: str, at: datetime) -> Prices | None:
        """Like `prices`, for the start of a host, where a price that can't be kept should be heard of.

        Raises:
            DefinitionError: the published price is finer than a pico-dollar a token.
        """
        try:
            found = genai_prices.calc_price(_NOTHING, model, provider_id=provider, genai_request_timestamp=at, price_context=self._context)
        except LookupError:
            return None
        if found.provider.id != provider:
            return None
        return _prices(found.model_price, provider, f"{provider}/{found.model.id}")


def _prices(listed: ModelPrice, provider: str, name: str) -> Prices | None:
    by_class = _by_class(listed)
    request = getattr(listed, _REQUEST) or Decimal(0)
    if by_class is None or isinstance(request, TieredPrices):
        return None
    starts = {tier.start for price in by_class.values() if isinstance(price, TieredPrices) for tier in price.tiers}
    return stamped(
        Prices(
            rates=_rates(by_class, 0, name),
            tiers=tuple(Tier(start, _rates(by_class, start + 1, name)) for start in sorted(starts)),
            server_tools=_tools(listed, provider, name),
            request=_pico(request, name, _REQUEST, per=_THOUSAND),
            version=f"genai-prices {genai_prices.__version__} {name}",
        )
    )


def _by_class(listed: ModelPrice) -> dict[str, Price] | None:
    """The price of every class. One without a price of its own is a part of the next wider class, and costs what that costs."""
    tokens, answer = listed.input_mtok, listed.output_mtok
    if tokens is None or answer is None or any(getattr(listed, key) is not None for key in _UNCOUNTED):
        return None
    writes = tokens if listed.cache_write_mtok is None else listed.cache_write_mtok
    own: dict[str, tuple[Price | None, Price]] = {
        "input": (tokens, tokens),
        "cache_read": (listed.cache_read_mtok, tokens),
        "cache_write_5m": (listed.cache_write_5m_mtok, writes),
        "cache_write_1h": (listed.cache_write_1h_mtok, writes),
        "output": (answer, answer),
        "reasoning": (listed.output_reasoning_mtok, answer),
    }
    return {name: wider if price is None else price for name, (price, wider) in own.items()}


def _rates(by_class: Mapping[str, Price], total_input: int, name: str) -> Rates:
    """The rates of a request whose prompt has *total_input* tokens. The library allows thresholds per class; ours are for all."""
    return Rates(**{member: _pico(_at(price, total_input), name, member) for member, price in by_class.items()})


def _at(price: Price, total_input: int) -> Decimal:
    if isinstance(price, Decimal):
        return price
    return next((tier.price for tier in reversed(price.tiers) if total_input > tier.start), price.base)


def _tools(listed: ModelPrice, provider: str, name: str) -> tuple[tuple[str, int], ...]:
    included = dict.fromkeys(_INCLUDED.get(provider, ()), 0)
    listings = {tool: getattr(listed, key) for tool, key in _TOOLS.items()}
    priced = {tool: _pico(price, name, tool, per=_THOUSAND) for tool, price in listings.items() if isinstance(price, Decimal)}
    return tuple(sorted((included | priced).items()))


def _pico(price: Decimal, name: str, member: str, *, per: int = MILLION) -> int:
    return price_of(format(price, "f"), per=per, subject=name, member=member)
