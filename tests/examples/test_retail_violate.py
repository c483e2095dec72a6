"""What must not get through does not, and if it did, it would be seen."""

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from examples.retail.assistant import assistant
from examples.retail.command import SAMPLE, SAMPLE_TASKS
from examples.retail.tasks import read_tasks
from examples.retail.violate import Tried, main, report, violate
from examples.retail.violations import KINDS, Attempt
from handgriff import Assistant, Toolbox
from handgriff.tool import Contract

TASKS = {task.name: task for task in read_tasks(SAMPLE_TASKS)}


def weakened(change: Callable[[Contract], Contract]) -> Assistant:
    """The shop's assistant with one duty taken from its contracts."""
    box = Toolbox("weak")
    for contract in assistant.contracts.values():
        box.add(change(contract))
    return Assistant("retail", instructions=assistant.instructions, toolboxes=[box])


def let_through(tried: tuple[Tried, ...]) -> set[str]:
    return {each.attempt.kind for each in tried if each.let_through is not None}


@pytest.mark.anyio
async def test_nothing_gets_through_in_any_written_conversation(shared: Callable[[str], Path]) -> None:
    """B101: a decision that comes too late runs nothing. B103: a typed "yes", or an argument that says so, confirms nothing."""
    tasks = read_tasks(shared("retail/tasks.json"))

    tried = await violate(shared("retail/db.json"), tasks)

    assert [each for each in tried if each.let_through] == []
    counts = Counter(each.attempt.kind for each in tried)
    assert all(counts[kind] >= 119 for kind in KINDS)
    assert len({each.task for each in tried}) == sum(bool(task.actions) for task in tasks) - 1


def test_the_command_tries_the_sample(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["violate"])

    assert main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == list(KINDS)
    for line in lines:
        stopped, _, of, *rest = line.split(": ")[1].split()
        assert (stopped, rest) == (of, ["stopped", "before", "a", "handler"])
        assert int(of) > 0


@pytest.mark.anyio
async def test_without_authority_foreign_orders_would_be_seen_to_get_through() -> None:
    weak = weakened(lambda contract: replace(contract, authorize=None) if contract.toolbox == "orders" else contract)

    tried = await violate(SAMPLE, [TASKS["cancelled"]], assistant=weak)

    assert "another shopper's order" in let_through(tried)


@pytest.mark.anyio
async def test_without_consent_unconfirmed_changes_would_be_seen_to_get_through() -> None:
    weak = weakened(lambda contract: replace(contract, confirm=None))

    tried = await violate(SAMPLE, [TASKS["cancelled"]], assistant=weak)

    assert let_through(tried) == {"a change, declined", "a change, expired", "a change, confirmed by text"}


def test_the_report_counts_each_kind_and_its_exit_code_tells(capsys: pytest.CaptureFixture[str]) -> None:
    good = Tried("a", Attempt("guessed ids", "get_item_details", {"item_id": "1"}), None)

    assert report([good, replace(good, let_through="it succeeded")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "a: guessed ids, get_item_details {'item_id': '1'}: it succeeded"
    assert "guessed ids: 1 of 2 stopped before a handler" in lines
    assert "malformed arguments: 0 of 0 stopped before a handler" in lines
    assert report([good]) == 0
