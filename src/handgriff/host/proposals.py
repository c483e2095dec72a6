"""`host.proposals`: what waits for a person, and their decision."""

from collections.abc import Sequence

from handgriff.core.caller import Caller
from handgriff.core.proposal import already
from handgriff.core.rows import Proposal
from handgriff.errors import BackendError, Refusal
from handgriff.host.sessions import Opened
from handgriff.runtime.boundary.listed import may_confirm
from handgriff.runtime.decide import Decided, decide, find, granted


class HostProposals:
    """List, show and decide the caller's own proposals, and those of others that they may confirm as the second person."""

    def __init__(self, host: Opened) -> None:
        self._host = host

    async def list(self, caller: Caller, *, session: str | None = None) -> Sequence[Proposal]:
        """What waits for this caller and has not expired, oldest first. Without *session* also what others want and they may confirm, of
        that the oldest 50; none of it where that can't be said just now.

        Raises:
            BackendError: it can't be said, and nothing of their own waits.
        """
        engine = await self._host.engine()
        now = engine.clock.now()
        waiting = [*await engine.store.waiting(caller.tenant, caller.user, now, session=session)]
        if session is None:
            others = await engine.store.for_second_person(caller.tenant, now)
            try:
                waiting += await may_confirm(engine.boundary.second_person, caller, others)
            except BackendError:
                # Their own are theirs whoever can be asked. An empty list would say that there is nothing.
                if not waiting:
                    raise
                engine.log.exception("what others want of %s/%s is not listed: nobody could say", caller.tenant, caller.user)
        return sorted(waiting, key=lambda proposal: proposal.created_at)

    async def get(self, caller: Caller, proposal: str) -> Proposal:
        """The caller's own proposal, or one they may confirm as the second person, in whatever state.

        Raises:
            Refusal: `not_found`.
        """
        return await find(await self._host.engine(), caller, proposal)

    async def decide(self, caller: Caller, proposal: str, approved: bool, code: str | None = None) -> Decided:  # noqa: FBT001  # the decision itself, as in the specification
        """Confirm or decline; *code* is the one that was sent, where it demands one. When every sibling is decided, the turn goes on by
        itself; `Host.follow` shows it.

        Raises:
            Refusal: `not_found`, `invalid`, `denied` (a wrong code, or the owner as the second person), what became of it where it was
                decided already, or why it can't be checked just now. The proposal then stays as it was.
        """
        # Whoever decided may close the window; the decision is carried out all the same.
        return await self._host.uncut(self._decide(caller, proposal, approved, code))

    async def send_code(self, caller: Caller, proposal: str) -> Proposal:
        """Send the owner a new code; the one before is no longer good.

        Raises:
            Refusal: `not_found`; `invalid` where it demands no code; what became of it, where it was decided already; `rate_limited`.
            BackendError: it could not be sent.
        """
        engine = await self._host.engine()
        found = await find(engine, caller, proposal)
        if found.confirm != "code":
            raise Refusal("invalid", "This proposal needs no code.", next="Confirm or decline it.")
        if found.state != "pending":
            raise already(found.state)
        if engine.clock.now() >= found.expires_at:
            raise Refusal("expired", "This proposal has expired.", next="Ask for it again.")
        return await engine.boundary.codes.send(caller, found)

    async def _decide(self, caller: Caller, proposal: str, approved: object, code: object) -> Decided:
        engine = await self._host.engine()
        decided = await decide(engine, caller, proposal, approved, code)
        if decided.continues:
            session = await engine.store.session(decided.proposal.tenant, decided.proposal.session)
            if session is not None:
                await self._host.go_on(granted(caller, decided.proposal), session)
        return decided
