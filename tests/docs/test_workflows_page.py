"""docs/workflows.md: its examples run, and what it promises of them holds."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from handgriff import Caller, machine
from handgriff.core.outcome import Outcome
from handgriff.testing.harness import Harness, harness

PAGE = (Path(__file__).parents[2] / "docs" / "workflows.md").read_text(encoding="utf-8")
ADA = Caller("acme", "ada", permissions={"papers.approve", "papers.pay"})

pytestmark = pytest.mark.anyio


def example(number: int) -> dict[str, Any]:
    """What one of the page's examples defines."""
    found: dict[str, Any] = {"__name__": "page"}
    exec(re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)[number], found)  # noqa: S102  # the page's own text
    return found


async def called(chat: Harness, tool: str, **arguments: str) -> Outcome:
    return await chat.host.call(ADA, tool, arguments, session=chat.session.id)


async def test_a_derived_machine_is_read_from_the_applications_data() -> None:
    names = example(0)
    shop = names["Shop"]({"o-1": "pending", "o-2": "delivered"})

    @asynccontextmanager
    async def deps(_: Caller) -> AsyncIterator[object]:
        yield shop

    async with harness(names["shop"], ADA, deps=deps) as chat:
        assert (await called(chat, "cancel_order", order="o-1")).code is None
        assert (await called(chat, "cancel_order", order="o-1")).code == "closed"
        assert (await called(chat, "cancel_order", order="o-2")).code == "closed"
        assert (await called(chat, "cancel_order", order="o-3")).code == "not_found"


async def test_a_kept_machine_is_moved_by_successes_that_do_not_veto() -> None:
    async with harness(example(1)["desk"], ADA) as chat:
        assert (await called(chat, "show_profile")).code == "closed"
        assert (await called(chat, "identify", email="nobody")).code is None
        assert (await called(chat, "show_profile")).code == "closed"
        assert (await called(chat, "identify", email="ada@example.com")).code is None
        assert (await called(chat, "show_profile")).code is None


async def test_instances_by_handle_go_their_way_each_for_itself() -> None:
    async with harness(example(2)["office"], ADA) as chat:
        handle = json.loads((await called(chat, "write", text="hello")).text)["workflow"]["paper"]

        refused = json.loads((await called(chat, "pay", paper=handle)).text)
        assert (refused["state"], refused["path"]) == ("draft", ["submit", "approve", "pay"])
        for tool in ("submit", "approve", "pay"):
            assert (await called(chat, tool, paper=handle)).code is None


def test_the_invariants_of_the_table_are_all_there_are() -> None:
    named = re.findall(r"^\| `(\w+)\(", PAGE, flags=re.MULTILINE)

    assert sorted(named) == ["AlwaysReaches", "NeverTogether", "OnlyAfter"]
    assert set(named) <= set(machine.__all__)
