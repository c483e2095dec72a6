"""What must not get through does not, and if it did, it would be seen. What only comes at the wrong moment is stopped by the gate."""

import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from examples.retail.assistant import TOOLBOXES, assistant
from examples.retail.bindings import BINDINGS, IDENTIFIED
from examples.retail.command import SAMPLE, SAMPLE_TASKS
from examples.retail.machines import order
from examples.retail.script import Step
from examples.retail.tasks import read_tasks
from examples.retail.tools.desk import still_here
from examples.retail.violate import Found, Kept, Tried, main, report, violate
from examples.retail.violations import KINDS, OF_THE_GATE, Attempt, Kind
from handgriff import Assistant, Toolbox
from handgriff.machine import Binding
from handgriff.tool import Contract

PARTS = 8
"""The written conversations are tried in so many tests, that they may run beside each other."""
SECOND_SHOPPERS = (10, 10, 8, 8, 9, 8, 9, 9)
AFTER_THE_HANDOVER = (5, 0, 1, 0, 0, 0, 0, 0)
"""One second shopper is tried for each conversation that is identified; and what comes too late, in the two that are handed over."""
AT_THE_GATE = (180, 186, 202, 112, 173, 164, 135, 188)
"""How much only comes at the wrong moment, at least."""
TASKS = {task.name: task for task in read_tasks(SAMPLE_TASKS)}


def weakened(change: Callable[[Contract], Contract]) -> Assistant:
    """The shop's assistant with one duty taken from its contracts."""
    box = Toolbox("weak")
    for contract in assistant.contracts.values():
        box.add(change(contract))
    return Assistant("retail", instructions=assistant.instructions, toolboxes=[box])


def bound(*bindings: Binding) -> Assistant:
    """The shop's assistant with these bindings instead of its own."""
    made = Assistant("retail", instructions=assistant.instructions, toolboxes=TOOLBOXES, bindings=bindings)
    made.before_call(still_here)
    return made


def let_through(found: Found) -> set[str]:
    return {each.attempt.kind for each in found.tried if each.let_through is not None}


def counted(found: Found) -> Counter[Kind]:
    return Counter(each.attempt.kind for each in found.tried)


def test_the_kinds_of_the_gate_are_among_all_kinds() -> None:
    assert set(KINDS) > OF_THE_GATE
    assert {"skipped identification", "out of order", "wrong status", "twice"} <= OF_THE_GATE


@pytest.mark.anyio
@pytest.mark.parametrize("part", range(PARTS), ids=str)
async def test_nothing_gets_through_in_any_written_conversation(shared: Callable[[str], Path], part: int) -> None:
    """B101: a decision that comes too late runs nothing. B103: a typed "yes", or an argument that says so, confirms nothing."""
    tasks = read_tasks(shared("retail/tasks.json"))[part::PARTS]

    found = await violate(shared("retail/db.json"), tasks)

    assert [each for each in found.tried if each.let_through] == []
    assert [each for each in found.kept if each.wrong] == []
    counts = counted(found)
    assert (counts["a second shopper"], counts["after the handover"]) == (SECOND_SHOPPERS[part], AFTER_THE_HANDOVER[part])
    assert all(counts[kind] >= 9 for kind in KINDS if kind not in ("a second shopper", "after the handover"))
    assert sum(counts[kind] for kind in OF_THE_GATE) >= AT_THE_GATE[part]
    assert len({each.task for each in found.tried}) == sum(bool(task.actions) for task in tasks)
    assert sum(one.step.counted for one in found.kept) == sum(len(task.actions) for task in tasks)


def test_the_command_tries_the_sample(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["violate"])

    assert main() == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == list(KINDS)
    for kind, line in zip(KINDS, lines, strict=True):
        stopped, _, of, rest = line.split(": ")[1].split(maxsplit=3)
        assert (stopped, rest) == (of, "stopped at the gate" if kind in OF_THE_GATE else "stopped before a handler")
        assert int(of) > 0
    assert last == "everything else: 32 of 32 answered as written"


@pytest.mark.anyio
async def test_without_authority_foreign_orders_would_be_seen_to_get_through() -> None:
    weak = weakened(lambda contract: replace(contract, authorize=None, validate=None) if contract.toolbox == "orders" else contract)

    found = await violate(SAMPLE, [TASKS["cancelled"]], assistant=weak)

    assert "another shopper's order" in let_through(found)


