"""What counts as seen in a typed text. A pure question about two texts; where texts are kept is the store's business."""

from unicodedata import category

SHORTEST = 3
"""Shorter values stand in too many texts by chance."""


def stands_alone(value: str, text: str) -> bool:
    """Whether *value* stands in *text* by itself: three characters or more, no letter or digit directly before or after it."""
    if len(value) < SHORTEST:
        return False
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if not (at and _is_inside_a_word(text[at - 1])) and not (end < len(text) and _is_inside_a_word(text[end])):
            return True
        at = text.find(value, at + 1)
    return False


def _is_inside_a_word(character: str) -> bool:
    # A combining mark belongs to the letter before it, so it continues a word as a letter does.
    return character.isalnum() or category(character).startswith("M")
