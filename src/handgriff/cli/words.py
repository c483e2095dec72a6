"""What a person reads of a decision in the terminal: states, ways to confirm, and why it was not taken, in their language.

Below are refusals and the catalogues; above, the commands and the chat. JSON output has the codes and facts, and none of these words.
"""

from typing import Final

from handgriff.cli.catalogue import word
from handgriff.cli.given import Given
from handgriff.core.catalogue import say
from handgriff.core.events import ConfirmKind, ProposalState
from handgriff.core.rows import EffectState
from handgriff.core.undecided import PASSING, why_undecided, why_unsent
from handgriff.errors import Refusal, RefusalCode

_NO_CODE: Final[frozenset[RefusalCode]] = frozenset({"invalid", "unconfirmed"})


def state_in_words(state: ProposalState | EffectState, locale: str) -> str:
    """What a proposal or an effect has come to; an effect's states are among a proposal's."""
    return say(f"state_{state}", locale)


def how_in_words(confirm: ConfirmKind, locale: str) -> str:
    """Who confirms."""
    return word(f"how_{confirm}", locale)


def ways(given: Given, proposal: str, confirm: str) -> list[tuple[str, str]]:
    """Which commands decide it."""
    decline = ("decline", f"handgriff proposals decline {given.again(proposal)}")
    if confirm == "second_person":
        return [("confirm", way_of_another(given, proposal)), decline]
    own = ("confirm", f"handgriff proposals confirm {given.again(proposal)}")
    return [own, decline, ("new code", f"handgriff proposals code {given.again(proposal)}")] if confirm == "code" else [own, decline]


def way_of_another(given: Given, proposal: str) -> str:
    """Which command confirms it as another user of the tenant."""
    tenant, _ = given.principal()
    return f"handgriff proposals confirm {given.again(proposal, who=f'{tenant}/USER')}"


def may_try_again(refusal: Refusal) -> bool:
    """Whether another code may be the right one."""
    return refusal.facts.get("tries_left") is not None or refusal.code in _NO_CODE


def still_waits(refusal: Refusal) -> bool:
    """Whether the decision can be made again later, because it could not be checked now."""
    return refusal.code in PASSING or refusal.facts.get("retry_after") is not None


def undecided(refusal: Refusal, confirm: ConfirmKind, locale: str, *, another: str) -> Refusal:
    """*refusal*, which came instead of a decision, as the person reads it; *another* is the command of a second person."""
    why = why_undecided(refusal.code, refusal.facts, confirm, locale)
    is_second = refusal.code == "denied" and confirm == "second_person" and why is not None
    return refusal if why is None else _said(refusal, why, word("another", locale, command=another) if is_second else None)


def unsent(refusal: Refusal, locale: str) -> Refusal:
    """*refusal*, which came instead of a code that was asked for, as the person reads it."""
    why = why_unsent(refusal.code, refusal.facts, locale)
    return refusal if why is None else _said(refusal, why)


def _said(refusal: Refusal, message: str, next_step: str | None = None) -> Refusal:
    return Refusal(refusal.code, message, next=next_step, **refusal.facts)
