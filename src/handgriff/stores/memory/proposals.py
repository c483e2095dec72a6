"""Proposals written: held, decided, and what is sent and tried as their code."""

from dataclasses import replace
from typing import TypeAlias, assert_never

from handgriff.core.batch import CountTry, DecideProposal, HoldProposal, KeepCode
from handgriff.core.rows import Proposal
from handgriff.ports.store import CommitRefused
from handgriff.stores.memory.tables import Tables

ProposalOperation: TypeAlias = HoldProposal | DecideProposal | KeepCode | CountTry


def write_proposal(tables: Tables, operation: ProposalOperation) -> None:
    """Write *operation*.

    Raises:
        CommitRefused: its guard does not hold.
    """
    match operation:
        case HoldProposal(proposal):
            if not tables.add(tables.proposals, (proposal.tenant, proposal.id), proposal):
                raise CommitRefused("proposal", proposal.id)
        case DecideProposal():
            _decide(tables, operation)
        case KeepCode():
            _keep_code(tables, operation)
        case CountTry():
            _count_try(tables, operation)
        case _:
            assert_never(operation)


def _decide(tables: Tables, operation: DecideProposal) -> None:
    held = tables.proposals.get((operation.tenant, operation.proposal))
    if held is None or held.state != operation.expected:
        raise CommitRefused("proposal", operation.proposal)
    decided = replace(held, state=operation.state, decided_by=operation.by, decided_at=operation.at)
    tables.put(tables.proposals, (held.tenant, held.id), decided)


def _keep_code(tables: Tables, operation: KeepCode) -> None:
    held = _pending(tables, operation.tenant, operation.proposal)
    if held.codes_sent != operation.sent:
        raise CommitRefused("proposal", operation.proposal)
    whose = held.tenant, held.user
    lately = tuple(at for at in tables.codes.get(whose, ()) if at >= operation.since)
    if len(lately) >= operation.most:
        raise CommitRefused("limit", operation.proposal)
    tables.put(tables.codes, whose, (*lately, operation.at))
    kept = replace(held, code=operation.code, codes_sent=held.codes_sent + 1, code_sent_at=operation.at)
    tables.put(tables.proposals, (held.tenant, held.id), kept)


def _count_try(tables: Tables, operation: CountTry) -> None:
    held = _pending(tables, operation.tenant, operation.proposal)
    if held.code_tries != operation.tries:
        raise CommitRefused("proposal", operation.proposal)
    tables.put(tables.proposals, (held.tenant, held.id), replace(held, code_tries=held.code_tries + 1))


def _pending(tables: Tables, tenant: str, proposal: str) -> Proposal:
    held = tables.proposals.get((tenant, proposal))
    if held is None or held.state != "pending":
        raise CommitRefused("proposal", proposal)
    return held
