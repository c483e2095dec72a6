"""What every snapshot store must do with a text: keep it, letter for letter, however long it is."""

# ruff: noqa: S101, D102  # tests: assert is the tool, a name says what it tests

from typing import ClassVar, Final

import pytest

from handgriff.ports.snapshots import Kept, SnapshotStore
from handgriff.testing.snapshots.records import KEY

TEXTS: Final = {
    "an object": '{"value":{"a":"b"},"n":1.50,"big":12345678901234567890}',
    "not an object": "null",
    "digits": "00",
    "a version's": "1",
    "accents": '"é e\u0301 ß \ufb00 İ"',
    "no letters": '"👋🏽 \U0010ffff \ufeff \u200b \u2028 \u202e"',
    "escapes": '"\\u0000 \\\\ \\" \\ud83d %s %% {0} $1 \'; --"',
    "spaces": ' \n\t{"a" : 1}\r\n ',
    "bytes' end": '"\x7f\x80\xff"',
}


class TextSuite:
    """Only Handgriff reads it."""

    most: ClassVar[int] = 1_000_000
    """Bytes of the longest text that is tried. Where a database keeps no more than less, say so; a longer one must raise, never be cut."""

    @pytest.mark.parametrize("name", TEXTS)
    async def test_a_text_comes_back_letter_for_letter(self, snapshots: SnapshotStore, name: str) -> None:
        text = TEXTS[name]
        for version in range(2):
            assert await snapshots.compare_and_set(KEY, version, Kept(text, version + 1))

            assert await snapshots.load(KEY) == Kept(text, version + 1)

    @pytest.mark.parametrize("letter", ["a", "ß", "👋"])
    async def test_a_long_text_is_kept_whole(self, snapshots: SnapshotStore, letter: str) -> None:
        text = f'"{letter * ((self.most - 2) // len(letter.encode()))}"'
        await snapshots.compare_and_set(KEY, 0, Kept('"short"', 1))

        assert await snapshots.compare_and_set(KEY, 1, Kept(text, 2))
        found = await snapshots.load(KEY)
        assert found is not None
        assert found.text == text

        assert await snapshots.compare_and_set(KEY, 2, Kept('"short"', 3))
        assert await snapshots.load(KEY) == Kept('"short"', 3)
