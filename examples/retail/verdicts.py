"""How a call must have ended, by two witnesses that know nothing of each other: its stored outcome, and the handlers that were entered.

A violation must have been stopped. What is none must be answered as written, as if nothing had been tried around it.
"""

from examples.retail.script import Step
from examples.retail.violations import Attempt
from examples.retail.witness import Witness
from handgriff.core.events import CallOutcome


def let_through(attempt: Attempt, outcome: CallOutcome | None, witness: Witness) -> str | None:
    """What is wrong with how a violation was answered; None where it was stopped as it must be."""
    if outcome is None:
        return "it was never tried"
    if outcome.call in witness.seen:
        return "its handler was entered"
    if outcome.code is None:
        return "it succeeded"
    if outcome.code in ("limit", "not_run"):
        # These say nothing of the call itself, so nothing was shown by them.
        return f"it was not looked at: {outcome.code}"
    if attempt.is_of_the_gate and (outcome.step, outcome.code) != ("gate", "closed"):
        return f"it was not closed by the gate, but refused at {outcome.step}: {outcome.code}"
    return None


def differs(step: Step, outcome: CallOutcome | None) -> str | None:
    """What is wrong with how a call was answered that was made as written; None where nothing is."""
    if outcome is None:
        return "it was never made"
    if (outcome.code is None) == (step.outcome == "ok"):
        return None
    return "it was ok" if outcome.code is None else f"it was refused: {outcome.code}, {outcome.shown.summary}"
