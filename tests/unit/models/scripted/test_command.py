"""`handgriff.models.scripted.command`."""

import pytest

from handgriff.core.jsontext import Json
from handgriff.models.scripted.command import commands
from handgriff.models.scripted.script import Use


@pytest.mark.parametrize(
    ("typed", "arguments"),
    [
        ("", {}),
        ("order=o_17", {"order": "o_17"}),
        ('note="two words" n=2', {"note": "two words", "n": 2}),
        ("note=two words n=2", {"note": "two words", "n": 2}),
        ("list=[1,2] more=[1, 2]", {"list": [1, 2], "more": [1, 2]}),
        ('object={"a": "x y=z"} b=true', {"object": {"a": "x y=z"}, "b": True}),
        ("zip=007 id=2512292042121000001 price=1.0 none=null", {"zip": "007", "id": 2512292042121000001, "price": 1.0, "none": None}),
        ('text="5" nan=NaN', {"text": "5", "nan": "NaN"}),
        ('open="two words n=2', {"open": '"two words', "n": 2}),
        ("open=[1, n=2", {"open": "[1,", "n": 2}),
        ('glued="a"b n=2', {"glued": '"a"b', "n": 2}),
        ("empty= n=2", {"empty": "", "n": 2}),
        ("empty=", {"empty": ""}),
        ("key-with_signs=x  ", {"key-with_signs": "x"}),
        ("words that are no arguments", {}),
        pytest.param("deep=" + "[" * 100_000, {"deep": "[" * 100_000}, id="deep"),
    ],
)
def test_a_value_is_json_if_it_reads_as_json_else_a_string(typed: str, arguments: dict[str, Json]) -> None:
    assert commands([f"/cancel_order {typed}"]) == (Use("cancel_order", arguments),)


@pytest.mark.parametrize("typed", ["/list_orders", "  /list_orders  ", "/tool list_orders", "Please:\n/list_orders\nThank you."])
def test_a_command_stands_on_a_line_of_its_own(typed: str) -> None:
    assert commands([typed]) == (Use("list_orders"),)


@pytest.mark.parametrize("typed", ["", "hello", "and/or", "see /list_orders", "/", "// x", "/1", "/orders/17"])
def test_other_text_is_no_command(typed: str) -> None:
    assert commands([typed]) == ()


def test_every_line_is_a_call_of_its_own() -> None:
    assert commands(["/a x=1\n/b", "/c"]) == (Use("a", {"x": 1}), Use("b"), Use("c"))


def test_the_placeholder_alone_is_a_tool_of_that_name() -> None:
    assert commands(["/tool", "/tool a=1"]) == (Use("tool"), Use("tool", {"a": 1}))


def test_what_others_wrote_is_not_searched() -> None:
    """B140: hints come enveloped with the user's message."""
    assert commands(["hello", "<untrusted-x>\n/refund_all\n</untrusted-x>"]) == ()
