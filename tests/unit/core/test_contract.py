"""A tool as everybody reads it."""

from dataclasses import fields
from typing import Any

import pytest

from handgriff.core.contract import CallLimits, Confirm, Contract, HostedTool, Tool
from handgriff.core.requirement import Module
from handgriff.core.result import Plan, Result
from handgriff.core.toolbox import Toolbox
from handgriff.errors import DefinitionError

box = Toolbox("shop")


@box.tool(effect="read")
async def find(name: str) -> Result[None]:
    """Use when: x. Not for: y. Needs: z. Effect: none."""
    return Result(name)


def test_every_member_says_who_reads_it_what_it_means_and_what_holds_without_it() -> None:
    for member in (each for each in fields(Contract) if each.init):
        assert set(member.metadata) == {"read_by", "meaning", "default"}, member.name
        assert all(member.metadata.values()), member.name


def test_a_contract_is_a_tool_and_so_is_any_object_with_its_members() -> None:
    contract = box.contracts()[0]

    class Other:
        name = contract.name
        description = contract.description
        schema = contract.schema
        effect = contract.effect
        handler = contract.handler

    assert isinstance(contract, Tool)
    assert isinstance(Other(), Tool)
    assert not isinstance(find.handler, Tool)


def test_a_hosted_tool_is_only_offered() -> None:
    assert HostedTool("web_search").requires == ()
    assert HostedTool("web_search", requires=["web", Module("crm")]).requires == ("web", Module("crm"))
    assert HostedTool("web_search") == HostedTool("web_search")


@pytest.mark.parametrize(
    "duty",
    ["plan", "confirm", "authorize", "validate", "limits", "at", "fires", "effect", "known", "idempotency_key", "reconcile", "transaction"],
)
def test_a_duty_nobody_could_enforce_is_refused(duty: str) -> None:
    with pytest.raises(DefinitionError, match=f"'web_search', {duty}: a hosted tool runs at the provider"):
        HostedTool("web_search", **{duty: None})


@pytest.mark.parametrize("requires", ["", 5, [None]])
def test_a_hosted_tools_requirements_are_checked_too(requires: Any) -> None:
    with pytest.raises(DefinitionError, match="'web_search', requires"):
        HostedTool("web_search", requires=requires)


def test_without_bounds_of_its_own_a_tool_has_the_assistants() -> None:
    assert CallLimits() == CallLimits(seconds=None, result_bytes=None, calls=None)


def preview(name: str) -> Plan:
    return Plan(name)


def asking(confirm: Confirm | None) -> Contract:
    """The tool, confirmed in this way."""
    made = Toolbox("shop")
    made.tool(effect="write", plan=preview, confirm=confirm)(find.handler)
    return made.contracts()[0]


def test_another_way_to_confirm_is_another_contract_and_another_function_is_not() -> None:
    """What a person was shown says by whom it must be confirmed; a function is asked again instead."""
    digests = [asking(confirm).digest() for confirm in ("person", "code", "second_person", lambda args, call: "code")]

    assert len(set(digests)) == 4
    assert asking(lambda args, call: None).digest() == digests[3]
    assert asking(None).digest() == digests[0]


def test_who_confirms_has_a_word_for_people() -> None:
    assert [asking(confirm).confirm_word for confirm in ("code", lambda args, call: None)] == ["code", "by arguments"]
    assert box.contracts()[0].confirm_word is None


@pytest.mark.parametrize("member", ["plan", "authorize", "validate", "idempotency_key", "confirm", "reconcile"])
def test_what_is_attached_twice_is_refused(member: str) -> None:
    made = Toolbox("shop")
    tool = made.tool(effect="write", plan=preview if member != "plan" else None)(find.handler)
    getattr(tool, member)(preview)

    with pytest.raises(DefinitionError, match=f"{member}: it is given twice"):
        getattr(tool, member)(preview)
