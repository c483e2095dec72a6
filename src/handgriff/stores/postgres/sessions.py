"""Operations on sessions as words: their lease, what was seen in them, their beginning and end."""

from collections.abc import Sequence
from typing import TypeAlias, assert_never

from handgriff.core import jsontext
from handgriff.core.batch import (
    CheckLease,
    CreateSession,
    DeleteSession,
    Erase,
    ForkSession,
    HoldLease,
    IntroduceSeen,
    IntroduceTyped,
    PinSession,
    ReleaseLease,
    RenewLease,
    RenewScratch,
    RequestStop,
    RewindSession,
    SweepScratch,
)
from handgriff.core.rows import Workflow
from handgriff.stores.postgres.columns import WORKFLOW, Word, moment, pinned_text, session_text

LeaseOperation: TypeAlias = HoldLease | CheckLease | RenewLease | ReleaseLease | RequestStop
SeenOperation: TypeAlias = IntroduceSeen | IntroduceTyped | RenewScratch | SweepScratch
SessionOperation: TypeAlias = CreateSession | DeleteSession | ForkSession | RewindSession | Erase | PinSession


def lease_words(operation: LeaseOperation) -> Sequence[Word]:
    """The words of *operation*."""
    match operation:
        case CheckLease(tenant, session, turn, epoch):
            return "lease check", tenant, session, turn, str(epoch)
        case HoldLease(tenant, session, turn, holder, after, now, until):
            return "lease hold", tenant, session, turn, str(after), holder, moment(now), moment(until)
        case RenewLease(tenant, session, turn, epoch, until):
            return "lease renew", tenant, session, turn, str(epoch), moment(until)
        case ReleaseLease(tenant, session, turn, epoch):
            return "lease release", tenant, session, turn, str(epoch)
        case RequestStop(tenant, session, turn):
            return "lease stop", tenant, session, turn
        case _:
            assert_never(operation)


def seen_words(operation: SeenOperation) -> Sequence[Word]:
    """The words of *operation*."""
    match operation:
        case IntroduceSeen(tenant, session, values):
            return "seen values", tenant, session, *_pairs(values)
        case IntroduceTyped(tenant, session, text):
            return "seen typed", tenant, session, text
        case RenewScratch(tenant, session, namespace, now, until):
            return "session scratch", tenant, session, namespace, moment(now), moment(until)
        case SweepScratch(tenant, now, limit):
            return "sweep", tenant, moment(now), str(limit)
        case _:
            assert_never(operation)


def session_words(operation: SessionOperation) -> Sequence[Word]:
    """The words of *operation*.

    Raises:
        JsonError: what it pins is no JSON.
    """
    match operation:
        case CreateSession(session):
            return "session create", session.tenant, session_text(session)
        case DeleteSession(tenant, session, keep_since, idle_since):
            return "session delete", tenant, session, moment(keep_since), moment(idle_since)
        case ForkSession(source, session, upto, values, workflows):
            pairs = _pairs(tuple(dict(values).items()))
            return "session branch", session.tenant, source, session_text(session), str(upto), *pairs, *_own(workflows)
        case RewindSession(tenant, session, head, to, values, proposals, workflows):
            pairs = _pairs(tuple(dict(values).items()))
            counted = (str(len(proposals)), *proposals)
            return "session cut", tenant, session, str(head), str(to), *pairs, *counted, *_own(workflows)
        case Erase(tenant, user, pseudonym):
            names = (jsontext.dumps(name) for name in (user, pseudonym)) if user is not None else (None, None)
            return "session forget", tenant, user, pseudonym, *names
        case PinSession(tenant, session, pinned, title):
            return "session pin", tenant, session, pinned_text(pinned), title
        case _:
            assert_never(operation)


def _pairs(values: Sequence[tuple[str, str]]) -> Sequence[str]:
    return str(len(values)), *(name for name, _ in values), *(value for _, value in values)


def _own(workflows: Sequence[Workflow]) -> Sequence[str]:
    return str(len(workflows)), *map(WORKFLOW.text, workflows)
