"""Whoever binds calls, a host or not, has a store that holds the transactions its tools declare."""

import pytest

from handgriff import Assistant, Call, DefinitionError, Result, Toolbox
from handgriff.core.state import StateLimits
from handgriff.host.adapters import no_deps
from handgriff.runtime.boundary.calls import Calls
from handgriff.runtime.notebooks import Notebooks
from handgriff.stores.memory import MemoryStore
from handgriff.testing.clock import StillClock


def binding(*, transaction: bool) -> Calls:
    box = Toolbox("books")

    @box.tool(effect="write", transaction=transaction)
    async def book(call: Call) -> Result[None]:
        """Use when: something is booked. Not for: looking. Needs: nothing. Effect: books it."""
        return Result("Booked.")

    assistant = Assistant("books", instructions="You keep books.", toolboxes=[box])
    store, clock = MemoryStore(), StillClock()
    return Calls(assistant, store, clock, no_deps, Notebooks(store, None, clock, StateLimits()), StateLimits())


def test_a_store_that_holds_no_transaction_is_refused_before_any_call_is_bound() -> None:
    assert binding(transaction=False).store is not None

    with pytest.raises(DefinitionError, match="shares no database with the application") as raised:
        binding(transaction=True)
    assert (raised.value.subject, raised.value.member) == ("book", "transaction")
