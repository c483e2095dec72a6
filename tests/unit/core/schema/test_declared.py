"""Declared state: keys and types in a pydantic model. Case B024."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    NaiveDatetime,
    PlainSerializer,
    RootModel,
    SecretStr,
    ValidationInfo,
    computed_field,
    create_model,
    field_serializer,
    field_validator,
    model_validator,
)

from handgriff.core import jsontext
from handgriff.core.schema.declared import Declared, declare
from handgriff.errors import DefinitionError
from tests.ids import stable


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    city: str
    zip: Annotated[str, Field(min_length=4)] = "0000"
    notes: list[list[str]] = Field(default_factory=list, max_length=9)

    @computed_field
    def line(self) -> str:
        return f"{self.zip} {self.city}"


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Shop(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)

    topic: str
    name: str = Field(alias="user:name", min_length=2)
    seen: datetime | None = Field(default=None, alias="user:seen")
    home: Address | None = Field(default=None, alias="user:home")
    brand: str = Field(default="Acme", alias="app:brand")
    token: str = Field(alias="temp:token")
    count: int = 0
    price: Decimal = Decimal("1.50")
    colour: Colour = Colour.RED
    codes: list[str] = Field(default_factory=list)
    tags: set[str] = Field(default_factory=set)
    spent: dict[date, float] = Field(default_factory=dict)
    wait: timedelta = timedelta(seconds=1)
    pet: Cat | Dog = Field(default=Cat(kind="cat"), discriminator="kind")
    anything: Any = None


@pytest.fixture(scope="module")
def shop() -> Declared:
    return declare(Shop)


def test_a_field_is_a_key_by_its_alias_or_its_name_in_the_authors_order(shop: Declared) -> None:
    assert shop.keys[:7] == ("topic", "user:name", "user:seen", "user:home", "app:brand", "temp:token", "count")


@pytest.mark.parametrize(
    ("key", "value", "stored"),
    [
        ("topic", " é ", "é"),
        ("user:name", "Ada", "Ada"),
        ("user:seen", datetime(2026, 1, 2, 3, 4, tzinfo=UTC), "2026-01-02T03:04:00Z"),
        ("user:seen", "2026-01-02T03:04:00Z", "2026-01-02T03:04:00Z"),
        ("user:seen", None, None),
        ("user:home", Address(city="Bern"), {"city": "Bern", "zip": "0000", "notes": []}),
        ("user:home", {"city": "Bern"}, {"city": "Bern", "zip": "0000", "notes": []}),
        ("count", 10**40, 10**40),
        ("price", Decimal("2.10"), "2.10"),
        ("colour", Colour.BLUE, "blue"),
        ("colour", "blue", "blue"),
        ("codes", ["a", "b"], ["a", "b"]),
        ("codes", ("a",), ["a"]),
        ("tags", {"b", "a", "c"}, ["a", "b", "c"]),
        ("spent", {date(2026, 1, 2): 1}, {"2026-01-02": 1.0}),
        ("wait", timedelta(minutes=2), "PT2M"),
        ("pet", Dog(kind="dog"), {"kind": "dog"}),
        ("pet", {"kind": "dog"}, {"kind": "dog"}),
        ("anything", {"a": [1, None]}, {"a": [1, None]}),
    ],
    ids=stable,
)
def test_a_value_is_stored_as_json_and_read_as_its_type(shop: Declared, key: str, value: Any, stored: Any) -> None:
    written = shop.check(key, value)

    assert (written, type(written)) == (stored, type(stored))
    again = shop.read(key, jsontext.dumps(written), "other")
    assert shop.check(key, again) == stored
    assert isinstance(again, type(value)) or isinstance(value, (str, dict, tuple))


def test_what_is_read_has_the_declared_type(shop: Declared) -> None:
    assert shop.read("user:seen", '"2026-01-02T03:04:00Z"', None) == datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    assert shop.read("user:home", '{"city":"Bern"}', None) == Address(city="Bern")
    assert shop.read("colour", '"blue"', None) is Colour.BLUE
    assert shop.read("spent", '{"2026-01-02":1}', None) == {date(2026, 1, 2): 1.0}
    assert shop.read("pet", '{"kind":"dog"}', None) == Dog(kind="dog")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("topic", 5, "should be a valid string"),
        ("topic", None, "should be a valid string"),
        ("user:name", "A", "at least 2 characters"),
        ("count", "1", "should be a valid integer"),
        ("count", True, "should be a valid integer"),
        ("count", 1.0, "should be a valid integer"),
        ("price", float("nan"), "Decimal"),
        ("user:seen", datetime, "should be a valid datetime"),
        ("user:seen", "yesterday", "should be a valid datetime"),
        ("user:home", {"city": 1}, "city should be a valid string"),
        ("user:home", {"city": "Bern", "zip": "1"}, "zip should have at least 4 characters"),
        ("user:home", {}, "city missing"),
        ("colour", "green", "should be 'red' or 'blue'"),
        ("codes", "abc", "should be a valid array"),
        ("codes", [1], "0 should be a valid string"),
        ("pet", {"kind": "cow"}, "kind"),
        ("anything", object(), "object"),
        ("anything", float("inf"), "NaN and infinities"),
    ],
    ids=stable,
)
def test_what_is_not_of_its_type_is_refused_by_key_and_by_what_was_expected(shop: Declared, key: str, value: Any, said: str) -> None:
    with pytest.raises(DefinitionError) as error:
        shop.check(key, value)

    assert error.value.member == repr(key)
    assert said in str(error.value)
    assert "yesterday" not in str(error.value)


def test_a_model_that_was_made_without_being_checked_is_found(shop: Declared) -> None:
    with pytest.raises(DefinitionError, match="user:home"):
        shop.check("user:home", Address.model_construct(city=5))


def test_a_value_that_holds_itself_is_refused(shop: Declared) -> None:
    value: dict[str, Any] = {}
    value["self"] = value

    with pytest.raises(DefinitionError, match="anything"):
        shop.check("anything", value)


@pytest.mark.parametrize(
    ("key", "near"), [("user:nmae", "'user:name'"), ("topik", "'topic'"), ("name", "'user:name'"), ("app:Brand", "'app:brand'")]
)
def test_B024_an_unknown_key_is_refused_with_the_nearest_one(shop: Declared, key: str, near: str) -> None:
    for use in (lambda: shop.check_key(key), lambda: shop.check(key, "x"), lambda: shop.read(key, None, None)):
        with pytest.raises(DefinitionError, match=f"declares no such key.*did you mean {near}"):
            use()
    shop.check_key("user:name")


def test_where_no_key_is_near_all_are_named() -> None:
    declared = declare(create_model("Two", topic=(str, ...), other=(int, 0)))

    with pytest.raises(DefinitionError, match="use one of 'topic', 'other'"):
        declared.check_key("zzzzzzzz")


@pytest.mark.parametrize("key", ["", "user:", "USER:name", "é", 5, None], ids=stable)
def test_what_is_no_key_is_refused_as_that(shop: Declared, key: Any) -> None:
    with pytest.raises(DefinitionError, match="is no key"):
        shop.check_key(key)


def test_an_absent_key_has_the_default_that_was_asked_for_then_the_declared_one(shop: Declared) -> None:
    assert shop.read("app:brand", None, "Globex") == "Globex"
    assert shop.read("app:brand", None, None) == shop.read("app:brand", None) == "Acme"
    assert shop.read("count", None, None) == 0
    assert shop.read("topic", None, None) is None
    assert shop.read("user:seen", None, None) is None
    assert shop.read("user:seen", "null", "other") is None


def test_what_was_read_raises_where_it_is_changed_in_place_because_the_change_would_be_lost(shop: Declared) -> None:
    home = shop.read("user:home", '{"city":"Bern","notes":[["a"]]}')

    changes: tuple[Callable[[], object], ...] = (
        lambda: shop.read("codes", '["a"]').append("b"),
        lambda: shop.read("codes", None).append("b"),
        lambda: shop.read("spent", "{}").update({}),
        lambda: shop.read("anything", '{"a":[1]}')["a"].append(2),
        lambda: home.notes[0].append("b"),
    )
    for change in changes:
        with pytest.raises(DefinitionError, match="can't be changed in place"):
            change()
    assert shop.check("user:home", home) == {"city": "Bern", "zip": "0000", "notes": [["a"]]}
    assert shop.check("codes", shop.read("codes", '["a"]')) == ["a"]
    assert shop.check("anything", shop.read("anything", '{"a":[1]}')) == {"a": [1]}


def test_a_declared_default_is_a_fresh_one_every_time(shop: Declared) -> None:
    shop.read("pet", None).kind = "dog"

    assert shop.read("pet", None).kind == "cat"


@pytest.mark.parametrize(
    ("key", "text"), [("count", '"1"'), ("count", "1.5"), ("user:home", '{"town":"Bern"}'), ("topic", "null")], ids=stable
)
def test_what_was_stored_as_something_else_says_so_when_it_is_read(shop: Declared, key: str, text: str) -> None:
    with pytest.raises(DefinitionError, match="what is stored does not fit its declared type any more") as error:
        shop.read(key, text, None)

    assert error.value.member == repr(key)


class Validated(BaseModel):
    name: str = Field(default="ada", alias="user:name")
    other: Annotated[int, AfterValidator(abs)] = 0
    written: Annotated[int, PlainSerializer(lambda value: -value)] = 0

    @field_validator("name", mode="after")
    @classmethod
    def lower(cls, value: str, info: ValidationInfo) -> str:
        if value != value.lower():
            raise ValueError("write it in small letters")
        return value

    @field_validator("*", mode="before")
    @classmethod
    def no_forbidden(cls, value: object) -> object:
        if value == "forbidden":
            raise ValueError(f"{value} is not allowed")
        return value


def test_the_models_own_validators_of_a_field_hold() -> None:
    declared = declare(Validated)

    assert declared.check("user:name", "ada") == "ada"
    assert declared.check("other", -5) == 5
    assert declared.check("written", 5) == -5
    with pytest.raises(DefinitionError, match="write it in small letters"):
        declared.check("user:name", "Ada")
    with pytest.raises(DefinitionError, match="… is not allowed"):
        declared.check("user:name", "forbidden")


def model(**fields: Any) -> type[BaseModel]:
    return create_model("State", **fields)


class OfSeveral(BaseModel):
    a: int = 0

    @model_validator(mode="after")
    def together(self) -> "OfSeveral":
        return self


class Serialised(BaseModel):
    a: int = 0

    @field_serializer("a")
    def write_a(self, value: int) -> str:
        return str(value)


class Undefined(BaseModel):
    a: "Nowhere"  # type: ignore[name-defined]  # noqa: F821  # the mistake that is looked for


class Split(BaseModel):
    a: int = Field(default=0, validation_alias="in", serialization_alias="out")


WRONG: Mapping[str, tuple[object, str]] = {
    "no class": ({"user:name": str}, "dict is no pydantic model"),
    "another class": (Colour, "Colour is no pydantic model"),
    "a root": (RootModel[int], "no pydantic model with fields"),
    "no model of its own": (BaseModel, "no pydantic model with fields"),
    "no fields": (model(), "it has none"),
    "an empty prefix": (model(name=(str, Field(alias="user:"))), "field 'name': 'user:' is no key"),
    "a prefix in capitals": (model(name=(str, Field(alias="User:name"))), "field 'name': 'User:name' is no key"),
    "two prefixes": (model(name=(str, Field(alias="app:temp:name"))), "is no key"),
    "a blank": (model(name=(str, Field(alias="a b"))), "is no key"),
    "a letter beyond ASCII": (model(größe=(int, 0)), "field 'größe': 'größe' is no key"),
    "scratch": (model(name=(str, Field(alias="scratch:name"))), "scratch has no declared keys"),
    "one key twice": (model(a=(str, Field(alias="user:x")), b=(int, Field(alias="user:x"))), "field 'b': another field is 'user:x' too"),
    "an alias and a name": (model(a=(str, Field(alias="b")), b=(int, 0)), "field 'b': another field is 'b' too"),
    "several names": (model(a=(str, Field(validation_alias=AliasChoices("a", "b")))), "it goes by several names"),
    "one name to read and one to write": (model(a=(str, Field(alias="a", serialization_alias="b"))), "it goes by several names"),
    "a member of two names": (model(a=(Split, Split())), "field 'a': .*can't be written under the name it is read by"),
    "a secret": (model(a=(SecretStr, ...)), "field 'a': its type is a secret"),
    "a secret inside": (model(a=(list[SecretStr] | None, None)), "its type is a secret"),
    "a type that is nowhere": (Undefined, "'Undefined', fields: .*Nowhere"),
    "a type of no JSON": (model(a=(Callable[[], None], ...)), "'State', field 'a': "),
    "a moment without an offset": (model(a=(NaiveDatetime, ...)), "another moment on every machine"),
    "a default of another type": (model(a=(str, None)), "field 'a': its default is not of its type: should be a valid string"),
    "a validator of several fields": (OfSeveral, "together: it would never run"),
    "a serializer of the model's": (Serialised, "write_a: it would never run"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_can_not_be_declared_is_found_before_it_is_used(wrong: str) -> None:
    given, said = WRONG[wrong]

    with pytest.raises(DefinitionError, match=said):
        declare(given)


def test_an_alias_generator_may_give_the_prefix() -> None:
    class Of(BaseModel):
        model_config = ConfigDict(alias_generator=lambda field: f"user:{field}")
        name: str = "Ada"

    assert declare(Of).keys == ("user:name",)


def test_pydantic_is_loaded_when_a_model_is_declared_and_not_before() -> None:
    program = "import sys, handgriff.core.schema.declared; print('pydantic' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
