"""Arguments from JSON to typed values: the coercions that are allowed, and the refusals of all others."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, Field, model_validator

from handgriff.core import jsontext
from handgriff.core.marks import Known
from handgriff.core.schema.form import ARGUMENT_LIMITS, Schema
from handgriff.core.schema.imported import schema_from
from handgriff.core.schema.typed import schema_of, schema_of_model
from handgriff.errors import REFUSAL_CODES, DefinitionError, Refusal

NOBODY = UUID(int=1)


class Node(BaseModel):
    v: str
    kids: list["Node"] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str]
    owner: str


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Period(BaseModel):
    first: int
    last: int

    @model_validator(mode="after")
    def in_order(self) -> "Period":
        if self.first > self.last:
            raise ValueError(f"first {self.first} is after last {self.last}")
        return self


def schema(annotation: Any, **defaults: Any) -> Schema:
    """The schema of a tool with one argument, `x`; a model gets company, because alone it would stand for its fields."""

    def tool(x: Any) -> None: ...

    def accompanied(x: Any, y: None = None) -> None: ...

    made = accompanied if isinstance(annotation, type) and issubclass(annotation, BaseModel) else tool
    made.__annotations__["x"] = annotation
    if "default" in defaults:
        made.__defaults__ = (defaults["default"],)
    return schema_of(made, tool="t")


def value(annotation: Any, text: str) -> Any:
    return schema(annotation).validate(f'{{"x":{text}}}').values["x"]


def fields(made: Schema, given: str | Mapping[str, object]) -> Mapping[str, str]:
    with pytest.raises(Refusal) as caught:
        made.validate(given)
    assert caught.value.code == "invalid"
    found = caught.value.facts["fields"]
    assert isinstance(found, Mapping)
    return found


def problem(annotation: Any, text: str) -> str:
    found = fields(schema(annotation), f'{{"x":{text}}}')
    assert list(found) == ["x"]
    return found["x"]


# --- calls without arguments ---------------------------------------------------------------------------------------------


def no_arguments() -> None: ...


@pytest.mark.parametrize("given", ["", "   ", "\n\t", "null", " null ", "{}", " {} ", None, {}])
def test_nothing_is_an_empty_object(given: str | None) -> None:
    """B048"""
    made = schema_of(no_arguments, tool="get_time")

    arguments = made.validate(given)

    assert made.text == '{"type":"object","properties":{},"additionalProperties":false}'
    assert arguments.values == {}
    assert arguments.canonical == "{}"
    assert arguments.notes == ()


@pytest.mark.parametrize("given", ["[]", "0", "false", '""', '"null"', '"[]"', '"\\"{}\\""'])
def test_what_is_no_object_is_refused(given: str) -> None:
    """B048"""
    assert "arguments" in fields(schema_of(no_arguments, tool="get_time"), given)


def test_nothing_lacks_the_argument_that_is_required() -> None:
    """B048"""
    assert fields(schema(str), "") == {"x": "missing; expected a string"}


# --- text that was cut off -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ['{"x":"a', '{"x":', "{", '{"x":"a"', "{x:1}", '{"x":"a"}}', '{"x":"a",}'])
def test_malformed_text_is_refused_with_what_was_expected_and_never_completed(given: str) -> None:
    """B061"""
    with pytest.raises(Refusal) as caught:
        schema(str, default="safe").validate(given)

    assert caught.value.code == "invalid"
    assert caught.value.facts["expected"] == 'a JSON object {"x": string (optional)}'


# --- JSON as text --------------------------------------------------------------------------------------------------------


def update(fields: dict[str, Any], tags: list[str]) -> None: ...


UPDATE = schema_of(update, tool="update")


def test_an_object_or_array_sent_as_json_text_is_parsed_and_noted() -> None:
    """B046"""
    arguments = UPDATE.validate(r'{"fields":"{\"description\":\"x\"}","tags":"[\"a\"]"}')

    assert arguments.values == {"fields": {"description": "x"}, "tags": ["a"]}
    assert arguments.notes == ("fields: JSON text read as an object", "tags: JSON text read as an array")


def test_all_arguments_sent_as_one_text_are_parsed_and_noted() -> None:
    """B046"""
    arguments = UPDATE.validate(jsontext.dumps('{"fields":{"a":1},"tags":[]}'))

    assert arguments.values == {"fields": {"a": 1}, "tags": []}
    assert arguments.notes == ("arguments: JSON text read as an object",)


@pytest.mark.parametrize("text", ["{bad", "5", "null", "[]", "", "true"])
def test_text_that_is_no_such_object_is_refused_with_path_and_type(text: str) -> None:
    """B046"""
    given = jsontext.dumps({"fields": text, "tags": []})

    assert fields(UPDATE, given) == {"fields": "expected an object, got a string"}


@pytest.mark.parametrize(
    "given",
    [
        {"fields": '"{\\"a\\":1}"', "tags": []},
        '"{\\"fields\\":\\"{}\\",\\"tags\\":[]}"',
    ],
    ids=["argument", "whole"],
)
def test_text_inside_text_is_refused(given: str | dict[str, Any]) -> None:
    """B046"""
    assert "JSON text inside JSON text" in fields(UPDATE, given)["fields"]


def test_a_parsed_text_is_not_parsed_again_further_inside() -> None:
    """B046"""
    assert value(Node, '{"v":"a","kids":"[]"}') == Node(v="a")
    assert fields(schema(Node), jsontext.dumps({"x": '{"v":"a","kids":"[]"}'})) == {
        "x/kids": "it is JSON text inside JSON text; send the value itself"
    }


@pytest.mark.parametrize("text", ['{"account":"T"}', "[1,2]", "007", "true", "null", "1e3", "", '"'])
@pytest.mark.parametrize("annotation", [str, str | None, str | dict[str, Any], dict[str, Any] | str, str | list[int] | bool], ids=str)
def test_a_text_stays_that_text(text: str, annotation: Any) -> None:
    """B047"""
    arguments = schema(annotation).validate({"x": text})

    assert arguments.values == {"x": text}
    assert arguments.notes == ()


def test_a_text_for_an_imported_union_stays_that_text() -> None:
    """B047"""
    made = schema_from({"type": "object", "properties": {"content": {"anyOf": [{"type": "string"}, {"type": "object"}]}}}, tool="t")

    assert made.validate({"content": '{"a":1}'}).values == {"content": '{"a":1}'}
    assert made.validate({"content": {"a": 1}}).values == {"content": {"a": 1}}


# --- numbers -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2512292042121000001", 2512292042121000001),
        ('"1234567890123456789"', 1234567890123456789),
        ("9007199254740993", 9007199254740993),
        ("9007199254740993.0", 9007199254740993),
        ("1e3", 1000),
        ("10.0", 10),
        ("-0", 0),
        ("-0.0", 0),
        ("9" * 100, 10**100 - 1),
    ],
)
def test_an_integer_keeps_every_digit(text: str, expected: int) -> None:
    """B049"""
    made = schema(int)
    arguments = made.validate(f'{{"x":{text}}}')

    assert arguments.values == {"x": expected}
    assert type(arguments.values["x"]) is int
    assert arguments.canonical == f'{{"x":{expected}}}'


@pytest.mark.parametrize(
    "text", ["10.5", "true", '"3.0"', '" 3"', '"0x3"', '"007"', '"³"', '"1e3"', '""', "null", "1e200", "[3]", '"' + "9" * 101 + '"']
)
def test_what_is_no_integer_is_refused(text: str) -> None:
    """B049"""
    assert "integer" in problem(int, text)


def test_too_many_digits_are_refused_before_anything_is_computed() -> None:
    """B049"""
    assert "100 digits" in fields(schema(int), f'{{"x":{10**400}}}')["arguments"]


def test_a_float_that_already_lost_digits_is_not_taken_for_an_integer() -> None:
    """B049"""
    assert schema(int).validate({"x": 4.0}).values == {"x": 4}
    assert "all its digits" in fields(schema(int), {"x": 9007199254740992.0})["x"]


def test_text_read_as_an_integer_is_noted() -> None:
    assert schema(int).validate('{"x":"3"}').notes == ("x: '3' read as the integer 3",)


@pytest.mark.parametrize("text", ["true", '"3"', '"1.5"', '"NaN"', "null"])
def test_a_number_is_a_number(text: str) -> None:
    """B053"""
    assert "number" in problem(float, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0.12345678901234567890123", "0.12345678901234567890123"), ('"12.50"', "12.50"), ("12.50", "12.50"), ("1e3", "1000"), ("7", "7")],
)
@pytest.mark.parametrize("annotation", [Decimal, Decimal | None, list[Decimal]], ids=str)
def test_a_decimal_keeps_its_digits(text: str, expected: str, annotation: Any) -> None:
    if annotation == list[Decimal]:
        assert value(annotation, f"[{text}]") == [Decimal(expected)]
    else:
        made = schema(annotation)
        arguments = made.validate(f'{{"x":{text}}}')
        assert str(arguments.values["x"]) == expected
        assert arguments.canonical == f'{{"x":"{expected}"}}'
        assert made.validate(arguments.canonical) == arguments


@pytest.mark.parametrize("text", ['"NaN"', '"Infinity"', '"-inf"', '"x"'])
def test_a_decimal_that_is_not_finite_is_refused(text: str) -> None:
    """B055"""
    assert "x" in fields(schema(Decimal), f'{{"x":{text}}}')


@pytest.mark.parametrize("given", ['{"x": NaN}', '{"x": 1e999}', '{"x": -Infinity}', {"x": float("nan")}, {"x": float("inf")}], ids=str)
def test_numbers_that_are_not_finite_are_refused(given: Any) -> None:
    """B055"""
    assert "arguments" in fields(schema(float), given)


# --- booleans, lists of values -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"), [("true", True), ('"true"', True), ('"TRUE"', True), ('"False"', False), ('"false"', False), ("false", False)]
)
def test_a_boolean_may_be_spelled_and_is_never_inverted(text: str, expected: bool) -> None:
    """B053"""
    assert value(bool, text) is expected


@pytest.mark.parametrize("text", ["0", "1", '"0"', '"no"', '"yes"', '""', '"maybe"', "null", '" true"', '"1"'])
def test_anything_else_is_no_boolean_and_not_the_default(text: str) -> None:
    """B053"""
    assert fields(schema(bool, default=True), f'{{"x":{text}}}')["x"].startswith("expected a boolean")


@pytest.mark.parametrize("annotation", [Literal[1, 2, 3], Literal[1, 2, 3] | None], ids=str)
def test_a_list_of_integers_takes_integers_however_written(annotation: Any) -> None:
    """B051"""
    assert [value(annotation, text) for text in ("3", '"3"', "3.0")] == [3, 3, 3]
    assert type(value(annotation, "3.0")) is int
    assert problem(annotation, "4").startswith("expected one of 1, 2, 3")
    assert problem(annotation, "true").startswith("expected ")


def test_a_list_with_null_takes_null() -> None:
    """B052"""
    assert value(Literal[1, 2] | None, "null") is None
    assert value(Size | None, "null") is None
    assert value(Size | None, '"small"') is Size.SMALL
    assert problem(Literal[1, 2], "null") == "expected one of 1, 2, got null"


def test_an_unlisted_text_is_told_the_list() -> None:
    assert problem(Size, '"medium"') == 'expected one of "small", "large"'


# --- dates ---------------------------------------------------------------------------------------------------------------


def test_dates_and_times_arrive_as_such() -> None:
    """B057"""
    assert value(datetime, '"2020-03-29T02:00:00Z"') == datetime(2020, 3, 29, 2, tzinfo=UTC)
    assert value(date | None, '"2024-02-29"') == date(2024, 2, 29)


@pytest.mark.parametrize("annotation", [datetime, datetime | None, list[datetime]], ids=str)
def test_a_time_without_offset_is_refused_with_a_hint(annotation: Any) -> None:
    """B057"""
    text = '"2024-04-06T22:30:41"'

    assert "add Z" in next(iter(fields(schema(annotation), f'{{"x":{f"[{text}]" if annotation == list[datetime] else text}}}').values()))


@pytest.mark.parametrize("text", ["1712435441", '"asdf"', '"2024-04-06"'])
def test_other_things_are_no_time(text: str) -> None:
    """B057"""
    assert problem(datetime, text).startswith("expected a date-time with an offset")


# --- paths, unknown names, unions ----------------------------------------------------------------------------------------


def test_a_problem_has_the_path_to_it() -> None:
    """B043"""
    assert fields(schema_of_model(Node, tool="t", parameter="node"), '{"v":"a","kids":[{"v":"b","kids":[{"v":5}]}]}') == {
        "kids/0/kids/0/v": "expected a string, got an integer"
    }


@pytest.mark.parametrize("depth", [40, 5000])
def test_what_is_too_deep_is_refused(depth: int) -> None:
    """B043"""
    made = schema_of_model(Node, tool="t", parameter="node")
    text = '{"v":"","kids":[' * depth + '{"v":""}' + "]}" * depth

    assert "too deep" in fields(made, text)["arguments"]


def test_depth_within_bounds_is_fine_and_an_object_is_bounded_too() -> None:
    """B043"""
    made = schema_of_model(Node, tool="t", parameter="node")
    given: dict[str, Any] = {"v": ""}
    for _ in range(30):
        given = {"v": "", "kids": [given]}

    assert made.validate(given).canonical.count("kids") == 31
    for _ in range(2000):
        given = {"v": "", "kids": [given]}
    assert "too deep" in fields(made, given)["arguments"]


def test_unknown_arguments_are_named_with_the_nearest_known_one() -> None:
    def tool(colour: str, size: int = 1) -> None: ...

    made = schema_of(tool, tool="t")

    assert fields(made, '{"color":"red","size":1}') == {"color": "unknown; did you mean 'colour'?", "colour": "missing; expected a string"}
    assert fields(made, '{"colour":"red","zzz":1}') == {"zzz": "unknown; it takes size"}
    assert fields(schema_of(no_arguments, tool="t"), '{"x":1}') == {"x": "unknown; it takes none"}


def test_unknown_names_are_refused_at_every_depth() -> None:
    assert fields(schema(Node), '{"x":{"v":"a","kids":[{"v":"b","colour":1}]}}') == {"x/kids/0/colour": "unknown; it takes kids"}


def test_problems_are_said_together_types_before_values() -> None:
    def tool(a: int, b: Annotated[int, Field(le=5)], c: Node, d: Annotated[str, Field(max_length=2)] = "") -> None: ...

    made = schema_of(tool, tool="t")

    with pytest.raises(Refusal) as caught:
        made.validate('{"a":"x","b":9,"c":{"v":1}}')
    assert caught.value.facts["fields"] == {"a": "expected an integer, got a string", "c/v": "expected a string, got an integer"}
    assert caught.value.message == "2 arguments are wrong: a, c/v."
    assert caught.value.facts["expected"] == 'a JSON object {"a": integer, "b": integer, "c": object, "d": string (optional)}'
    assert fields(made, '{"a":1,"b":9,"c":{"v":"x"},"d":"abc"}') == {
        "b": "should be less than or equal to 5",
        "d": "should have at most 2 characters",
    }


def test_a_flood_of_problems_is_cut_and_says_so() -> None:
    found = fields(schema(list[int]), jsontext.dumps({"x": ["a"] * 100}))

    assert len(found) == 21
    assert found["…"] == "and 80 more"


def test_a_union_of_objects_is_judged_by_the_one_that_was_meant() -> None:
    made = schema(Cat | Dog)

    assert made.validate('{"x":{"kind":"cat","lives":"9"}}').values == {"x": Cat(kind="cat", lives=9)}
    assert fields(made, '{"x":{"kind":"dog","tricks":"sit"}}') == {
        "x/tricks": "expected an array, got a string",
        "x/owner": "missing; expected a string",
    }


def test_the_applications_own_rules_are_asked_and_their_paths_kept() -> None:
    assert "is after last" in problem(Period, '{"first":3,"last":1}')
    assert value(Period, '{"first":"1","last":3}') == Period(first=1, last=3)


def test_what_a_validator_changed_is_what_everybody_sees() -> None:
    """B094"""
    made = schema(Annotated[int, AfterValidator(lambda number: min(number, 5))])

    arguments = made.validate('{"x":9}')

    assert arguments.values == {"x": 5}
    assert arguments.canonical == '{"x":5}'


def test_what_a_validator_made_unspeakable_is_an_error_of_the_tool() -> None:
    made = schema(Annotated[str, AfterValidator(lambda _: object())])

    with pytest.raises(DefinitionError, match="serializer"):
        made.validate('{"x":"a"}')


# --- the canonical text --------------------------------------------------------------------------------------------------


def test_the_canonical_text_has_the_authors_order_and_the_defaults() -> None:
    def tool(z: int, a: Node, at: datetime | None = None, tags: frozenset[str] = frozenset(("b", "a")), ident: UUID = NOBODY) -> None: ...

    made = schema_of(tool, tool="t")
    arguments = made.validate('{"a":{"kids":[],"v":"ü"},"z":1.0}')

    assert arguments.canonical == (
        '{"z":1,"a":{"v":"ü","kids":[]},"at":null,"tags":["a","b"],"ident":"00000000-0000-0000-0000-000000000001"}'
    )
    assert made.validate(arguments.canonical) == arguments


@given(
    st.fixed_dictionaries(
        {"x": st.integers(-(10**30), 10**30), "s": st.sets(st.text(max_size=3), max_size=4)},
        optional={
            "d": st.decimals(allow_nan=False, allow_infinity=False, places=3).map(float),
            "t": st.text(max_size=5),
            "n": st.none() | st.booleans(),
        },
    )
)
def test_validating_the_canonical_text_changes_nothing(given: dict[str, Any]) -> None:
    arguments = MIXED.validate(jsontext.dumps({**given, "s": sorted(given["s"])}))

    again = MIXED.validate(arguments.canonical)

    assert again == arguments
    assert again.notes == ()


def mixed(x: int, s: set[str], d: Decimal = Decimal(1), t: str = "", *, n: bool | None = None) -> None: ...


MIXED = schema_of(mixed, tool="mixed")

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["x", "s", "d", "t", "n", "other"]), JSON_VALUES) | st.text() | JSON_VALUES)
def test_whatever_is_sent_passes_or_is_refused_as_invalid(given: Any) -> None:
    refused: Refusal | None = None
    try:
        MIXED.validate(given)
    except Refusal as refusal:
        refused = refusal

    assert refused is None or refused.code == "invalid"
    jsontext.dumps(dict(refused.facts) if refused else None).encode()


def test_an_object_is_as_good_as_its_text() -> None:
    made = schema(Node)

    assert made.validate(MappingProxyType({"x": {"v": "a"}})) == made.validate('{"x":{"v":"a"}}')
    assert "arguments" in fields(made, {"x": object()})
    assert "arguments" in fields(made, [1])  # type: ignore[arg-type]  # what a careless face may hand on


# --- characters, sizes, secrets ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [r'{"x":"\ud99c \ubcf4\uc720"}', {"x": "\ud83d"}, r'{"\ud800":1}'], ids=["text", "object", "key"])
def test_half_a_character_is_refused(given: Any) -> None:
    """B056"""
    assert "surrogate" in fields(schema(str), given)["arguments"]


def test_a_whole_character_is_not() -> None:
    """B056"""
    assert value(str, r'"\ud83c\udf0d"') == "🌍"


def test_size_and_number_are_bounded() -> None:
    assert "bytes" in fields(schema(str), jsontext.dumps({"x": "a" * ARGUMENT_LIMITS.size}))["arguments"]
    assert "properties and items" in fields(schema(list[int]), jsontext.dumps({"x": [1] * (ARGUMENT_LIMITS.members + 1)}))["arguments"]


def test_an_ambiguous_union_that_doubles_at_every_level_is_bounded() -> None:
    raw = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/T"}},
        "$defs": {
            "T": {
                "anyOf": [{"type": "object", "properties": {name: {"$ref": "#/$defs/T"}}, "required": [name]} for name in ("n", "n")]
                + [{"type": "null"}]
            }
        },
    }
    given: Any = 1
    for _ in range(50):
        given = {"n": given}

    assert "ambiguous" in fields(schema_from(raw, tool="t"), {"x": given})["arguments"]


def test_refusals_repeat_nothing_that_was_sent() -> None:
    """B139"""

    def check(text: str) -> str:
        raise ValueError(f"the password {text!r} is in the list of {text}s")

    class Login(BaseModel):
        name: str
        password: Annotated[str, AfterValidator(check)]
        pin: int = 0

        @model_validator(mode="before")
        @classmethod
        def refuse_pins(cls, data: Any) -> Any:
            if data.get("pin"):
                raise ValueError(f"pin {data['pin']} of {data['name']}")
            return data

    made = schema(Login)

    for text in (
        '{"x":{"name":"ada","password":"pw1-secret"}}',
        '{"x":{"name":"pw1-secret","password":"pw1","pin":48151623}}',
        '{"x":"pw1-secret"}',
        '{"x":["pw1-secret"]}',
        '{"x":{"name":["pw1-secret"],"password":48151623}}',
        '{"x":{"name":"pw1-secret"',
    ):
        with pytest.raises(Refusal) as caught:
            made.validate(text)
        said = f"{caught.value} {caught.value.message} {dict(caught.value.facts)}"
        assert "pw1-secret" not in said
        assert "48151623" not in said


def test_a_refusal_says_only_things_every_face_can_print() -> None:
    with pytest.raises(Refusal) as caught:
        schema(int).validate('{"x":"a"}')

    assert caught.value.code in REFUSAL_CODES
    assert caught.value.message == "x: expected an integer, got a string."
    assert set(caught.value.facts) == {"fields", "expected"}


# --- what must have been seen --------------------------------------------------------------------------------------------

OrderId = Annotated[str, Known("order")]


class Line(BaseModel):
    order: OrderId
    count: int = 1


def test_demanded_values_are_found_wherever_they_stand() -> None:
    def tool(
        order: OrderId,
        others: list[OrderId],
        lines: list[Line],
        counts: dict[OrderId, int],
        user: Annotated[int, Known("user")],
        all_: Annotated[list[str], Known("tag")],
        maybe: OrderId | None = None,
        none: OrderId | None = None,
    ) -> None: ...

    made = schema_of(tool, tool="t")
    given = '{"order":"o_1","others":["o_2"],"lines":[{"order":"o_3"}],"counts":{"o_4":1},"user":"17","all_":["a"],"maybe":"o_5"}'

    assert [(each.path, each.kind, each.value) for each in made.demanded(made.validate(given))] == [
        ("order", "order", "o_1"),
        ("others/0", "order", "o_2"),
        ("lines/0/order", "order", "o_3"),
        ("counts/o_4", "order", "o_4"),
        ("user", "user", "17"),
        ("all_/0", "tag", "a"),
        ("maybe", "order", "o_5"),
    ]
    assert "handgriff" not in made.text


def test_a_tool_without_known_arguments_demands_nothing() -> None:
    made = schema(Node)

    assert made.demanded(made.validate('{"x":{"v":"a"}}')) == ()