@pytest.mark.anyio
async def test_without_consent_unconfirmed_changes_would_be_seen_to_get_through() -> None:
    weak = weakened(lambda contract: replace(contract, confirm=None))

    found = await violate(SAMPLE, [TASKS["moved house"]], assistant=weak)

    assert let_through(found) == {"a change, declined", "a change, expired", "a change, confirmed by text"}


@pytest.mark.anyio
async def test_without_bindings_the_gate_would_be_seen_to_let_everything_pass() -> None:
    """What stands behind the gate still keeps each of them from a handler, and is no gate."""
    found = await violate(SAMPLE, list(TASKS.values()), assistant=bound())

    of_the_gate = [each for each in found.tried if each.attempt.is_of_the_gate]
    assert {each.attempt.kind for each in of_the_gate} == OF_THE_GATE
    for each in of_the_gate:
        assert each.let_through is not None
        assert re.fullmatch("it was not closed by the gate, but refused at (meaning|consent): .*", each.let_through)
    assert let_through(found) == OF_THE_GATE
    assert [one for one in found.kept if one.wrong] == []


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("tool", "statuses", "task", "kinds"),
    [
        ("cancel_pending_order", ("pending", "cancelled"), "cancelled", {"twice"}),
        ("cancel_pending_order", ("pending", "delivered"), "cancelled", {"wrong status"}),
        ("modify_pending_order_items", ("pending", "item_modified"), "moved house", {"wrong status", "twice"}),
        ("return_delivered_order_items", ("delivered", "exchange_requested"), "exchanged once", {"twice"}),
        ("exchange_delivered_order_items", ("delivered", "exchange_requested"), "exchanged once", {"twice"}),
    ],
    ids=["cancel twice", "cancel delivered", "modify twice", "return exchanged", "exchange twice"],
)
async def test_a_binding_that_is_too_wide_would_be_seen(tool: str, statuses: tuple[str, ...], task: str, kinds: set[str]) -> None:
    others = [each for each in BINDINGS if each.tool != tool]

    found = await violate(SAMPLE, [TASKS[task]], assistant=bound(*others, order.bind(tool, at=[IDENTIFIED, order.at(*statuses)])))

    assert let_through(found) == kinds
    assert {each.attempt.tool for each in found.tried if each.let_through is not None} == {tool}


@pytest.mark.anyio
async def test_a_binding_that_is_too_narrow_would_be_seen() -> None:
    others = [each for each in BINDINGS if each.tool != "cancel_pending_order"]
    narrow = bound(*others, order.bind("cancel_pending_order", at=[IDENTIFIED, order.at("processed")]))

    found = await violate(SAMPLE, [TASKS["cancelled"]], assistant=narrow)

    assert [(one.step.tool, one.wrong is None) for one in found.kept][-1] == ("cancel_pending_order", False)
    assert report(found) == 1


def test_the_report_counts_each_kind_and_its_exit_code_tells(capsys: pytest.CaptureFixture[str]) -> None:
    good = Tried("a", Attempt("guessed ids", "get_item_details", {"item_id": "1"}), None)
    kept = Kept("a", Step("calculate", {"expression": "1"}), None)

    assert report(Found((good, replace(good, let_through="it succeeded")), (kept,))) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "a: guessed ids, get_item_details {'item_id': '1'}: it succeeded"
    assert "guessed ids: 1 of 2 stopped before a handler" in lines
    assert "malformed arguments: 0 of 0 stopped before a handler" in lines
    assert "twice: 0 of 0 stopped at the gate" in lines
    assert report(Found((good,), (kept,))) == 0


def test_a_call_that_is_lost_among_the_violations_is_named_and_counts(capsys: pytest.CaptureFixture[str]) -> None:
    kept = Kept("a", Step("calculate", {"expression": "1"}), "it was never made")

    assert report(Found((), (kept, replace(kept, wrong=None)))) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "a: as written, calculate {'expression': '1'}: expected ok, it was never made"
    assert lines[-1] == "everything else: 1 of 2 answered as written"
