"""The salon's own rules, without any assistant."""

import sqlite3
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.salon import billing, book
from examples.salon.data import seed
from examples.salon.hours import open_day, opening, starts_of
from examples.salon.rows import ConflictError, MissingError, RuleError, Slot, euros, moment

TODAY = date(2026, 3, 4)  # a Wednesday
THURSDAY, FRIDAY, SATURDAY = (TODAY + timedelta(days=days) for days in (1, 2, 3))


@pytest.fixture
def salon() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    seed(connection, TODAY)
    yield connection
    connection.close()


def contents(connection: sqlite3.Connection) -> list[str]:
    return list(connection.iterdump())


def slot(day: date, at: str, stylist: str) -> Slot:
    return Slot(stylist, datetime.combine(day, time.fromisoformat(at)))


def test_two_salons_seeded_for_one_day_are_equal(salon: sqlite3.Connection) -> None:
    other = sqlite3.connect(":memory:", isolation_level=None)
    seed(other, TODAY)

    assert contents(other) == contents(salon)
    other.close()


@given(st.dates(min_value=date(2020, 1, 1), max_value=date(2040, 1, 1)))
def test_every_day_may_be_the_day_the_salon_is_seeded_for(today: date) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    seed(connection, today)

    found = book.appointments(connection, first=today + timedelta(days=1), last=today + timedelta(days=14))
    assert [each.id for each in found] == ["a_503", "a_504", "a_505", "a_507"]
    assert all(each.starts in starts_of(each.starts.date(), each.minutes) for each in found)
    connection.close()


@given(st.dates(), st.integers(min_value=1, max_value=12))
def test_open_days_ahead_and_back_are_open_and_in_order(today: date, nth: int) -> None:
    if not date(2, 1, 1) < today < date(9998, 1, 1):
        return

    ahead = [open_day(today, n) for n in range(1, nth + 1)]
    back = [open_day(today, -n) for n in range(1, nth + 1)]
    assert all(opening(day) for day in ahead + back)
    assert [today, *ahead] == sorted({today, *ahead})
    assert [*back[::-1], today] == sorted({today, *back})


def test_saturday_closes_early_and_monday_is_closed() -> None:
    assert list(starts_of(SATURDAY, 90))[-1].time() == time(12, 30)
    assert list(starts_of(FRIDAY, 90))[-1].time() == time(16, 30)
    assert list(starts_of(SATURDAY + timedelta(days=2), 30)) == []


def test_a_free_slot_is_free_and_no_longer_once_it_is_booked(salon: sqlite3.Connection) -> None:
    wanted = slot(FRIDAY, "10:00", "mia")
    assert wanted in book.free_slots(salon, minutes=90, day=FRIDAY, today=TODAY)

    made = book.book_slot(salon, wanted, customer="c_101", service_id="s_colour", today=TODAY)

    assert (made.id, made.customer_name, made.minutes, made.cents, made.ends.time()) == ("a_508", "Greta Lindqvist", 90, 8900, time(11, 30))
    remaining = book.free_slots(salon, minutes=30, day=FRIDAY, today=TODAY)
    assert not {slot(FRIDAY, at, "mia") for at in ("10:00", "10:30", "11:00")} & set(remaining)
    assert {slot(FRIDAY, at, "mia") for at in ("09:30", "11:30")} <= set(remaining)


def test_every_slot_offered_can_be_booked(salon: sqlite3.Connection) -> None:
    for each in book.free_slots(salon, minutes=30, day=SATURDAY, today=TODAY):
        before = contents(salon)
        made = book.book_slot(salon, each, customer="c_101", service_id="s_beard", today=TODAY)
        salon.execute("DELETE FROM appointment WHERE id = ?", (made.id,))
        assert contents(salon) == before


@pytest.mark.parametrize(
    ("place", "customer", "error", "words"),
    [
        (slot(THURSDAY, "09:30", "mia"), "c_101", ConflictError, "mia has appointment a_503 from 09:00 to 10:30"),
        (slot(THURSDAY, "10:30", "ada"), "c_104", ConflictError, "Jun Sato has appointment a_504"),
        (slot(SATURDAY + timedelta(days=1), "10:00", "mia"), "c_101", RuleError, "closed on Sundays"),
        (slot(TODAY - timedelta(days=1), "10:00", "mia"), "c_101", RuleError, "has passed"),
        (slot(FRIDAY, "17:30", "mia"), "c_101", RuleError, "can't begin at 17:30"),
        (slot(FRIDAY, "08:30", "mia"), "c_101", RuleError, "can't begin at 08:30"),
        (slot(FRIDAY, "10:10", "mia"), "c_101", RuleError, "half hour"),
        (slot(FRIDAY, "10:00", "zoe"), "c_101", MissingError, "stylist 'zoe'"),
        (slot(FRIDAY, "10:00", "mia"), "c_999", MissingError, "customer 'c_999'"),
    ],
    ids=["stylist_busy", "customer_busy", "closed", "past", "too_late", "too_early", "off_grid", "no_stylist", "no_customer"],
)
def test_a_booking_that_breaks_a_rule_writes_nothing(
    salon: sqlite3.Connection, place: Slot, customer: str, error: type[Exception], words: str
) -> None:
    before = contents(salon)

    with pytest.raises(error, match=words):
        book.book_slot(salon, place, customer=customer, service_id="s_cut", today=TODAY)
    assert contents(salon) == before


