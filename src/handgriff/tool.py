"""What authors of tools import beside the root's nouns. Everything here belongs to the core."""

from handgriff.core.call import ABSENT
from handgriff.core.contract import CallLimits, Contract, HostedTool, Tool
from handgriff.core.marks import Data, Selector
from handgriff.core.requirement import Configured, Module
from handgriff.core.result import Link, Page
from handgriff.core.wrap import contract

__all__ = ["ABSENT", "CallLimits", "Configured", "Contract", "Data", "HostedTool", "Link", "Module", "Page", "Selector", "Tool", "contract"]
