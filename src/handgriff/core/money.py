"""Money as integers: pico-dollars (10**-12 USD) in rows, micro-dollars for people.

Below are usage and the errors; above, price books, the ledger and reports. It knows no price list and no float. Every published price is
a whole number of pico-dollars per token, so costs are exact, and the parts of a sum add up to it however the rows are split.
"""

import hashlib
import re
from dataclasses import dataclass, fields, replace

from handgriff.core.usage import Usage
from handgriff.errors import DefinitionError

PICO_PER_DOLLAR = 10**12
PICO_PER_MICRO = 10**6
MILLION = 1_000_000

_PLAIN_DECIMAL = re.compile(r"(?P<whole>\d{1,12})(?:\.(?P<fraction>\d{1,40}))?", re.ASCII)


def price_of(text: str, *, per: int = MILLION, subject: str = "price", member: str = "value") -> int:
    """Pico-dollars for one unit, exactly, when *per* units (a million tokens) cost the plain decimal number of dollars in *text*.

    *subject* and *member* say in the error whose price it is.

    Raises:
        DefinitionError: *text* is no text (a float has lost its digits already), no plain decimal, or finer than a pico-dollar a unit.
    """
    match = _plain_decimal(text)
    if match is None:
        raise DefinitionError(subject, member, f"{text!r} is not a decimal number in text.", mend="write dollars like '0.30', in quotes.")
    fraction = match["fraction"] or ""
    scale: int = 10 ** len(fraction)
    pico, rest = divmod(int(match["whole"] + fraction) * PICO_PER_DOLLAR, per * scale)
    if rest:
        raise DefinitionError(
            subject, member, f"{text!r} per {per} is finer than one pico-dollar.", mend="round it to whole pico-dollars a unit."
        )
    return pico


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Pico-dollars per token, for every class; all must be said, so that nothing is free by omission.

    Raises:
        DefinitionError: a rate is not an integer of 0 or more.
    """

    input: int
    cache_read: int
    cache_write_5m: int
    cache_write_1h: int
    output: int
    reasoning: int
    """Equal to `output` for nearly all models."""

    def __post_init__(self) -> None:
        for each in fields(self):
            _check_pico(each.name, getattr(self, each.name))


@dataclass(frozen=True, slots=True)
class Tier:
    """The rates of a whole request whose prompt has more than `above` tokens."""

    above: int
    rates: Rates


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What one model costs, in pico-dollars.

    Raises:
        DefinitionError: the tiers don't rise, or a price is not an integer of 0 or more.
    """

    rates: Rates
    tiers: tuple[Tier, ...] = ()
    """By rising `above`."""
    server_tools: tuple[tuple[str, int], ...] = ()
    """For one use of a provider's own tool, by name."""
    request: int = 0
    """For the request as such."""
    version: str
    """Stands in the ledger row; another price has another version."""

    def __post_init__(self) -> None:
        for name, pico in (*self.server_tools, ("request", self.request)):
            _check_pico(name, pico)
        starts = [tier.above for tier in self.tiers]
        if starts != sorted(set(starts)):
            raise DefinitionError("Prices", "tiers", f"they begin above {starts!r}.", mend="list each threshold once, the lowest first.")

    def rates_for(self, total_input: int) -> Rates:
        """The rates of a request whose prompt has *total_input* tokens."""
        for tier in reversed(self.tiers):
            if total_input > tier.above:
                return tier.rates
        return self.rates


def stamped(prices: Prices) -> Prices:
    """*prices* with a fingerprint of every number behind the version, so that a changed price can't pass under an old name."""
    numbers = (prices.rates, prices.tiers, prices.server_tools, prices.request)
    return replace(prices, version=f"{prices.version} #{hashlib.sha256(repr(numbers).encode()).hexdigest()[:10]}")


def cost(usage: Usage, prices: Prices | None) -> int | None:
    """Pico-dollars of one request, exactly. None is unpriced: the model has no price, or a provider's tool it used has none.

    Each request is priced by itself, because its size picks the tier; then rows may be added in any grouping.
    """
    if prices is None:
        return None
    uses = {name: count for name, count in usage.server_tool_uses if count}
    by_use = dict(prices.server_tools)
    if not uses.keys() <= by_use.keys():
        return None
    tools = sum(count * by_use[name] for name, count in uses.items())
    return prices.request + tools + _token_cost(usage, prices.rates_for(usage.total_input))


def micro(pico: int) -> int:
    """Whole micro-dollars, rounded once, half away from zero. For display only: rounded numbers are never added up."""
    size = (abs(pico) + PICO_PER_MICRO // 2) // PICO_PER_MICRO
    return size if pico >= 0 else -size


def format_micro(pico: int) -> str:
    """*pico* for people, as `micro` rounds it: `4,575 µ$`."""
    return f"{micro(pico):,} \N{MICRO SIGN}$"


def _plain_decimal(text: object) -> re.Match[str] | None:
    return _PLAIN_DECIMAL.fullmatch(text) if isinstance(text, str) else None


def _token_cost(usage: Usage, rates: Rates) -> int:
    reasoning = min(usage.reasoning, usage.output)
    return (
        usage.input * rates.input
        + usage.cache_read * rates.cache_read
        + usage.cache_write_5m * rates.cache_write_5m
        + usage.cache_write_1h * rates.cache_write_1h
        + (usage.output - reasoning) * rates.output
        + reasoning * rates.reasoning
    )


def _check_pico(member: str, pico: object) -> None:
    if type(pico) is not int or pico < 0:
        raise DefinitionError("Prices", member, f"{pico!r} is not an amount of pico-dollars.", mend="read decimals with price_of.")
