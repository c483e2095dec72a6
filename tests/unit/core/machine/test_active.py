"""What is active in a snapshot."""

from typing import Any

from handgriff.core.machine.active import active, meta, tags
from tests.unit.core.machine.machines import begun, machine, sent

INSIDE: dict[str, Any] = {"initial": "x", "states": {"x": {"tags": ["payable", "new"]}, "y": {"id": "why"}}, "on": {"Y": ".y"}}
MACHINE = machine(
    {"p": {"type": "parallel", "tags": "open", "states": {"l": INSIDE, "r": {"meta": {"page": 1}}}}, "z": {"tags": "closed"}}, meta=[1]
)


def test_every_active_state_is_told_by_its_id() -> None:
    assert active(MACHINE, begun(MACHINE)) == {"m", "m.p", "m.p.l", "m.p.l.x", "m.p.r"}
    assert active(MACHINE, sent(MACHINE, "Y").snapshot) == {"m", "m.p", "m.p.l", "why", "m.p.r"}


def test_tags_and_meta_are_those_of_the_active_states() -> None:
    assert tags(MACHINE, begun(MACHINE)) == {"open", "payable", "new"}
    assert tags(MACHINE, sent(MACHINE, "Y").snapshot) == {"open"}
    assert meta(MACHINE, begun(MACHINE)) == {"m": [1], "m.p.r": {"page": 1}}
