"""A call that has passed the checks: what consent and effect work on."""

from dataclasses import dataclass

from handgriff.core.caller import Caller
from handgriff.core.contract import Contract
from handgriff.core.schema.form import Arguments
from handgriff.runtime.boundary.attempt import Attempt
from handgriff.runtime.boundary.bound import BoundCall


@dataclass(frozen=True, slots=True)
class Ready:
    """An attempt with its contract, the caller's rights of this moment, validated arguments and the bound call."""

    attempt: Attempt
    contract: Contract
    caller: Caller
    arguments: Arguments
    call: BoundCall
    digest: str
    started: float
    """Monotonic seconds when it arrived."""
