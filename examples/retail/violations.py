"""What must not get through, derived from a conversation that is as it should be: each call with one thing wrong. Pure.

What is wrong here are the arguments; `disorder` derives what is wrong with the moment.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from examples.retail.database import write_json
from examples.retail.knowledge import Shop
from examples.retail.script import DEMANDED, Step

Kind: TypeAlias = Literal[
    "another shopper's order",
    "a second shopper",
    "guessed ids",
    "malformed arguments",
    "a change, declined",
    "a change, expired",
    "a change, confirmed by text",
    "skipped identification",
    "out of order",
    "wrong status",
    "twice",
    "after the handover",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
OF_THE_GATE: Final[frozenset[Kind]] = frozenset({"skipped identification", "out of order", "wrong status", "twice", "after the handover"})
"""Those with nothing wrong but the moment: it is the gate that must stop them, whatever would stop them behind it."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call that must be stopped; text as arguments is sent as it is."""

    kind: Kind
    tool: str
    arguments: Mapping[str, Any] | str

    @property
    def is_of_the_gate(self) -> bool:
        """Whether it is the gate that must stop it."""
        return self.kind in OF_THE_GATE


def unread(steps: tuple[Step, ...]) -> tuple[Attempt, ...]:
    """The right ids, before anything was read that shows them: to the conversation they are guesses."""
    written = [step for step in good(steps) if set(step.arguments) & (DEMANDED.keys() - {"user_id"})]
    return once(Attempt("guessed ids", step.tool, step.arguments) for step in written)


def second_shopper(shop: Shop, finder: Step) -> tuple[Attempt, ...]:
    """Somebody else's identification, right in itself, after the one that *finder* has made."""
    other = next((user_id for user_id in shop.user_ids() if user_id != shop.found_by(finder.arguments)), None)
    identification = None if other is None else shop.identification(other)
    return () if identification is None else (Attempt("a second shopper", *identification),)


def spoilt(shop: Shop, steps: tuple[Step, ...]) -> tuple[Attempt, ...]:
    """Each written call of *steps* with a foreign order, with an id that is made up, and in forms that its schema does not know."""
    return once(attempt for step in good(steps) for attempt in (*_foreign(shop, step), *_made_up(shop, step), *_malformed(step)))


def foreign_order(shop: Shop, order_id: object) -> str | None:
    """An order of somebody else, in the same state if there is one, so that only its owner is wrong."""
    order = shop.order(order_id)
    if order is None:
        return None
    others = [other for other in shop.orders() if other["user_id"] != order["user_id"]]
    alike = [other for other in others if other["status"] == order["status"]]
    return next((other["order_id"] for other in (*alike, *others)), None)


def good(steps: tuple[Step, ...]) -> Iterator[Step]:
    """The written calls that succeed."""
    yield from (step for step in steps if step.counted and step.outcome == "ok")


def once(attempts: Iterator[Attempt]) -> tuple[Attempt, ...]:
    """*attempts*, each once."""
    return tuple({(each.kind, each.tool, write_json(each.arguments)): each for each in attempts}.values())


def _foreign(shop: Shop, step: Step) -> Iterator[Attempt]:
    other = foreign_order(shop, step.arguments.get("order_id"))
    if other is not None:
        yield Attempt("another shopper's order", step.tool, {**step.arguments, "order_id": other})


def _made_up(shop: Shop, step: Step) -> Iterator[Attempt]:
    for name, value in step.arguments.items():
        if name == "user_id":
            other = next((user_id for user_id in shop.user_ids() if user_id != value), None)
            if other is not None:
                yield Attempt("guessed ids", step.tool, {**step.arguments, name: other})
        elif name in DEMANDED:
            guess = [_unlike(value[0]), *value[1:]] if isinstance(value, list) and value else _unlike(value)
            yield Attempt("guessed ids", step.tool, {**step.arguments, name: guess})


def _malformed(step: Step) -> Iterator[Attempt]:
    """Cut off, with a word of its own, without its last argument, and with that in another type."""
    yield Attempt("malformed arguments", step.tool, write_json(dict(step.arguments))[:-1])
    yield Attempt("malformed arguments", step.tool, {**step.arguments, "confirmed": True})
    for name, value in [*step.arguments.items()][-1:]:
        yield Attempt("malformed arguments", step.tool, {other: kept for other, kept in step.arguments.items() if other != name})
        yield Attempt("malformed arguments", step.tool, {**step.arguments, name: {"value": value}})


def _unlike(value: object) -> str:
    """An id that looks like *value* and is longer than any of the shop's, so it is nobody's."""
    return f"{value}0000"
