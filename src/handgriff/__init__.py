"""Handgriff: tools as contracts for an assistant inside a product that many companies share.

Only these nouns are exported here; everything else is imported from the module that owns it. `Host` is loaded when it is first asked for:
a module that defines tools needs no event loop, and the runtime behind the host costs as much to import as everything else here.
"""

from typing import TYPE_CHECKING

from handgriff.core.call import Call
from handgriff.core.caller import Caller
from handgriff.core.lane import Lane, Limits
from handgriff.core.machine.machine import Machine
from handgriff.core.marks import Known
from handgriff.core.result import Change, Plan, Result
from handgriff.core.toolbox import Toolbox
from handgriff.errors import BackendError, DefinitionError, HandgriffError, Refusal
from handgriff.runtime.assistant import Assistant

if TYPE_CHECKING:
    from handgriff.host.host import Host

__all__ = [
    "Assistant",
    "BackendError",
    "Call",
    "Caller",
    "Change",
    "DefinitionError",
    "HandgriffError",
    "Host",
    "Known",
    "Lane",
    "Limits",
    "Machine",
    "Plan",
    "Refusal",
    "Result",
    "Toolbox",
]


def __getattr__(name: str) -> object:
    if name == "Host":
        from handgriff.host.host import Host  # noqa: PLC0415  # see above

        return Host
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
