"""What a store is asked to write."""

from dataclasses import fields, is_dataclass
from inspect import getmembers
from typing import get_args

import pytest

from handgriff.core import batch, rows
from handgriff.core.batch import Operation, StateChange

OPERATIONS = get_args(Operation)
OTHERS = {StateChange}
"""Parts of operations."""
ROWS = (rows.Session, rows.Effect, rows.Proposal, rows.Request, rows.QueuedHook, rows.Workflow)


def test_the_union_holds_every_operation_of_the_module() -> None:
    defined = {member for _, member in getmembers(batch, is_dataclass) if member.__module__ == batch.__name__}

    assert defined - OTHERS == set(OPERATIONS)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_says_whose_it_is_and_what_refuses_it(operation: type) -> None:
    named = fields(operation)

    assert named[0].name == "tenant" or any(field.type in ROWS for field in named)
    assert operation.__doc__
