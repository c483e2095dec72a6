"""docs/refusals.md: every code is there with its HTTP status, and the example reads as shown."""

import re
from pathlib import Path
from typing import Any

from handgriff.core.outcome import refused
from handgriff.core.refusal_codes import REFUSAL_WORDS
from handgriff.errors import REFUSAL_CODES

PAGE = (Path(__file__).parents[2] / "docs" / "refusals.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| (\d+) \| (.+?) \| (.+?) \|$", PAGE, flags=re.MULTILINE)


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    assert found is not None
    return found.group(1)


def test_every_code_has_its_row_and_no_other() -> None:
    assert [code for code, *_ in ROWS] == list(REFUSAL_CODES)


def test_the_page_says_the_status_that_is_sent() -> None:
    assert {code: int(status) for code, status, *_ in ROWS} == {code: words.status for code, words in REFUSAL_WORDS.items()}


def test_the_model_reads_what_the_page_shows() -> None:
    names: dict[str, Any] = {}
    exec(block("python"), names)  # noqa: S102  # the page's own text

    assert refused(names["refusal"]).text == block("json").strip()
