"""The salon's tools through the boundary, as a chat window's server would call them."""

import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from examples.salon.assistant import BOOK, PEOPLE, TENANT, load_caller, make_assistant, make_host
from examples.salon.data import open_salon
from handgriff import Host
from handgriff.core import jsontext

TODAY = date(2026, 3, 4)  # a Wednesday
ADA, BEN = PEOPLE["ada"], PEOPLE["ben"]
EFFECTS = {
    "add_customer": "write",
    "book_appointment": "write",
    "cancel_appointment": "write",
    "create_invoice": "write",
    "find_customer": "read",
    "free_slots": "read",
    "list_appointments": "read",
    "list_invoices": "read",
    "list_services": "read",
    "move_appointment": "write",
    "send_invoice": "irreversible",
    "set_service_price": "write",
}
PLANNED: dict[str, Mapping[str, Any]] = {
    "cancel_appointment": {"appointment": "a_503"},
    "send_invoice": {"invoice": "i_302"},
    "set_service_price": {"service": "s_cut", "cents": 6200},
}
READS: dict[str, Mapping[str, Any]] = {
    "find_customer": {"name": "greta"},
    "free_slots": {"service": "s_cut", "day": "2026-03-06"},
    "list_appointments": {"first": "2026-02-01", "last": "2026-03-31"},
    "list_invoices": {},
    "list_services": {},
}

pytestmark = pytest.mark.anyio


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    async with make_host(tmp_path, today=TODAY) as opened:
        yield opened


@pytest.fixture
def contents(host: Host, tmp_path: Path) -> Callable[[], list[str]]:
    def dump() -> list[str]:
        book = open_salon(tmp_path / BOOK)
        lines = list(book.iterdump())
        book.close()
        return lines

    return dump


def rows(folder: Path, statement: str) -> list[Any]:
    book = sqlite3.connect(folder / BOOK)
    found = book.execute(statement).fetchall()
    book.close()
    return found


def data(text: str | None) -> Any:
    return jsontext.loads(text or "null")


def test_every_tool_has_the_effect_it_is_known_by() -> None:
    contracts = make_assistant(TODAY).contracts

    assert {name: contract.effect for name, contract in contracts.items()} == EFFECTS
    assert {name for name, contract in contracts.items() if contract.plan is not None} == PLANNED.keys()
    assert {name for name, contract in contracts.items() if contract.effect == "read"} == READS.keys()


async def test_a_stylist_is_offered_neither_prices_nor_invoices(host: Host) -> None:
    everything = {tool.name for tool in await host.menu(ADA)}

    assert everything == EFFECTS.keys()
    assert everything - {tool.name for tool in await host.menu(BEN)} == {
        "set_service_price",
        "list_invoices",
        "create_invoice",
        "send_invoice",
    }


async def test_only_people_of_the_salon_are_callers() -> None:
    assert await load_caller(TENANT, "ben") == BEN
    assert await load_caller(TENANT, "zoe") is None
    assert await load_caller("other", "ada") is None


@pytest.mark.parametrize("tool", PLANNED)
async def test_a_plan_changes_nothing(host: Host, contents: Callable[[], list[str]], tool: str) -> None:
    await host.call(ADA, "create_invoice", {"appointment": "a_501"})
    before = contents()

    answer = await host.call(ADA, tool, PLANNED[tool])

    assert answer.code == "unconfirmed"
    assert contents() == before
    assert [proposal.tool for proposal in await host.proposals.list(ADA)] == [tool]


@pytest.mark.parametrize("tool", PLANNED)
async def test_a_confirmed_plan_is_carried_out_and_shows_the_diff_it_promised(
    host: Host, contents: Callable[[], list[str]], tool: str
) -> None:
    await host.call(ADA, "create_invoice", {"appointment": "a_501"})
    before = contents()
    await host.call(ADA, tool, PLANNED[tool])
    (proposal,) = await host.proposals.list(ADA)

    decided = await host.proposals.decide(ADA, proposal.id, True)

    assert (decided.proposal.state, decided.outcome.code) == ("done", None)
    assert decided.outcome.shown.diff == proposal.diff
    assert contents() != before


