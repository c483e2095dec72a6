"""The story of one invoice, told through any door: what each person tries, and what must come of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from examples.invoices.doors import Answer, Door


@dataclass(frozen=True, slots=True)
class Try:
    """One call, and the refusal it must meet; None where it must succeed, "unconfirmed" where a person is asked, who then confirms."""

    who: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    code: str | None = None


CREATE: Final = Try("clara", "create_invoice", {"supplier": "Paper & Sons", "cents": 12_000})
STORY: Final = (
    Try("theo", "discharge_invoice", code="closed"),
    Try("rita", "approve_invoice", code="closed"),
    Try("clara", "submit_invoice"),
    Try("clara", "correct_invoice", {"cents": 1}, code="closed"),
    Try("clara", "approve_invoice", code="not_found"),
    Try("aaron", "approve_invoice", code="not_found"),
    Try("olga", "approve_invoice", code="not_found"),
    Try("rita", "reject_invoice", {"why": "The amount is wrong."}),
    Try("clara", "correct_invoice", {"cents": 10_000}),
    Try("clara", "submit_invoice"),
    Try("rita", "approve_invoice"),
    Try("aaron", "show_invoice"),
    Try("theo", "discharge_invoice", code="unconfirmed"),
    Try("theo", "discharge_invoice", code="closed"),
    Try("rita", "reject_invoice", {"why": "Too late."}, code="closed"),
)
"""With every refusal that the workflow, the four roles and the other company owe. Clara may not approve what she wrote."""


async def tell(doors: Mapping[str, Door], say: Callable[[str], None]) -> list[str]:
    """Tell the story through *doors*, by person; what was otherwise than it must be."""
    wrong: list[str] = []
    begun = await doors[CREATE.who].call(CREATE.tool, **CREATE.arguments)
    handle = handle_of(begun)
    say(f"{CREATE.who.title()} begins {handle}: {begun.text}")
    for each in STORY:
        answer = await doors[each.who].call(each.tool, invoice=handle, **each.arguments)
        say(f"{each.who.title()} calls {each.tool}: {answer.code or 'done'}. {answer.text}")
        if answer.code != each.code:
            wrong.append(f"{each.who}'s {each.tool} was {answer.code or 'done'}, not {each.code or 'done'}")
        if answer.code == "unconfirmed":
            confirmed = await doors[each.who].confirm(answer.facts["proposal"])
            say(f"{each.who.title()} confirms: {confirmed.text}")
            wrong += [] if confirmed.code is None else [f"confirming was {confirmed.code}"]
    return wrong


def handle_of(begun: Answer) -> str:
    """The new invoice's handle: in the text that the model reads, and in the change of state that a page reads."""
    workflow = begun.facts.get("workflow")
    if workflow is not None:
        return str(workflow["invoice"])
    [moved] = begun.facts["moved"]
    return str(moved["path"].rpartition(":")[2])
