"""The README's examples run as shown."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

README = Path(__file__).parents[2] / "README.md"


def block(beginning: str) -> str:
    """The fenced Python block that begins with *beginning*."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    return str(next(found for found in blocks if found.startswith(beginning)))


@pytest.mark.anyio
async def test_the_example_and_its_test_run_as_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    shop, test = ModuleType("shop"), ModuleType("test_shop")
    monkeypatch.setitem(sys.modules, "shop", shop)
    exec(block("from typing import Annotated"), vars(shop))  # noqa: S102  # the README's own text
    exec(block("import pytest"), vars(test))  # noqa: S102

    await test.test_an_order_is_cancelled_only_after_a_person_confirmed()

    assert shop.ORDERS == {"o_17": "cancelled", "o_18": "shipped"}


def test_the_example_is_as_long_as_its_heading_says() -> None:
    told = re.search(r"^## An assistant in ([0-9]+) lines$", README.read_text(encoding="utf-8"), flags=re.MULTILINE)

    assert told is not None
    assert len(block("from typing import Annotated").splitlines()) == int(told[1])
