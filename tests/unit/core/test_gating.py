"""Whether a tool is open as far as can be said without arguments. What lists and refusals make of it is in `test_gate_property.py`."""

from typing import Any

import pytest

from handgriff import Machine, Result, Toolbox
from handgriff.core.contract import Contract
from handgriff.core.gating import is_open
from handgriff.core.standing import Standing
from handgriff.machine import State

PAPER = Machine("paper", State("draft", on={"SUBMIT": "review"}), State("review", type="final"))
NOWHERE = Standing(PAPER, frozenset(), "unknown")


def tool(**bound: Any) -> Contract:
    box = Toolbox("papers")

    @box.tool(effect="write", description="Use when: asked. Not for: others. Needs: nothing. Effect: as it says.", **bound)
    async def submit() -> Result[None]:
        return Result("Submitted.")

    return box.contracts()[0]


@pytest.mark.parametrize("bound", [{"at": PAPER.at("draft")}, {"fires": PAPER.event("SUBMIT")}], ids=["by its state", "by its event alone"])
def test_a_machine_that_cant_go_on_closes_what_is_bound_to_it(bound: dict[str, Any]) -> None:
    assert not is_open(tool(**bound), {PAPER: NOWHERE})
    assert is_open(tool(**bound), {})