@pytest.mark.parametrize("tool", PLANNED)
async def test_a_declined_plan_changes_nothing(host: Host, contents: Callable[[], list[str]], tool: str) -> None:
    await host.call(ADA, "create_invoice", {"appointment": "a_501"})
    before = contents()
    await host.call(ADA, tool, PLANNED[tool])
    (proposal,) = await host.proposals.list(ADA)

    decided = await host.proposals.decide(ADA, proposal.id, False)

    assert decided.proposal.state == "declined"
    assert contents() == before


@pytest.mark.parametrize("tool", READS)
async def test_a_read_changes_nothing(host: Host, contents: Callable[[], list[str]], tool: str) -> None:
    before = contents()

    answer = await host.call(ADA, tool, READS[tool])

    assert answer.code is None
    assert data(answer.data)
    assert contents() == before


@pytest.mark.parametrize(
    ("tool", "statement"),
    [
        ("cancel_appointment", "UPDATE appointment SET starts = '2026-03-06T09:00' WHERE id = 'a_503'"),
        ("set_service_price", "UPDATE service SET cents = 6000 WHERE id = 's_cut'"),
        ("send_invoice", "UPDATE invoice SET number = '2026-0009', sent_on = '2026-03-04' WHERE id = 'i_302'"),
    ],
)
async def test_what_changed_since_the_plan_was_shown_is_not_carried_out(
    host: Host, tmp_path: Path, contents: Callable[[], list[str]], tool: str, statement: str
) -> None:
    await host.call(ADA, "create_invoice", {"appointment": "a_501"})
    await host.call(ADA, tool, PLANNED[tool])
    (proposal,) = await host.proposals.list(ADA)
    book = open_salon(tmp_path / BOOK)
    book.execute(statement)
    book.close()

    before = contents()

    assert (await host.proposals.decide(ADA, proposal.id, True)).outcome.code in {"stale", "conflict"}
    assert contents() == before


async def test_a_booking_is_shown_as_a_line_of_the_calendar(host: Host) -> None:
    answer = await host.call(ADA, "book_appointment", {"customer": "c_101", "service": "s_colour", "slot": "2026-03-06T10:00/mia"})

    assert answer.shown.summary == "Colour with Mia is booked for Greta Lindqvist: Fri 6 March, 10:00."
    (change,) = answer.shown.diff
    assert (change.label, change.before, change.after) == ("Mia, Fri 6 March, 10:00", "free", "Greta Lindqvist: Colour")
    assert answer.shown.link == "/calendar/2026-03-06"
    assert data(answer.data)["id"] == "a_508"


async def test_a_move_shows_only_what_changed(host: Host) -> None:
    answer = await host.call(BEN, "move_appointment", {"appointment": "a_504", "slot": "2026-03-05T14:00/ben"})

    assert [(change.label, change.before, change.after) for change in answer.shown.diff] == [
        ("When", "Thu 5 March, 10:00", "Thu 5 March, 14:00")
    ]


async def test_new_customers_are_entered_once(host: Host) -> None:
    person = {"name": "Ida Berg", "phone": "+49 30 5550106", "email": "ida@berg.example"}

    assert data((await host.call(BEN, "add_customer", person)).data)["id"] == "c_106"
    assert (await host.call(BEN, "add_customer", person)).code == "conflict"


async def test_sending_is_one_effect_however_often_it_is_wished(host: Host, tmp_path: Path) -> None:
    await host.call(ADA, "create_invoice", {"appointment": "a_501"})
    for _ in range(2):
        await host.call(ADA, "send_invoice", PLANNED["send_invoice"])
    first, second = await host.proposals.list(ADA)

    await host.proposals.decide(ADA, first.id, True)
    await host.proposals.decide(ADA, second.id, True)

    assert rows(tmp_path, "SELECT subject FROM mail") == [("Invoice 2026-0002",)]


