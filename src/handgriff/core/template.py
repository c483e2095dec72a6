"""Placeholders in an author's text: where they stand. This version does not expand them, so they are refused and never sent as they are."""

import re

_TOKEN = re.compile(r"\{\{|(\{[A-Za-z_][A-Za-z0-9_.:-]*\??\})")
"""Read from the left, as an expansion will: a doubled brace, or a placeholder."""


def placeholder_in(text: str) -> str | None:
    """The first placeholder in *text*. Braces that hold anything but a key, and doubled braces, are none."""
    return next((found[1] for found in _TOKEN.finditer(text) if found[1]), None)
