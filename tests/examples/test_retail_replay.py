"""Written conversations against the whole system: they end as expected, and whatever does not is named."""

import sys
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from examples.retail.command import SAMPLE, SAMPLE_TASKS, arguments
from examples.retail.replay import Played, main, replay, report
from examples.retail.tasks import Action, Task, read_tasks

PARTS = 4
"""The written conversations are played in so many tests, that they may run beside each other."""
TASKS = {task.name: task for task in read_tasks(SAMPLE_TASKS)}


async def found(task: Task) -> tuple[str, ...]:
    (played,) = await replay(SAMPLE, [task])
    return played.found


@pytest.mark.anyio
@pytest.mark.parametrize("part", range(PARTS), ids=str)
async def test_every_written_conversation_of_a_real_shop_ends_as_expected(shared: Callable[[str], Path], part: int) -> None:
    tasks = read_tasks(shared("retail/tasks.json"))
    assert len(tasks) == 74

    played = await replay(shared("retail/db.json"), tasks[part::PARTS])

    assert [each for each in played if each.found] == []
    assert len(played) == len(tasks[part::PARTS])


def test_the_command_plays_the_sample(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["replay"])

    assert main() == 0
    assert capsys.readouterr().out == "5 of 5 conversations end as expected\n"


@pytest.mark.anyio
async def test_an_outcome_that_is_not_as_written_is_named() -> None:
    task = TASKS["only looking"]
    turned = tuple(replace(action, outcome="ok" if action.outcome == "refused" else "refused") for action in task.actions[:2])

    lines = await found(Task("turned", turned, {}))

    assert "call 1 (written), get_product_details: expected refused" not in " ".join(lines)
    assert [line.split(", ", 2)[1] for line in lines] == ["get_product_details: expected ok"]


@pytest.mark.anyio
async def test_a_refusal_that_was_expected_and_did_not_come_is_named() -> None:
    task = TASKS["cancelled"]
    lines = await found(replace(task, actions=(*task.actions[:-1], replace(task.actions[-1], outcome="refused"))))

    assert lines == ("call 5 (written), cancel_pending_order: expected refused, was ok",)


@pytest.mark.anyio
async def test_a_record_that_is_not_as_written_is_named_to_the_field() -> None:
    task = TASKS["cancelled"]
    user: Any = dict(task.changed["users", "ada_moss_1201"])
    user["payment_methods"] = {
        **user["payment_methods"],
        "gift_card_4000001": {"source": "gift_card", "id": "gift_card_4000001", "balance": Decimal("48.76")},
    }

    lines = await found(replace(task, changed={**task.changed, ("users", "ada_moss_1201"): user}))

    assert lines == ("users ada_moss_1201, payment_methods.gift_card_4000001.balance: expected 48.76, is 48.75",)


@pytest.mark.anyio
async def test_a_record_that_changed_unexpectedly_is_named_and_the_next_conversation_starts_afresh() -> None:
    task = TASKS["cancelled"]

    first, second = await replay(SAMPLE, [replace(task, changed={}), task])

    assert {line.split(",")[0] for line in first.found} == {"orders #W1000001", "users ada_moss_1201"}
    assert second.found == ()


@pytest.mark.anyio
async def test_what_no_shop_knows_is_named_and_does_not_end_the_run() -> None:
    odd = Task(
        "odd", (Action("get_order_details", {"order_id": "#W404"}, "ok"), Action("no_such_tool", {}, "ok")), {("orders", "#W404"): {}}
    )

    lines, good = [played.found for played in await replay(SAMPLE, [odd, TASKS["only looking"]])]

    assert [line.split(":")[0] for line in lines] == [
        "call 1 (written), get_order_details",
        "call 2 (written), no_such_tool",
        "orders #W404, the record",
    ]
    assert good == ()


def test_the_report_counts_and_its_exit_code_tells(capsys: pytest.CaptureFixture[str]) -> None:
    assert report([Played("a", ()), Played("b", ("one", "two"))]) == 1
    assert capsys.readouterr().out == "b: one\nb: two\n1 of 2 conversations end as expected\n"
    assert report([]) == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [("--db", "[]"), ("--db", "no JSON"), ("--tasks", '{"a": {}}'), ("--tasks", '{"a": {"actions": [{}], "changed": {}}}')],
)
def test_files_of_another_form_are_refused_before_anything_runs(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "given.json").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["replay", name, str(tmp_path / "given.json")])

    with pytest.raises(SystemExit) as stopped:
        arguments("replay", "Play.")

    assert stopped.value.code == 2
    assert "error: " in capsys.readouterr().err
