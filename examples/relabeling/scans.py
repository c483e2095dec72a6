"""What a person scanned, pasted or typed, taken apart: one message may hold many codes, and one code may be printed in groups.

Below is reading one code; above, the tool that collects. Commas, semicolons, tabs and line ends separate codes for certain. A blank may
separate two codes or two groups of one, so of all ways to read a line the one with the fewest unreadable words is taken.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from examples.relabeling.codes import Code, Reading, clean, read, read_bare

_ENDS: Final = re.compile(r"[,;\t\r\n\v\f\x85\u2028\u2029]+")
_BLANKS: Final = re.compile(r"[^\S\x1d]+")
"""White space, of which FNC1 is a part to Python and none here."""
GROUPS: Final = 8
"""Groups of one code at most."""
_PRINTED_GROUP: Final = 4
"""Characters of a group on a label, where no check digit says whether groups belong together."""

_Way: TypeAlias = tuple[int, int, int]
"""How a line may be read from one word on: unreadable words, codes, and how many words the first reading takes. Less is better."""


def codes_in(texts: Iterable[str]) -> tuple[Reading, ...]:
    """Every code in *texts*, and everything that is none, in their order."""
    return tuple(reading for text in texts for line in _ENDS.split(text) for reading in _line(_words(line)))


def _words(line: str) -> list[str]:
    return [word for word in _BLANKS.split(line) if clean(word)]


def _line(words: Sequence[str]) -> Iterator[Reading]:
    singles = [read(word) for word in words]
    ways: list[_Way] = [(0, 0, 0)] * (len(words) + 1)
    for at in reversed(range(len(words))):
        ways[at] = min(
            (ways[at + taken][0] + (not isinstance(reading, Code)), ways[at + taken][1] + 1, taken)
            for taken, reading in _readings(words, singles, at)
        )
    at = 0
    while at < len(words):
        taken = ways[at][2]
        yield singles[at] if taken == 1 else read_bare(" ".join(words[at : at + taken]))
        at += taken


def _readings(words: Sequence[str], singles: Sequence[Reading], at: int) -> Iterator[tuple[int, Reading]]:
    """What may begin at word *at*: the word alone, or a code of several."""
    yield 1, singles[at]
    for taken in range(2, min(GROUPS, len(words) - at) + 1):
        joined = read_bare(" ".join(words[at : at + taken]))
        if isinstance(joined, Code) and _belongs_together(joined, words[at : at + taken], singles[at : at + taken]):
            yield taken, joined


def _belongs_together(joined: Code, groups: Sequence[str], singles: Sequence[Reading]) -> bool:
    """Whether *groups* are parts. What is a code by itself, or was meant as one, is no part of another."""
    for single in singles:
        if single.text != joined.text if isinstance(single, Code) else single.is_shaped:
            return False
    return joined.is_checked or max(map(len, groups)) <= _PRINTED_GROUP
