"""Toolboxes, and the decorator that makes a function a tool."""

from collections.abc import Callable
from typing import Any

import pytest

from handgriff.core.call import Call
from handgriff.core.contract import CallLimits, HostedTool
from handgriff.core.requirement import Configured, Module
from handgriff.core.result import Plan, Result
from handgriff.core.toolbox import DefinedTool, Toolbox
from handgriff.core.wrap import contract
from handgriff.errors import DefinitionError
from handgriff.runtime.assistant import Assistant


def box_with(name: str = "shop", *tools: str) -> Toolbox:
    """A toolbox with a read of each name."""
    box = Toolbox(name)
    for tool in tools:
        box.tool(effect="read", name=tool)(look)
    return box


async def look(what: str) -> Result[None]:
    """Use when: x. Not for: y. Needs: z. Effect: none."""
    return Result(what)


async def preview(what: str, call: Call) -> Plan:
    return Plan(f"{what} {call.id}")


def check(*_: object) -> bool:
    return True


def hook(*_: object) -> None: ...


@pytest.mark.anyio
async def test_the_function_can_still_be_called_as_it_was() -> None:
    box = Toolbox("shop")
    tool = box.tool(effect="read")(look)

    assert (await tool("orders")).summary == "orders"
    assert tool.draft.name == "look"


def test_tools_keep_the_order_they_were_defined_in() -> None:
    box = box_with("shop", "b", "a")
    box.add(contract(look, effect="read", name="c"))

    assert [(found.name, found.toolbox) for found in box.contracts()] == [("b", "shop"), ("a", "shop"), ("c", "shop")]


def test_every_member_given_to_the_decorator_is_in_the_contract() -> None:
    box = Toolbox("shop")
    members: dict[str, Any] = {
        "plan": preview,
        "authorize": check,
        "validate": check,
        "idempotency_key": check,
        "limits": CallLimits(calls=3),
        "core": True,
        "writes": "state",
        "errors": {LookupError: "not_found"},
    }
    box.tool(effect="write", requires="p", title="Look", keywords={"de": ["Blick", "Schau"]}, **members)(look)

    found = box.contracts()[0]

    assert {name: getattr(found, name) for name in members} == members
    assert (found.requires, found.title, found.keywords) == (("p",), {"en": "Look"}, {"de": ("Blick", "Schau")})


def test_what_is_attached_afterwards_is_in_the_contract_too() -> None:
    box = Toolbox("shop")
    tool = box.tool(effect="irreversible")(look)

    attached = [tool.plan(preview), tool.authorize(check), tool.validate(check), tool.idempotency_key(check)]
    found = box.contracts()[0]

    assert attached == [preview, check, check, check] == [found.plan, found.authorize, found.validate, found.idempotency_key]


@pytest.mark.parametrize("member", ["plan", "authorize", "validate", "idempotency_key"])
def test_a_member_is_given_once(member: str) -> None:
    tool: DefinedTool[..., Any] = Toolbox("shop").tool(effect="write")(look)
    getattr(tool, member)(preview)

    with pytest.raises(DefinitionError, match=f"'look', {member}: it is given twice"):
        getattr(tool, member)(preview)


def test_a_tool_is_only_complete_when_its_toolbox_is_read() -> None:
    box = Toolbox("shop")
    tool = box.tool(effect="irreversible")(look)

    with pytest.raises(DefinitionError, match="'look', plan"):
        box.contracts()

    tool.plan(preview)
    assert box.contracts()[0].plan is preview


def test_the_toolboxs_requirements_hold_beside_the_tools_own() -> None:
    box = Toolbox("crm", requires=[Module("crm"), Configured("CRM_URL")])
    box.tool(effect="read", requires="people.read")(look)
    box.tool(effect="read", name="free")(look)

    assert [found.requires for found in box.contracts()] == [
        (Module("crm"), Configured("CRM_URL"), "people.read"),
        (Module("crm"), Configured("CRM_URL")),
    ]


def test_the_toolboxs_hooks_stand_around_the_tools_own() -> None:
    def outer(*_: object) -> None: ...

    box = Toolbox("shop")
    tool = box.tool(effect="write")(look)

    assert [tool.before_call(hook), tool.after_call(hook), box.before_call(outer), box.after_call(outer)] == [hook, hook, outer, outer]
    assert (box.contracts()[0].before_call, box.contracts()[0].after_call) == ((outer, hook), (hook, outer))


@pytest.mark.parametrize("name", ["", "a b", "calendar.read"])
def test_a_name_that_was_given_is_not_replaced(name: str) -> None:
    """B122: an empty name is as wrong as any other."""
    with pytest.raises(DefinitionError, match=f"'{name}', name"):
        box_with("shop", name).contracts()


def test_a_callable_without_a_name_needs_one() -> None:
    class Looker:
        async def __call__(self, what: str) -> Result[None]:
            return Result(what)

    box = Toolbox("shop")
    box.tool(effect="read")(Looker())

    with pytest.raises(DefinitionError, match="'', name"):
        box.contracts()


@pytest.mark.parametrize("place", ["tool", "toolbox"])
def test_a_requirement_that_is_none_is_found_with_its_place(place: str) -> None:
    box = Toolbox("shop", requires=5 if place == "toolbox" else None)  # type: ignore[arg-type]  # what a checker would find

    def defining() -> None:
        box.tool(effect="read", requires=5 if place == "tool" else None)(look)  # type: ignore[arg-type]  # the same
        box.contracts()

    with pytest.raises(DefinitionError, match="'look', requires" if place == "tool" else "'shop', requires"):
        defining()


def assistant(*boxes: Toolbox) -> Assistant:
    return Assistant("shop", instructions="You help.", toolboxes=boxes)


@pytest.mark.parametrize(
    "make",
    [
        lambda: assistant(box_with("a", "send_email"), box_with("b", "send_email")),
        lambda: assistant(box_with("a", "send_email", "send_email")),
        lambda: assistant(box_with("a", "send_email"), box_with("a", "send_email")),
    ],
    ids=["two boxes", "one box", "two boxes of one name"],
)
def test_two_tools_of_one_name_are_an_error_wherever_they_come_from(make: Callable[[], Assistant]) -> None:
    """B121: neither shadows the other."""
    with pytest.raises(DefinitionError, match=r"'send_email', name: it is defined in 'a' and in '[ab]'"):
        make()


def test_names_of_two_boxes_are_never_glued_together() -> None:
    """B121: 'a_b' + 'c' and 'a' + 'b_c' stay two names."""
    assert list(assistant(box_with("a_b", "c"), box_with("a", "b_c")).contracts) == ["c", "b_c"]


def test_one_wrong_tool_is_named_among_right_ones() -> None:
    """B122."""
    box = box_with("shop", "good", "calendar.read", "fine")

    with pytest.raises(DefinitionError, match=r"'calendar\.read', name"):
        assistant(box)


def test_hosted_tools_belong_to_a_toolbox() -> None:
    assert assistant(Toolbox("web", hosted=(HostedTool("web_search"),))).hosted == (HostedTool("web_search"),)
