"""Step 6: a call that a person must confirm is parked as a proposal; a confirmed one is compared with what the person saw."""

from datetime import timedelta

from handgriff.core import jsontext
from handgriff.core.batch import HoldProposal
from handgriff.core.define import CONFIRMS
from handgriff.core.events import ConfirmKind
from handgriff.core.outcome import shorten, show_diff
from handgriff.core.proposal import before_of, fingerprint_of, write_grant
from handgriff.core.result import Plan
from handgriff.core.rows import Proposal
from handgriff.core.view import view
from handgriff.errors import DefinitionError, Refusal
from handgriff.ports.clock import Clock
from handgriff.ports.ids import Ids
from handgriff.ports.store import CommitRefused, Writer
from handgriff.runtime.boundary.attempt import Parked, overtaken
from handgriff.runtime.boundary.invoke import invoke_within
from handgriff.runtime.boundary.ready import Ready

SAMPLE_LINES = 20
"""Lines of a plan's sample that are kept."""


async def who_confirms(ready: Ready, *, seconds: float) -> ConfirmKind | None:
    """Who must decide before this call may run, by the contract or by its arguments; None where nobody needs to."""
    contract = ready.contract
    if contract.plan is None or contract.confirm is None:
        return None
    if not callable(contract.confirm):
        return contract.confirm
    answer = await invoke_within(seconds, contract.confirm, view(contract.schema, ready.arguments), ready.call)
    if answer is None:
        # What can't be undone is never done unasked.
        return "person" if contract.effect == "irreversible" else None
    for kind in CONFIRMS:
        if answer == kind:
            return kind
    words = ", ".join(map(repr, CONFIRMS))
    raise DefinitionError(contract.name, "confirm", f"it answered {answer!r}.", mend=f"answer {words} or None.")


async def make_plan(ready: Ready, *, seconds: float) -> Plan:
    """The tool's own dry run, with the handler's parameters."""
    contract = ready.contract
    if contract.plan is None:
        raise DefinitionError(contract.name, "plan", "it is missing.", mend="attach one.")
    arguments = {name: value for name, value in ready.arguments.values.items() if contract.is_imported or name in contract.plan_takes}
    if contract.plan_call is not None:
        arguments[contract.plan_call] = ready.call
    plan = await invoke_within(seconds, contract.plan, **arguments)
    if not isinstance(plan, Plan):
        raise DefinitionError(contract.name, "plan", f"it answered {type(plan).__name__}.", mend="return a Plan.")
    return plan


async def park(ready: Ready, plan: Plan, confirm: ConfirmKind, *, store: Writer, clock: Clock, ids: Ids, seconds: float) -> Parked:
    """Store the proposal: exactly these arguments, for exactly this person.

    Raises:
        Refusal: `not_run`; the turn has lost its session.
    """
    attempt, now = ready.attempt, clock.now()
    proposal = Proposal(
        tenant=attempt.place.tenant,
        user=attempt.place.user,
        session=attempt.place.session,
        turn=attempt.place.turn,
        id=ids.new("proposal"),
        call=attempt.id,
        tool=ready.contract.name,
        arguments=ready.arguments.canonical,
        digest=ready.digest,
        contract=ready.contract.digest(),
        summary=shorten(plan.summary),
        diff=show_diff(plan),
        before=before_of(plan),
        fingerprint=fingerprint_of(plan),
        created_at=now,
        expires_at=now + timedelta(seconds=seconds),
        count=plan.count,
        sample=tuple(shorten(jsontext.clean(line)) for line in plan.sample[:SAMPLE_LINES]),
        grant=write_grant(attempt.grant),
        wire_id=attempt.wire_id,
        typed=attempt.is_typed,
        confirm=confirm,
    )
    try:
        await store.commit((*attempt.place.guard, HoldProposal(proposal)), durable=True)
    except CommitRefused:
        raise overtaken() from None
    return Parked(proposal)


def check_same_call(ready: Ready, proposal: Proposal) -> None:
    """It is still the tool and the arguments that the person saw.

    Raises:
        Refusal: `stale`.
    """
    if proposal.contract != ready.contract.digest():
        raise stale("The tool has changed since it was proposed.")
    if proposal.digest != ready.digest:
        raise stale("The arguments read differently now.")


def check_same_way(confirm: ConfirmKind | None, proposal: Proposal) -> None:
    """Nothing stricter than what the proposal was confirmed by is demanded now.

    Raises:
        Refusal: `stale`.
    """
    if confirm not in (None, "person", proposal.confirm):
        raise stale("It must be confirmed in another way now.")


def check_still_true(plan: Plan, proposal: Proposal) -> None:
    """What the person saw is still what would happen.

    Raises:
        Refusal: `stale`.
    """
    if proposal.fingerprint != fingerprint_of(plan):
        raise stale("What it would change is not as it was shown any more.")


def stale(why: str) -> Refusal:
    """Somebody confirmed what is not true any more."""
    return Refusal("stale", f"{why} Nothing was done.", next="Look at the present state, and propose it again if it is still wanted.")
