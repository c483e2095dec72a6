"""Placeholders in an author's text."""

import pytest

from handgriff.core.template import placeholder_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("You help {user:name} at {app:brand}.", "{user:name}"),
        ("Topic: {topic}", "{topic}"),
        ("Topic: {topic?}", "{topic?}"),
        ("{app:brand?}", "{app:brand?}"),
        ("{temp:token}", "{temp:token}"),
        ("{users:x}", "{users:x}"),
        ("{a.b-c_d1}", "{a.b-c_d1}"),
        ("{{literal}} then {real}", "{real}"),
        ("{{{user:name}}}", "{user:name}"),
        ("{{{{{x}}}}}", "{x}"),
        ("{x}}", "{x}"),
        ("{{{x}", "{x}"),
    ],
)
def test_a_key_in_braces_is_a_placeholder(text: str, found: str) -> None:
    """B021: read from the left, a doubled brace is a literal one, so the triple form holds a placeholder."""
    assert placeholder_in(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no braces",
        "{}",
        "{{}}",
        "{ }",
        "{{city}}",
        "{{user:name}}",
        '{"a": 1}',
        "{a b}",
        "{a,b}",
        "{1}",
        r"\d{4}",
        "{größe}",
        "{x",
        "x}",
    ],
)
def test_braces_that_hold_anything_else_stay(text: str) -> None:
    """B021."""
    assert placeholder_in(text) is None
