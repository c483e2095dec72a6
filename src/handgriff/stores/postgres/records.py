"""Operations on effect records, proposals, hooks, ledger rows and prefixes as words."""

from collections.abc import Sequence
from typing import TypeAlias, assert_never

from handgriff.core import jsontext
from handgriff.core.batch import (
    ClaimEffect,
    CloseRequest,
    DecideProposal,
    DeliverHook,
    HoldProposal,
    KeepPrefix,
    OpenRequest,
    QueueHook,
    SettleEffect,
    StepEffect,
)
from handgriff.stores.postgres.columns import EFFECT, HOOK, PROPOSAL, REQUEST, Word, moment

RecordOperation: TypeAlias = (
    ClaimEffect
    | StepEffect
    | SettleEffect
    | HoldProposal
    | DecideProposal
    | QueueHook
    | DeliverHook
    | OpenRequest
    | CloseRequest
    | KeepPrefix
)


def record_words(operation: RecordOperation) -> Sequence[Word]:
    """The words of *operation*.

    Raises:
        JsonError: it holds what is no JSON.
    """
    match operation:
        case ClaimEffect(effect):
            return "record claim", effect.tenant, EFFECT.text(effect)
        case StepEffect(tenant, tool, key, claim, name, result):
            return "record step", tenant, tool, key, claim, jsontext.admit([name, result])
        case SettleEffect(tenant, tool, key, claim, state, at, result, resolved_by):
            return "record settle", tenant, tool, key, claim, state, moment(at), result, resolved_by
        case HoldProposal(proposal):
            return "record hold", proposal.tenant, PROPOSAL.text(proposal)
        case DecideProposal(tenant, proposal, expected, state, at, by):
            return "record decide", tenant, proposal, expected, state, moment(at), by
        case OpenRequest(request):
            return "ledger open", request.tenant, REQUEST.text(request)
        case CloseRequest(request):
            return "ledger close", request.tenant, REQUEST.text(request)
        case KeepPrefix(tenant, digest, text):
            return "ledger prefix", tenant, digest, text
        case QueueHook(hook):
            return "record queue", hook.tenant, HOOK.text(hook)
        case DeliverHook(tenant, hook):
            return "record deliver", tenant, hook
        case _:
            assert_never(operation)
