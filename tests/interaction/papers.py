"""A small office whose papers follow a workflow: for tests of the gate. One machine, kept by session, by handle, or by the process."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from handgriff import Assistant, Call, Caller, Machine, Result, Toolbox
from handgriff.machine import State
from tests.interaction.desk import WORDS

STATES = (
    State("draft", on={"SUBMIT": "review"}),
    State("review", on={"APPROVE": "approved", "REJECT": "draft"}),
    State("approved", on={"DISCHARGE": "discharged"}, tags="payable"),
    State("discharged", type="final"),
)
ADA = Caller("acme", "ada")
BEN = Caller("acme", "ben")
EVE = Caller("other", "eve")


async def everybody(tenant: str, user: str) -> Caller | None:
    """All three work here, each with no rights of any kind."""
    return next((each for each in (ADA, BEN, EVE) if (each.tenant, each.user) == (tenant, user)), None)


@dataclass(slots=True)
class Office:
    """What its tools have done, and what they are told to do."""

    ran: list[str] = field(default_factory=list)
    instead: dict[str, Callable[[], Any]] = field(default_factory=dict)
    """By tool: what its handler does and answers instead, at once or awaited."""

    async def work(self, name: str) -> Result[None]:
        """What every handler does."""
        self.ran.append(name)
        answer = self.instead.get(name)
        if answer is None:
            return Result(f"{name} was done.")
        answered = answer()
        made: Result[None] = await answered if inspect.isawaitable(answered) else answered
        return made

    def machine(self, **kept: Any) -> Machine:
        """The workflow of papers."""
        return Machine("paper", *STATES, **kept)

    def assistant(self, paper: Machine | None = None, *beside: Toolbox, **options: Any) -> Assistant:
        """Tools for each step, one that looks everywhere, one that only looks at what is approved, and one that is bound to nothing."""
        machine = paper or self.machine()
        box = Toolbox("papers")

        @box.tool(effect="write", description=WORDS, at=machine.at("draft"), fires="SUBMIT")
        async def submit() -> Result[None]:
            return await self.work("submit")

        @box.tool(effect="write", description=WORDS, at=machine.at("review"), fires="APPROVE")
        async def approve() -> Result[None]:
            return await self.work("approve")

        @box.tool(effect="write", description=WORDS, at=machine.at("review"), fires="REJECT")
        async def reject() -> Result[None]:
            return await self.work("reject")

        @box.tool(effect="write", description=WORDS, at=machine.tagged("payable"), fires="DISCHARGE")
        async def discharge() -> Result[None]:
            return await self.work("discharge")

        @box.tool(effect="read", description=WORDS, at=machine.at("approved", "discharged"), compact="Look at what is approved.")
        async def audit() -> Result[None]:
            return await self.work("audit")

        @box.tool(effect="read", description=WORDS)
        async def look() -> Result[None]:
            return await self.work("look")

        if any(binding.tool == "amend" for binding in options.get("bindings", ())):

            @box.tool(effect="write", description=WORDS)
            async def amend() -> Result[None]:
                return await self.work("amend")

        if machine.has_handle:

            @box.tool(effect="write", description=WORDS, starts=machine)
            async def begin(call: Call, paper: str = "") -> Result[None]:
                return await self.work(f"begin {len(paper)}")

        return Assistant("office", instructions="Keep papers in order.", toolboxes=[box, *beside], **options)
