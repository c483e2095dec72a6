"""`handgriff.tool`: what authors of tools import beside the root's nouns."""

from handgriff import tool
from handgriff.core import call, contract, marks, requirement, result, wrap


def test_it_offers_these_names_and_no_others() -> None:
    assert {name: getattr(tool, name) for name in tool.__all__} == {
        "ABSENT": call.ABSENT,
        "CallLimits": contract.CallLimits,
        "Configured": requirement.Configured,
        "Contract": contract.Contract,
        "Data": marks.Data,
        "HostedTool": contract.HostedTool,
        "Link": result.Link,
        "Module": requirement.Module,
        "Page": result.Page,
        "Selector": marks.Selector,
        "Tool": contract.Tool,
        "contract": wrap.contract,
    }
