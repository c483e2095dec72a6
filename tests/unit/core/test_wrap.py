"""Another framework's tool as a contract."""

from collections.abc import Mapping
from typing import Any

import pytest

from handgriff.core.call import Call
from handgriff.core.requirement import Module
from handgriff.core.result import Plan, Result
from handgriff.core.wrap import contract
from handgriff.errors import DefinitionError

WORDS = "Use when: x. Not for: y. Needs: z. Effect: none."
SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


def run(**arguments: object) -> object:
    return arguments


async def plan(call: Call, **arguments: object) -> Plan:
    return Plan(f"{arguments} {call.id}")


def check(*_: object) -> bool:
    return True


class Foreign:
    """What a framework's tool looks like; each member can be replaced."""

    def __init__(self, **members: Any) -> None:
        for name, member in {"name": "lookup", "description": WORDS, "input_schema": SCHEMA, "run": run, **members}.items():
            setattr(self, name, member)


def fault(tool: object, **members: Any) -> str:
    """The member at fault."""
    with pytest.raises(DefinitionError) as raised:
        contract(tool, **{"effect": "read", **members})
    assert raised.value.mend
    return raised.value.member


@pytest.mark.parametrize("schema", ["input_schema", "inputSchema", "parameters", "parameters_json_schema"])
@pytest.mark.parametrize("handler", ["fn", "func", "function", "run"])
def test_a_tool_is_taken_by_its_name_schema_and_callable(schema: str, handler: str) -> None:
    made = contract(Foreign(**{"input_schema": None, "run": None, schema: SCHEMA, handler: run}), effect="read")

    assert (made.name, made.handler, made.is_imported, made.writes) == ("lookup", run, True, None)
    assert made.schema.validate('{"id":"7"}').values == {"id": "7"}
    assert made.description.needs == "z."


def test_an_object_that_is_called_itself_will_do() -> None:
    class Called(Foreign):
        def __call__(self, **arguments: object) -> object:
            return arguments

    made = contract(Called(run=None), effect="read")

    assert made.handler(id="7") == {"id": "7"}


def test_the_duties_it_lacks_are_given_here() -> None:
    made = contract(
        Foreign(),
        effect="irreversible",
        requires=["p", Module("crm")],
        name="find_it",
        description=WORDS.replace("z", "nothing"),
        plan=plan,
        authorize=check,
        validate=check,
        errors={LookupError: "not_found"},
    )

    assert (made.name, made.description.needs, made.requires) == ("find_it", "nothing.", ("p", Module("crm")))
    assert (made.plan, made.plan_call, made.confirm) == (plan, "call", "person")
    assert (made.authorize, made.validate, made.errors) == (check, check, {LookupError: "not_found"})
    assert made.writes == "state"
    assert made.is_barrier


def test_a_function_is_taken_by_its_signature() -> None:
    async def find(id: str, call: Call) -> Result[None]:  # noqa: A002  # an application's own name
        """Use when: x. Not for: y. Needs: z. Effect: none."""
        return Result(f"{id} {call.id}")

    made = contract(find, effect="read", requires="p")

    assert (made.name, made.handler, made.call_parameter, made.is_imported, made.requires) == ("find", find, "call", False, ("p",))


@pytest.mark.parametrize(
    ("tool", "members", "member"),
    [
        (Foreign(name="calendar.read"), {}, "name"),
        (Foreign(name=""), {}, "name"),
        (Foreign(description="Looks things up."), {}, "description"),
        (Foreign(description=None), {}, "description"),
        (Foreign(run=None), {}, "handler"),
        (Foreign(input_schema={"type": "array"}), {}, "input_schema"),
        (Foreign(input_schema={"type": "nonsense"}), {}, "input_schema"),
        (Foreign(), {"effect": "destroy"}, "effect"),
        (Foreign(), {"effect": "irreversible"}, "plan"),
        (Foreign(), {"effect": "read", "plan": plan}, "plan"),
        (Foreign(), {"requires": 5}, "requires"),
        (Foreign(), {"errors": {LookupError: "missing"}}, "errors"),
        (Foreign(input_schema={"type": "object", "properties": {"userId": {"type": "string"}}}), {}, "argument 'userId'"),
        (Foreign(input_schema={"type": "object", "properties": {"tenant-id": {"type": "string"}}}), {}, "argument 'tenant-id'"),
        (Foreign(input_schema={"type": "object", "properties": {"query": {"type": "string"}}}), {"effect": "write"}, "argument 'query'"),
        (
            Foreign(input_schema={"type": "object", "properties": {"pin": {"type": "string", "format": "password", "writeOnly": True}}}),
            {},
            "argument 'pin'",
        ),
    ],
)
def test_an_imported_tool_is_checked_like_any_other(tool: object, members: Mapping[str, Any], member: str) -> None:
    """B121, B122, B134: also for tools that others wrote."""
    assert fault(tool, **members) == member
