"""How a call is bound: the application's objects opened around it, its session's state and scratch, its transaction.

Below are the store and the application; above, the pipeline, and whoever asks the application something about a call.
"""

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from handgriff.core.call import ConfirmedProposal
from handgriff.core.caller import Caller
from handgriff.core.contract import Contract
from handgriff.core.proposal import read_before
from handgriff.core.result import Result
from handgriff.core.rows import Proposal
from handgriff.core.state import StateLimits
from handgriff.errors import DefinitionError, Refusal
from handgriff.ports.callers import Deps
from handgriff.ports.clock import Clock
from handgriff.ports.store import Store
from handgriff.ports.transaction import Transacting
from handgriff.runtime.assistant import Assistant
from handgriff.runtime.boundary.access import Access
from handgriff.runtime.boundary.attempt import Attempt
from handgriff.runtime.boundary.bound import BoundCall, InnerCall
from handgriff.runtime.boundary.scratch import Scratches
from handgriff.runtime.boundary.state import BoundState
from handgriff.runtime.boundary.together import Together
from handgriff.runtime.notebooks import Notebooks

_LOG = logging.getLogger("handgriff.call")


async def no_inner_calls(name: str, args: Mapping[str, Any], *, may_write: bool) -> Result[Any]:
    """Where the application is only asked something.

    Raises:
        Refusal: `denied`, always.
    """
    del args, may_write
    raise Refusal("denied", f"Whoever is only asked may not call {name}.")


@dataclass(frozen=True, slots=True)
class Calls:
    """Binds the calls of one host.

    Raises:
        DefinitionError: a tool declares `transaction` and the store can't hold one.
    """

    assistant: Assistant
    store: Store
    clock: Clock
    deps: Deps
    notebooks: Notebooks
    limits: StateLimits

    def __post_init__(self) -> None:
        for contract in self.assistant.contracts.values():
            self._transacting(contract)

    @asynccontextmanager
    async def bound(
        self, attempt: Attempt, contract: Contract, caller: Caller, inner: InnerCall = no_inner_calls
    ) -> AsyncIterator[BoundCall]:
        """*attempt* as the application's functions are given it, for *caller*, inside their own objects."""
        place, confirmed = attempt.place, attempt.confirmed
        now = self.clock.now()
        access = Access(self.limits)
        async with self.deps(caller) as deps:
            yield BoundCall(
                id=attempt.id,
                session=place.session,
                turn=place.turn,
                caller=caller,
                deps=deps,
                state=BoundState(self.store, place, access, self.assistant.declared),
                scratches=Scratches(self.notebooks, place, access),
                access=access,
                now=now,
                log=logging.LoggerAdapter(_LOG, {"call": attempt.id, "tool": contract.name}),
                say=place.say,
                inner=inner,
                idempotency_key=attempt.id,
                together=Together(contract.name, access, self._transacting(contract)),
                proposal=None if confirmed is None else _confirmed(confirmed, attempt),
            )

    def _transacting(self, contract: Contract) -> Transacting | None:
        if not contract.transaction:
            return None
        if not isinstance(self.store, Transacting):
            raise DefinitionError(
                contract.name,
                "transaction",
                "this host's store shares no database with the application.",
                mend="use a sqlite:/// or postgresql:// store.",
            )
        return self.store


def _confirmed(proposal: Proposal, attempt: Attempt) -> ConfirmedProposal:
    return ConfirmedProposal(proposal.id, read_before(proposal.before), attempt.decided_by or attempt.grant.user)
