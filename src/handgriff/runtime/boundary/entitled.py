"""Whether somebody may confirm what another person wants done: the tool's own rights, asked of them."""

from dataclasses import dataclass

from handgriff.core.caller import Caller
from handgriff.core.requirement import Surroundings
from handgriff.core.rows import Proposal
from handgriff.errors import BackendError, Refusal
from handgriff.ports.callers import Callers
from handgriff.runtime.boundary.attempt import Attempt, Place
from handgriff.runtime.boundary.calls import Calls
from handgriff.runtime.boundary.effect import Effects
from handgriff.runtime.boundary.meaning import check_authority
from handgriff.runtime.boundary.resolve import resolve, rights_now


@dataclass(frozen=True, slots=True)
class SecondPerson:
    """Says who may be one, for one host."""

    calls: Calls
    callers: Callers
    surroundings: Surroundings
    effects: Effects

    async def may_be(self, caller: Caller, proposal: Proposal) -> bool:
        """Whether *caller* is another user of the tenant who may use this tool with these arguments, with rights read now.

        Raises:
            BackendError: nobody could say.
        """
        if proposal.confirm != "second_person" or caller.tenant != proposal.tenant or caller.user == proposal.user:
            return False
        try:
            today = await rights_now(self.callers, caller)
            contract = resolve(self.calls.assistant, proposal.tool, today, self.surroundings)
            arguments = contract.schema.validate(proposal.arguments)
            place = Place(caller.tenant, caller.user, proposal.session, proposal.turn)
            attempt = Attempt(proposal.call, proposal.tool, proposal.arguments, caller, place)
            async with self.calls.bound(attempt, contract, today) as call:
                await check_authority(contract, arguments, call)
                return True
        except Refusal:
            return False
        except BackendError:
            raise
        except Exception as error:  # noqa: BLE001  # what their own check raises lets nobody in
            self.effects.incident(error, proposal.tool, proposal.call)
        return False
