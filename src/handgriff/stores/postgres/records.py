"""Operations on effect records, proposals, hooks, ledger rows and prefixes as words."""

from collections.abc import Sequence
from typing import TypeAlias, assert_never

from handgriff.core import jsontext
from handgriff.core.batch import (
    CheckNothingRuns,
    ClaimEffect,
    CloseRequest,
    CountTry,
    DecideProposal,
    DeliverHook,
    FollowEffect,
    HoldProposal,
    KeepCode,
    KeepPrefix,
    OpenRequest,
    QueueHook,
    SettleEffect,
    StepEffect,
    SweepEffects,
)
from handgriff.stores.postgres.columns import EFFECT, HOOK, PROPOSAL, REQUEST, Word, moment

EffectOperation: TypeAlias = ClaimEffect | StepEffect | SettleEffect | FollowEffect | CheckNothingRuns | SweepEffects
RecordOperation: TypeAlias = EffectOperation | HoldProposal | DecideProposal | KeepCode | CountTry | QueueHook | DeliverHook
LedgerOperation: TypeAlias = OpenRequest | CloseRequest | KeepPrefix


def record_words(operation: RecordOperation) -> Sequence[Word]:
    """The words of *operation*.

    Raises:
        JsonError: it holds what is no JSON.
    """
    match operation:
        case ClaimEffect() | StepEffect() | SettleEffect() | FollowEffect() | CheckNothingRuns() | SweepEffects():
            return _effect_words(operation)
        case HoldProposal(proposal):
            return "record hold", proposal.tenant, PROPOSAL.text(proposal)
        case DecideProposal(tenant, proposal, expected, state, at, by):
            return "record decide", tenant, proposal, expected, state, moment(at), by
        case KeepCode(tenant, proposal, sent, code, at, since, most):
            return "record code", tenant, proposal, str(sent), code, moment(at), moment(since), str(most)
        case CountTry(tenant, proposal, tries):
            return "record try", tenant, proposal, str(tries)
        case QueueHook(hook):
            return "record queue", hook.tenant, HOOK.text(hook)
        case DeliverHook(tenant, hook):
            return "record deliver", tenant, hook
        case _:
            assert_never(operation)


def _effect_words(operation: EffectOperation) -> Sequence[Word]:
    match operation:
        case ClaimEffect(effect):
            return "record claim", effect.tenant, EFFECT.text(effect)
        case StepEffect(tenant, tool, key, claim, name, result):
            return "record step", tenant, tool, key, claim, jsontext.admit([name, result])
        case SettleEffect(tenant, tool, key, claim, state, at, result, resolved_by, only_running):
            return "record settle", tenant, tool, key, claim, state, moment(at), result, resolved_by, "t" if only_running else "f"
        case FollowEffect(tenant, tool, key, claim):
            return "record follow", tenant, tool, key, claim
        case CheckNothingRuns(tenant, now, session, user):
            return "record guard", tenant, moment(now), session, user
        case SweepEffects(tenant, before, limit):
            return "sweep effects", tenant, moment(before), str(limit)
        case _:
            assert_never(operation)


def ledger_words(operation: LedgerOperation) -> Sequence[Word]:
    """The words of *operation*."""
    match operation:
        case OpenRequest(request):
            return "ledger open", request.tenant, REQUEST.text(request)
        case CloseRequest(request):
            return "ledger close", request.tenant, REQUEST.text(request)
        case KeepPrefix(tenant, digest, text):
            return "ledger prefix", tenant, digest, text
        case _:
            assert_never(operation)
