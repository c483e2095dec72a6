"""Proposals: what a person is shown, the fingerprint of what it was planned from, and what each state is called to a late comer."""

from collections.abc import Mapping
from typing import Any

from handgriff.core import jsontext
from handgriff.core.caller import Caller
from handgriff.core.codec import pack, unpack
from handgriff.core.events import ParkedCall, ProposalState
from handgriff.core.result import Plan
from handgriff.core.rows import Proposal
from handgriff.errors import Refusal, RefusalCode

_CODES: Mapping[ProposalState, RefusalCode] = {
    "declined": "declined",
    "expired": "expired",
    "stale": "stale",
    "superseded": "superseded",
    "indeterminate": "indeterminate",
}


def before_of(plan: Plan) -> str:
    """The plan's before values by label, or its version, as canonical JSON text."""
    if plan.version is not None:
        return jsontext.dumps({"version": plan.version})
    return jsontext.dumps({change.label: change.exact()[0] for change in plan.diff})


def fingerprint_of(plan: Plan) -> str:
    """What must be equal when the plan is made again, or the proposal is stale. Two lines may share a label, so it is taken over all."""
    if plan.version is not None:
        return jsontext.digest(jsontext.dumps(["version", plan.version]))
    lines = [[change.label, change.exact()[0]] for change in plan.diff]
    if plan.count is None and not plan.sample:
        return jsontext.digest(jsontext.dumps(lines))
    # What is selected is part of what was shown: three customers may have become thousands.
    return jsontext.digest(jsontext.dumps([lines, plan.count, list(plan.sample)]))


def read_before(text: str) -> Mapping[str, Any]:
    """What `before_of` wrote."""
    value = jsontext.loads(text)
    return value if isinstance(value, dict) else {}


def parked(proposal: Proposal) -> ParkedCall:
    """The proposal as a client must show it."""
    return ParkedCall(
        proposal.id,
        proposal.call,
        proposal.tool,
        proposal.summary,
        proposal.expires_at,
        proposal.diff,
        proposal.confirm,
        proposal.count,
        proposal.sample,
    )


def already(state: ProposalState) -> Refusal:
    """The answer to a decision that comes too late."""
    return Refusal(_CODES.get(state, "conflict"), f"This proposal is decided already: {state}.", state=state)


def write_grant(caller: Caller) -> str:
    """The rights a turn was granted, kept with its proposals."""
    return jsontext.dumps(pack(caller))


def read_grant(text: str) -> Caller:
    """What `write_grant` wrote."""
    return unpack(Caller, jsontext.loads(text))
