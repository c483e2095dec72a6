"""Why a decision was not taken, or a code not sent, in the words of people. Programs read the refusal's code and facts instead."""

from collections.abc import Mapping
from typing import Final

from handgriff.core.catalogue import say
from handgriff.core.events import ConfirmKind
from handgriff.errors import Fact

PASSING: Final = frozenset({"transient", "rate_limited", "budget_spent", "conversation_busy", "indeterminate"})
"""Codes of what may be otherwise in a moment: it could not be checked, or the same wish is uncertain. A proposal then still waits."""


def why_undecided(code: str, facts: Mapping[str, Fact], confirm: ConfirmKind, locale: str) -> str | None:
    """Why there was no decision; None where the refusal's own words are all there is to say."""
    if (state := facts.get("state")) is not None:
        return say("card_decided", locale).format(state=say(f"state_{state}", locale))
    if (left := facts.get("tries_left")) is not None:
        return say("card_wrong_code", locale).format(left=left)
    if code in PASSING or facts.get("retry_after") is not None:
        return say("card_again", locale)
    if code == "denied" and confirm == "second_person":
        return say("card_second_person", locale)
    if code in ("invalid", "unconfirmed") and confirm == "code":
        return say("card_code_needed", locale)
    return None


def why_unsent(code: str, facts: Mapping[str, Fact], locale: str) -> str | None:
    """Why no code was sent; None as above."""
    if (state := facts.get("state")) is not None:
        return say("card_decided", locale).format(state=say(f"state_{state}", locale))
    if code == "rate_limited" and (wait := facts.get("retry_after")) is not None:
        return say("card_code_wait", locale).format(seconds=wait)
    return say("card_code_failed", locale) if code in PASSING else None
