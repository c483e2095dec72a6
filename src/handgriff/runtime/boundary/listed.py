"""Which of many proposals somebody may confirm as the second person: asked for one list, at the price of one call and not of many.

Rights are read once, and what they rule out is asked nothing more. The application's objects are opened once for all that is left.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from handgriff.core.caller import Caller
from handgriff.core.contract import Contract
from handgriff.core.rows import Proposal
from handgriff.core.schema.form import Arguments
from handgriff.errors import BackendError, DefinitionError, Refusal
from handgriff.runtime.boundary.attempt import Attempt, Place
from handgriff.runtime.boundary.calls import Calls
from handgriff.runtime.boundary.entitled import SecondPerson
from handgriff.runtime.boundary.meaning import check_authority
from handgriff.runtime.boundary.resolve import may_use, rights_now

SHOWN: Final = 50
"""Proposals of others that one list shows."""
ASKED: Final = 200
"""Proposals whose `authorize` one list asks. Whoever may confirm one behind them finds it by its link."""
OPENED: Final = 5
"""How often the application's objects are opened for one list: once, and anew where a check of theirs raised something."""


async def may_confirm(second: SecondPerson, caller: Caller, waiting: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """Those of *waiting*, in their order, that *caller* may confirm.

    Raises:
        BackendError: nobody could say.
    """
    others = [each for each in waiting if each.confirm == "second_person" and each.tenant == caller.tenant and each.user != caller.user]
    if not others:
        return ()
    try:
        today = await rights_now(second.callers, caller)
    except Refusal:
        return ()
    except DefinitionError as error:
        second.effects.incident(error, others[0].tool, others[0].call)
        return ()
    usable = {
        name: contract for name, contract in second.calls.assistant.contracts.items() if may_use(contract, today, second.surroundings)
    }
    left = [(each, usable[each.tool]) for each in others if each.tool in usable][:ASKED]
    found: list[Proposal] = []
    for _ in range(OPENED):
        if left and len(found) < SHOWN:
            await _ask(second, caller, today, left, found)
    return tuple(found)


async def _ask(second: SecondPerson, caller: Caller, today: Caller, left: list[tuple[Proposal, Contract]], found: list[Proposal]) -> None:
    """Move from *left* to *found* what they may confirm, within one opening of the application's objects. A check that raises ends it,
    because nobody knows in which state it left them."""
    asked = left[0][0]
    try:
        async with _opened_once(second.calls, today, needed=any(contract.authorize is not None for _, contract in left)) as calls:
            while left and len(found) < SHOWN:
                asked, contract = left.pop(0)
                if await _is_allowed(calls, caller, today, asked, contract):
                    found.append(asked)
    except BackendError:
        raise
    except Exception as error:  # noqa: BLE001  # what their own objects or checks raise lets nobody in
        second.effects.incident(error, asked.tool, asked.call)


async def _is_allowed(calls: Calls, caller: Caller, today: Caller, proposal: Proposal, contract: Contract) -> bool:
    try:
        arguments: Arguments = contract.schema.validate(proposal.arguments)
        if contract.authorize is None:
            return True
        place = Place(caller.tenant, caller.user, proposal.session, proposal.turn)
        attempt = Attempt(proposal.call, proposal.tool, proposal.arguments, caller, place)
        async with calls.bound(attempt, contract, today) as call:
            await check_authority(contract, arguments, call)
    except Refusal:
        return False
    return True


@asynccontextmanager
async def _opened_once(calls: Calls, caller: Caller, *, needed: bool) -> AsyncIterator[Calls]:
    """*calls*, whose application's objects are those that are opened here."""
    if not needed:
        yield calls
        return
    async with calls.deps(caller) as deps:

        @asynccontextmanager
        async def already(_: Caller) -> AsyncIterator[Any]:
            yield deps

        yield replace(calls, deps=already)
