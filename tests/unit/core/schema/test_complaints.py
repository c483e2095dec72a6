from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from handgriff.core.schema.complaints import complaints


class Cat(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["cat"]
    lives: Annotated[int, Field(le=9)]


class Dog(BaseModel):
    kind: Literal["dog"]
    names: list[Annotated[str, Field(min_length=2)]] = []


Pet = Annotated[Cat | Dog, Discriminator("kind")]


def said(annotation: Any, value: Any) -> dict[str, str]:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(annotation).validate_python(value)
    return complaints(caught.value, value)


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (Cat, {"kind": "cat"}, {"lives": "missing"}),
        (Cat, {"kind": "cat", "lives": 1, "x": 2}, {"x": "unknown"}),
        (list[Cat], [{"kind": "cat", "lives": 10}], {"0/lives": "should be less than or equal to 9"}),
        (Pet, {"kind": "dog", "names": ["ab", "c"]}, {"names/1": "should have at least 2 characters"}),
        (Pet, {"kind": "secret"}, {"arguments": "'kind' should be one of 'cat', 'dog'"}),
        (Annotated[int, Field(gt=5)] | str, 3, {"arguments": "should be greater than 5; or should be a valid string"}),
        (dict[str, UUID], {"a": "zzz"}, {"a": "should be a valid UUID"}),
        (int, "x", {"arguments": "should be a valid integer, unable to parse string as an integer"}),
    ],
    ids=str,
)  # fmt: skip
def test_an_error_becomes_a_path_into_the_data_and_a_sentence(annotation: Any, value: Any, expected: dict[str, str]) -> None:
    assert said(annotation, value) == expected


def quoting(message: str) -> Any:
    def refuse(value: Any) -> Any:
        raise ValueError(message.format(value=value))

    return AfterValidator(refuse)


@pytest.mark.parametrize(
    ("message", "value", "expected"),
    [
        ("{value!r} is taken.", "pw1", "'…' is taken"),
        ("no {value}s here", "sesame", "no …s here"),
        ("a word, not {value}, the cat", "cat", "a word, not …, the …"),
        ("concatenated {value}", "cat", "concatenated …"),
        ("{value} is short", "ab", "ab is short"),
        ("nothing to hide", "nothing else", "nothing to hide"),
        ("pin {value}", 4815, "pin …"),
        ("at most 10, not {value}", 12, "at most 10, not 12"),
    ],
)
def test_what_a_validator_quotes_is_blotted_out(message: str, value: Any, expected: str) -> None:
    """B139"""
    assert said(Annotated[Any, quoting(message)], value) == {"arguments": expected}


def test_other_arguments_and_custom_errors_are_blotted_out_too() -> None:
    """B139"""

    def refuse(value: dict[str, Any]) -> dict[str, Any]:
        raise PydanticCustomError("house_rule", "{name} may not use {token}", {"name": value["name"], "token": value["inner"][0]})

    assert said(Annotated[dict[str, Any], AfterValidator(refuse)], {"name": "ada lovelace", "inner": ["sk-1", 1.5, True, None]}) == {
        "arguments": "… may not use …"
    }


def test_an_assertion_speaks_for_itself() -> None:
    def check(value: int) -> int:
        if value < 2:
            raise AssertionError("must be more than 1")
        return value

    assert said(Annotated[int, AfterValidator(check)], 1) == {"arguments": "must be more than 1"}
