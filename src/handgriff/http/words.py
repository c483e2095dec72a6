"""Problems with what a person reads: why their decision was not taken, in their language, whichever way they sent it.

Below are problems and the core's words; above, routes, streams and the page. Programs read the problem's code and facts; nothing follows
from these words.
"""

from dataclasses import replace

from handgriff.core.proposal import already
from handgriff.core.rows import Proposal
from handgriff.core.undecided import why_undecided, why_unsent
from handgriff.errors import Refusal
from handgriff.http.problems import Problem, problem_of
from handgriff.runtime.decide import Decided


def undecided(error: Exception, proposal: Proposal, locale: str) -> Problem:
    """*error*, which came instead of a decision of *proposal*, with what to tell the person."""
    problem = problem_of(error)
    return replace(problem, message=why_undecided(problem.code, problem.facts, proposal.confirm, locale))


def too_late(decided: Decided) -> Refusal | None:
    """What to answer to the decision that found its proposal expired, as to every later one; None where it was in time."""
    return already(decided.proposal.state) if decided.proposal.state == "expired" else None


def unsent(error: Exception, locale: str) -> Problem:
    """*error*, which came instead of a code that was asked for, with what to tell the person."""
    problem = problem_of(error)
    return replace(problem, message=why_unsent(problem.code, problem.facts, locale))
