"""What is checked when an assistant is built: which of its texts may name keys, and which keys there are. Cases B021, B024."""

import subprocess
import sys
from typing import Any

import pytest
from pydantic import BaseModel, Field

from handgriff import Assistant, DefinitionError
from handgriff.core.scope import Key


class Known(BaseModel):
    topic: str = ""
    name: str = Field(alias="user:name")
    token: str = Field(alias="temp:token")


def assistant(context: str = "", *, instructions: str = "You help.", **options: Any) -> Assistant:
    return Assistant("salon", instructions=instructions, context=context, toolboxes=[], **options)


def test_the_context_may_name_keys() -> None:
    made = assistant("You help {user:name} with {topic?}.")

    assert made.template.keys == (Key("user", "name"), Key("session", "topic"))
    assert made.declared is None


@pytest.mark.parametrize("instructions", ["You help {user:name}.", "{topic?}", "{{{x}}}", "{temp:x}", '{"a": {b}}'])
def test_the_instructions_may_not(instructions: str) -> None:
    with pytest.raises(DefinitionError, match=r"'salon', instructions: '{.*}' is a placeholder.*write it in context"):
        assistant(instructions=instructions)


@pytest.mark.parametrize("instructions", ["Codes are \\d{4}.", "{{city}}", '{"a": {}}', "{ name }", "{x, y}"])
def test_other_braces_of_the_instructions_are_nobodys_business(instructions: str) -> None:
    assert assistant(instructions=instructions).instructions == instructions


@pytest.mark.parametrize("declared", [None, Known], ids=["nothing declared", "declared"])
@pytest.mark.parametrize("context", ["{temp:token}", "{temp:token?}", "Hello {temp:x}."])
def test_a_temporary_value_is_never_part_of_a_context(context: str, declared: type | None) -> None:
    with pytest.raises(DefinitionError, match=r"'salon', context: '{temp:.*}' names a temporary value"):
        assistant(context, state=declared)


def test_B024_an_unknown_key_is_named_with_its_text_and_the_nearest_declared_one() -> None:
    with pytest.raises(DefinitionError) as error:
        assistant("You help {user:nmae}.", state=Known)

    assert (error.value.subject, error.value.member) == ("salon", "context")
    assert "'{user:nmae}' names no key that the state model declares; did you mean 'user:name'?" in str(error.value)
    with pytest.raises(DefinitionError, match="declared are 'topic', 'user:name', 'temp:token'"):
        assistant("{zzzz?}", state=Known)
    assert assistant("{user:name} {{user:nmae}} {topic}", state=Known).template.keys == (Key("user", "name"), Key("session", "topic"))


def test_the_state_model_is_read_when_the_assistant_is_built() -> None:
    declared = assistant(state=Known).declared

    assert declared is not None
    assert declared.keys == ("topic", "user:name", "temp:token")
    with pytest.raises(DefinitionError, match="'Assistant', state: dict is no pydantic model"):
        assistant(state={"user:name": str})


def test_an_assistant_without_declared_state_loads_no_pydantic() -> None:
    program = (
        "import sys; from handgriff import Assistant; "
        "Assistant('a', instructions='x', context='{user:name}', toolboxes=[]); print('pydantic' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
