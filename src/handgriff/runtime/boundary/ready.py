"""A call that has passed the checks: what consent and effect work on."""

from dataclasses import dataclass, replace
from typing import Self

from handgriff.core.caller import Caller
from handgriff.core.contract import Contract
from handgriff.core.schema.form import Arguments
from handgriff.core.workflow import NOTHING, Passage
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
    passage: Passage = NOTHING
    """What the gate has let pass."""

    def parameters(self) -> dict[str, object]:
        """What the handler is called with."""
        parameters = dict(self.arguments.values)
        if self.contract.call_parameter is not None:
            parameters[self.contract.call_parameter] = self.call
        if self.contract.starts_parameter is not None:
            beginning = self.passage.beginning
            parameters[self.contract.starts_parameter] = None if beginning is None else beginning.handle
        return parameters

    def passed(self, passage: Passage) -> "Ready":
        """The same with what the gate has let pass. Spelled out, because every call comes this way and `replace` looks each field up."""
        return Ready(self.attempt, self.contract, self.caller, self.arguments, self.call, self.digest, self.started, passage)

    def as_confirmed(self) -> Self:
        """With arguments read anew from what a person has confirmed: a check may have changed those it was given."""
        confirmed = self.attempt.confirmed
        return self if confirmed is None else replace(self, arguments=self.contract.schema.validate(confirmed.arguments))
