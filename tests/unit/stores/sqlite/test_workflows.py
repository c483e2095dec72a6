"""What a firing call costs in this adapter: one statement for each operation. What it must do is said by the suite."""

import sqlite3
from dataclasses import replace

import pytest

from handgriff.core.batch import Batch, ClaimEffect, CreateSession, SettleEffect, StartWorkflow
from handgriff.core.rows import Fired
from handgriff.ports.store import CommitRefused
from handgriff.stores.sqlite.apply import apply
from handgriff.testing.samples import EFFECT, SESSION, TENANT, WORKFLOW, at, own_workflow
from handgriff.testing.stores.workflows import check, claim, settle

FIRING = replace(EFFECT, fires=Fired(WORKFLOW.machine, WORKFLOW.handle, "SENT"))
OUTCOME = SettleEffect(TENANT, EFFECT.tool, EFFECT.key, EFFECT.claim, "done", at(5), "{}")
CALL: dict[str, Batch] = {
    "claim": (claim(), ClaimEffect(FIRING)),
    "settle": (OUTCOME, settle(until=900)),
    "let go": (settle(moves=False),),
    "check": (check(0), ClaimEffect(EFFECT)),
    "start": (StartWorkflow(own_workflow()), claim(of=own_workflow()), ClaimEffect(EFFECT)),
}


@pytest.mark.parametrize("step", CALL)
def test_each_operation_of_a_call_is_one_statement(cursor: sqlite3.Cursor, step: str) -> None:
    before: Batch = (StartWorkflow(WORKFLOW), *(CALL["claim"] if step in ("settle", "let go") else ()))
    apply(cursor, (CreateSession(SESSION), *before))
    asked: list[str] = []
    cursor.connection.set_trace_callback(asked.append)

    apply(cursor, CALL[step])

    cursor.connection.set_trace_callback(None)
    assert len(asked) == len(CALL[step])


def test_a_refused_operation_leaves_the_rest_to_the_transaction(cursor: sqlite3.Cursor) -> None:
    apply(cursor, (StartWorkflow(WORKFLOW), claim()))

    with pytest.raises(CommitRefused) as refused:
        apply(cursor, (settle(), claim(7)))

    assert (refused.value.guard, refused.value.subject) == ("workflow", WORKFLOW.handle)
    assert cursor.execute("SELECT version, claim FROM handgriff_workflow").fetchall() == [(1, None)]
