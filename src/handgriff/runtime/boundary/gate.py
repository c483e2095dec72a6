"""Step 4: the workflow state. A tool that is bound to none passes; no contract can be bound yet."""

from handgriff.core.contract import Contract


def check_gate(contract: Contract) -> None:
    """Let an unbound tool pass. Bindings are refused where a contract is made, so that none is ignored here."""
    del contract
