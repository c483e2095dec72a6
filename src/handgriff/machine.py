"""What authors of workflows import beside `Machine`. Everything here belongs to the core."""

from handgriff.core.machine.build import State, Transition
from handgriff.core.machine.invariants import AlwaysReaches, NeverTogether, OnlyAfter
from handgriff.core.machine.machine import At, Binding, Fires, Machine

__all__ = ["AlwaysReaches", "At", "Binding", "Fires", "Machine", "NeverTogether", "OnlyAfter", "State", "Transition"]