@pytest.mark.parametrize(
    ("user", "tool", "arguments", "code"),
    [
        ("ben", "set_service_price", {"service": "s_cut", "cents": 100}, "not_found"),
        ("ben", "list_invoices", {}, "not_found"),
        ("ben", "cancel_appointment", {"appointment": "a_505"}, "denied"),
        ("ben", "move_appointment", {"appointment": "a_503", "slot": "2026-03-06T10:00/ben"}, "denied"),
        ("ben", "move_appointment", {"appointment": "a_999", "slot": "2026-03-06T10:00/ben"}, "not_found"),
        ("ada", "cancel_appointment", {"appointment": "a_506"}, "conflict"),
        ("ada", "cancel_appointment", {"appointment": "a_999"}, "not_found"),
        ("ada", "book_appointment", {"customer": "c_101", "service": "s_cut", "slot": "2026-03-05T09:30/mia"}, "conflict"),
        ("ada", "book_appointment", {"customer": "c_101", "service": "s_cut", "slot": "2026-03-08T10:00/mia"}, "invalid"),
        ("ada", "book_appointment", {"customer": "c_101", "service": "s_cut", "slot": "Friday at ten"}, "not_found"),
        ("ada", "free_slots", {"service": "s_perm", "day": "2026-03-06"}, "not_found"),
        ("ada", "set_service_price", {"service": "s_cut", "cents": 5800}, "invalid"),
        ("ada", "set_service_price", {"service": "s_cut", "cents": 1}, "invalid"),
        ("ada", "create_invoice", {"appointment": "a_503"}, "invalid"),
        ("ada", "create_invoice", {"appointment": "a_502"}, "conflict"),
        ("ada", "send_invoice", {"invoice": "i_301"}, "conflict"),
        ("ada", "add_customer", {"name": "Ida", "phone": "none", "email": "ida"}, "invalid"),
    ],
)
async def test_what_may_not_be_is_refused_and_changes_nothing(
    host: Host, contents: Callable[[], list[str]], user: str, tool: str, arguments: Mapping[str, Any], code: str
) -> None:
    before = contents()

    assert (await host.call(PEOPLE[user], tool, arguments)).code == code
    assert contents() == before


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("free_slots", {"service": "s_cut", "day": "2026-03-09"}, "The salon is closed on Mondays."),
        ("free_slots", {"service": "s_cut", "day": "2026-03-03"}, "45 free minutes on Tuesday 2026-03-03"),
        ("free_slots", {"service": "s_cut", "day": "2026-03-06", "stylist": "zoe"}, "Nothing was found."),
        ("find_customer", {"name": "Zoe"}, "customers whose name holds 'Zoe'"),
        ("list_appointments", {"first": "2027-01-01", "last": "2027-01-31"}, "appointments from 2027-01-01 to 2027-01-31"),
        ("list_invoices", {"customer": "c_104"}, "Searched: invoices"),
    ],
)
async def test_nothing_found_is_said_in_words(host: Host, tool: str, arguments: Mapping[str, Any], words: str) -> None:
    answer = await host.call(ADA, tool, arguments)

    assert answer.code is None
    assert words in answer.shown.summary


async def test_too_many_appointments_must_be_narrowed(host: Host, tmp_path: Path) -> None:
    book = open_salon(tmp_path / BOOK)
    for number in range(60):
        book.execute(
            "INSERT INTO appointment VALUES (?, 'c_104', 's_cut', 'mia', '2027-05-05T10:00', 45, 5800, 'booked')", (f"a_{900 + number}",)
        )
    book.close()

    answer = await host.call(ADA, "list_appointments", {"first": "2027-05-01", "last": "2027-05-31"})

    assert answer.code == "too_large"
    assert '"total":60' in answer.text
