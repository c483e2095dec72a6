"""docs/contract.md: its examples run in the order they stand, its claims hold, and its table is the one the contract's own members make."""

import re
from collections.abc import AsyncIterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from handgriff import Assistant, Caller, Host, Toolbox
from handgriff.core.contract import Contract

PAGE = (Path(__file__).parents[2] / "docs" / "contract.md").read_text(encoding="utf-8")
COLUMNS = ("read_by", "meaning", "default")
ADA = Caller("acme", "ada", permissions=frozenset({"calendar.read", "calendar.write"}))

pytestmark = pytest.mark.anyio


def table() -> str:
    """The members as the page must show them."""
    rows = [f"| {item.name} | {' | '.join(item.metadata[column] for column in COLUMNS)} |" for item in fields(Contract) if item.init]
    return "\n".join(["| member | read by | meaning | default |", "|---|---|---|---|", *rows, ""])


def names() -> dict[str, Any]:
    """What the page's examples define, run one after the other."""
    found: dict[str, Any] = {"__name__": "calendar"}
    for block in re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL):
        exec(block, found)  # noqa: S102  # the page's own text
    return found


def test_the_table_is_the_one_the_members_make() -> None:
    assert table() in PAGE, f"put this table on the page:\n\n{table()}"


@pytest.fixture
async def host() -> AsyncIterator[Host]:
    async def callers(tenant: str, user: str) -> Caller | None:
        return ADA if (tenant, user) == ("acme", "ada") else None

    calendar: Toolbox = names()["calendar"]
    assistant = Assistant("salon", instructions="You help.", toolboxes=[calendar])
    async with Host(assistant, store="memory://", callers=callers, model="scripted:page") as opened:
        yield opened


async def test_the_tools_of_the_page_are_offered_by_right(host: Host) -> None:
    """Without the module there is no forecast."""
    assert [contract.name for contract in await host.menu(ADA)] == ["book", "cancel_booking", "list_bookings"]


async def test_the_read_answers_in_a_sentence_with_data_that_introduces_its_ids(host: Host) -> None:
    outcome = await host.call(ADA, "list_bookings", {"day": "Friday"})

    assert outcome.shown.summary == "2 bookings on Friday."
    assert outcome.introduced == (("booking", "b_41"), ("booking", "b_42"))


@pytest.mark.parametrize(
    ("who", "when", "code"),
    [
        ("Ada", "Monday 9:00", None),
        ("Ada", "Friday 10:00", "conflict"),
        ("Grace", "Monday 9:00", "denied"),
        ("Ada", "Sunday 9:00", "invalid"),
    ],
)
async def test_the_write_obeys_the_applications_own_rules(host: Host, who: str, when: str, code: str | None) -> None:
    outcome = await host.call(ADA, "book", {"who": who, "when": when})

    assert outcome.code == code


async def test_what_can_not_be_taken_back_waits_for_a_person_and_is_stale_once_it_has_changed(host: Host) -> None:
    outcome = await host.call(ADA, "cancel_booking", {"booking": "b_41"})
    waiting = await host.proposals.list(ADA)
    await host.call(ADA, "cancel_booking", {"booking": "b_41"})
    again = await host.proposals.list(ADA)

    assert outcome.code == "unconfirmed"
    assert [change.before for change in waiting[0].diff] == ["Ada, Friday 10:00"]
    assert (await host.proposals.decide(ADA, waiting[0].id, True)).proposal.state == "done"
    assert (await host.proposals.decide(ADA, again[-1].id, True)).proposal.state == "stale"


def test_a_tool_of_another_framework_is_there_for_those_who_have_the_module() -> None:
    calendar: Toolbox = names()["calendar"]
    found = next(contract for contract in calendar.contracts() if contract.name == "forecast")

    assert found.is_imported
    assert found.handler(day="Friday") == {"day": "Friday", "sky": "clear"}
