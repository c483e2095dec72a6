"""Handgriff: tools as contracts for an assistant inside a product that many companies share.

Only these nouns are exported here; everything else is imported from the module that owns it.
"""

from handgriff.core.call import Call
from handgriff.core.caller import Caller
from handgriff.core.lane import Lane, Limits
from handgriff.core.marks import Known
from handgriff.core.result import Change, Plan, Result
from handgriff.core.toolbox import Toolbox
from handgriff.errors import BackendError, DefinitionError, HandgriffError, Refusal
from handgriff.host.host import Host
from handgriff.runtime.assistant import Assistant

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
    "Plan",
    "Refusal",
    "Result",
    "Toolbox",
]