def test_nothing_is_offered_on_a_day_that_has_passed(salon: sqlite3.Connection) -> None:
    assert book.free_slots(salon, minutes=30, day=TODAY - timedelta(days=1), today=TODAY) == ()


def test_an_appointment_may_move_into_a_time_that_meets_its_old_one(salon: sqlite3.Connection) -> None:
    moved = book.move(salon, "a_503", slot(THURSDAY, "09:30", "mia"), today=TODAY)

    assert moved.starts == datetime.combine(THURSDAY, time(9, 30))
    assert moved.cents == 8900


def test_a_cancelled_or_past_appointment_is_left_alone(salon: sqlite3.Connection) -> None:
    with pytest.raises(ConflictError, match="a_506 is cancelled"):
        book.move(salon, "a_506", slot(FRIDAY, "10:00", "mia"), today=TODAY)
    with pytest.raises(ConflictError, match="a_501 was on"):
        book.cancel(salon, "a_501", today=TODAY)
    with pytest.raises(MissingError):
        book.cancel(salon, "a_999", today=TODAY)


def test_a_cancelled_appointment_frees_its_slot(salon: sqlite3.Connection) -> None:
    assert book.cancel(salon, "a_503", today=TODAY).state == "cancelled"

    assert slot(THURSDAY, "09:00", "mia") in book.free_slots(salon, minutes=90, day=THURSDAY, today=TODAY)
    with pytest.raises(ConflictError):
        book.cancel(salon, "a_503", today=TODAY)


def test_a_new_price_leaves_what_is_booked_at_the_old_one(salon: sqlite3.Connection) -> None:
    assert book.set_price(salon, "s_colour", before=8900, cents=9500).cents == 9500

    assert book.appointment(salon, "a_503").cents == 8900
    assert book.book_slot(salon, slot(FRIDAY, "10:00", "mia"), customer="c_101", service_id="s_colour", today=TODAY).cents == 9500


def test_a_price_that_was_changed_meanwhile_is_not_overwritten(salon: sqlite3.Connection) -> None:
    book.set_price(salon, "s_cut", before=5800, cents=6000)

    with pytest.raises(ConflictError, match=r"costs € 60\.00 by now, not € 58\.00"):
        book.set_price(salon, "s_cut", before=5800, cents=6200)
    assert book.service(salon, "s_cut").cents == 6000


@pytest.mark.parametrize(("cents", "words"), [(5800, "already"), (99, "lies between"), (100_001, "lies between")])
def test_a_price_must_change_within_bounds(salon: sqlite3.Connection, cents: int, words: str) -> None:
    with pytest.raises(RuleError, match=words):
        book.set_price(salon, "s_cut", before=5800, cents=cents)


def test_one_address_is_one_customer(salon: sqlite3.Connection) -> None:
    added = book.add_customer(salon, name="Ida Berg", phone="+49 30 5550106", email="ida@berg.example")
    assert added.id == "c_106"
    assert book.customers_named(salon, " ida ") == (added,)

    with pytest.raises(ConflictError, match="Ida Berg has the address"):
        book.add_customer(salon, name="I. Berg", phone="+49 30 5550106", email="IDA@berg.example")


def test_customers_are_found_by_a_part_of_their_name_and_nothing_is_a_pattern(salon: sqlite3.Connection) -> None:
    assert [each.id for each in book.customers_named(salon, "GRETA")] == ["c_101", "c_105"]
    assert book.customers_named(salon, "%") == ()


def test_an_invoice_is_drafted_once_for_what_took_place(salon: sqlite3.Connection) -> None:
    made = billing.draft(salon, "a_501", today=TODAY)
    assert (made.id, made.state, made.number, made.cents) == ("i_302", "draft", None, 5800)

    with pytest.raises(ConflictError, match="has invoice i_302"):
        billing.draft(salon, "a_501", today=TODAY)
    for identity in ("a_503", "a_506"):
        with pytest.raises(RuleError, match="did not take place"):
            billing.draft(salon, identity, today=TODAY)
    with pytest.raises(MissingError):
        billing.draft(salon, "a_999", today=TODAY)


def test_sending_numbers_the_invoice_and_mails_it_once(salon: sqlite3.Connection) -> None:
    billing.draft(salon, "a_501", today=TODAY)

    sent = billing.send(salon, "i_302", today=TODAY)

    assert (sent.state, sent.number, sent.sent_on) == ("sent", "2026-0002", TODAY)
    with pytest.raises(ConflictError, match="went out on 2026-03-04 as 2026-0002"):
        billing.send(salon, "i_302", today=TODAY)
    assert salon.execute("SELECT recipient, subject FROM mail").fetchall() == [("greta@lindqvist.example", "Invoice 2026-0002")]
    assert [each.id for each in billing.invoices(salon, customer="c_101")] == ["i_302"]
    with pytest.raises(MissingError):
        billing.invoice(salon, "i_999")


def test_slots_are_read_as_they_are_written() -> None:
    place = slot(FRIDAY, "10:00", "mia")

    assert place.id == "2026-03-06T10:00/mia"
    assert Slot.parse(place.id) == place
    with pytest.raises(MissingError):
        Slot.parse("friday at ten")


def test_people_read_money_and_moments() -> None:
    assert euros(9505) == "€ 95.05"
    assert moment(datetime.combine(FRIDAY, time(9, 5))) == "Fri 6 March, 09:05"
