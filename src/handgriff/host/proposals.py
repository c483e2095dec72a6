"""`host.proposals`: what waits for a person, and their decision."""

from collections.abc import Sequence

from handgriff.core.caller import Caller
from handgriff.core.proposal import read_grant
from handgriff.core.rows import Proposal
from handgriff.host.sessions import Opened
from handgriff.runtime.decide import Decided, decide, find
from handgriff.runtime.engine import require


class HostProposals:
    """List, show and decide the caller's own proposals."""

    def __init__(self, host: Opened) -> None:
        self._host = host

    async def list(self, caller: Caller, *, session: str | None = None) -> Sequence[Proposal]:
        """What waits for this caller and has not expired, oldest first."""
        engine = await self._host.engine()
        waiting = await engine.store.proposals(caller.tenant, user=caller.user, session=session, state="pending")
        now = engine.clock.now()
        return [proposal for proposal in waiting if now < proposal.expires_at]

    async def get(self, caller: Caller, proposal: str) -> Proposal:
        """The caller's own proposal, in whatever state.

        Raises:
            Refusal: `not_found`.
        """
        return await find(await self._host.engine(), caller, proposal)

    async def decide(self, caller: Caller, proposal: str, approved: bool) -> Decided:  # noqa: FBT001  # the decision itself, as in the specification
        """Confirm or decline. When every sibling is decided, the turn goes on by itself; `Host.follow` shows it.

        Raises:
            Refusal: `not_found`, `invalid`, or what became of it where it was decided already.
        """
        # Whoever decided may close the window; the decision is carried out all the same.
        return await self._host.uncut(self._decide(caller, proposal, approved))

    async def _decide(self, caller: Caller, proposal: str, approved: object) -> Decided:
        decided = await decide(await self._host.engine(), caller, proposal, approved)
        if decided.continues:
            session = await require(await self._host.engine(), caller, decided.proposal.session)
            await self._host.go_on(caller.within(read_grant(decided.proposal.grant)), session)
        return decided
