"""From a written conversation to everything a sensible agent does in it: it identifies the shopper, and reads what makes ids known.

Pure: records and a conversation in, steps out. What is added are reads that must succeed; they are played, and not counted. For a call
that must be refused nothing is read, so that it meets the boundary as it stands.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from examples.retail.knowledge import Seen, Shop, introduced
from examples.retail.tasks import Action, Expected, Task

DEMANDED = {
    "user_id": "user",
    "order_id": "order",
    "product_id": "product",
    "item_id": "item",
    "item_ids": "item",
    "new_item_ids": "item",
    "payment_method_id": "payment_method",
}
"""The kind of id that each argument is."""
FINDERS = ("find_user_id_by_email", "find_user_id_by_name_zip")
HANDOVER = "transfer_to_human_agents"
CHANGES = (
    "cancel_pending_order",
    "modify_pending_order_address",
    "modify_pending_order_payment",
    "modify_pending_order_items",
    "return_delivered_order_items",
    "exchange_delivered_order_items",
    "modify_user_address",
)
"""What a shopper must confirm."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a conversation as it is played. `counted` tells the written calls from the added reads."""

    tool: str
    arguments: Mapping[str, Any]
    outcome: Expected = "ok"
    counted: bool = False


def script(shop: Shop, task: Task) -> tuple[Step, ...]:
    """Every call of *task* in order, with the reads it needs."""
    agent = _Agent(shop, _shopper(shop, task))
    for index, action in enumerate(task.actions):
        agent.play(action, has_finder=any(_identifies(later) for later in task.actions[index + 1 :]))
    return tuple(agent.steps)


@dataclass(slots=True)
class _Agent:
    """Plays a conversation: what it has seen so far, and whether the shopper has been identified."""

    shop: Shop
    shopper: str | None
    steps: list[Step] = field(default_factory=list)
    seen: set[Seen] = field(default_factory=set)
    is_identified: bool = False

    def play(self, action: Action, *, has_finder: bool) -> None:
        is_ok = action.outcome == "ok"
        if _is_about_somebody(action) and (is_ok or ("order_id" in action.arguments and not has_finder)):
            self._identify()
        if is_ok:
            for kind, value in _demanded(action):
                self._know(kind, value, action)
        self._add(Step(action.tool, action.arguments, action.outcome, counted=True))

    def _identify(self) -> None:
        identification = None if self.is_identified or self.shopper is None else self.shop.identification(self.shopper)
        if identification is not None:
            self._add(Step(*identification))

    def _know(self, kind: str, value: str, action: Action) -> None:
        if (kind, value) in self.seen:
            return
        read = self._read_for(kind, value, action)
        # A read that would not show the value is not made: the call will be refused, and that is a finding.
        if read is None or (kind, value) not in set(introduced(self.shop, read.tool, read.arguments)):
            return
        for needed, its_value in _demanded(read):
            self._know(needed, its_value, action)
        self._add(read)

    def _read_for(self, kind: str, value: str, action: Action) -> Step | None:
        match kind:
            case "order" | "payment_method":
                return Step("get_user_details", {"user_id": self.shopper})
            case "product":
                return Step("list_all_product_types", {})
            case "item":
                order = self.shop.order(action.arguments.get("order_id"))
                if order is not None and any(item["item_id"] == value for item in order["items"]):
                    return Step("get_order_details", {"order_id": order["order_id"]})
                return Step("get_product_details", {"product_id": self.shop.product_of(value)})
            case _:
                return None

    def _add(self, step: Step) -> None:
        self.steps.append(step)
        if step.outcome == "ok":
            self.is_identified = self.is_identified or step.tool in FINDERS
            self.seen.update(introduced(self.shop, step.tool, step.arguments))


def _shopper(shop: Shop, task: Task) -> str | None:
    """Whom the conversation is about: whom it finds itself, else whose records it succeeds with, else whose order it asks for."""
    found = (shop.found_by(action.arguments) for action in task.actions if _identifies(action))
    succeeded = (shop.owner(action.arguments) for action in task.actions if action.outcome == "ok")
    asked = (shop.owner(action.arguments) for action in task.actions if "order_id" in action.arguments)
    return next((owner for owners in (found, succeeded, asked) for owner in owners if owner is not None), None)


def _identifies(action: Action) -> bool:
    return action.tool in FINDERS and action.outcome == "ok"


def _is_about_somebody(action: Action) -> bool:
    return "order_id" in action.arguments or "user_id" in action.arguments


def _demanded(action: Action | Step) -> Iterator[Seen]:
    for name, value in action.arguments.items():
        for each in value if isinstance(value, list) else [value]:
            if name in DEMANDED and isinstance(each, str):
                yield DEMANDED[name], each
