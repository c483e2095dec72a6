"""Records to rows and back, exactly."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handgriff.core.rows import Effect, Fired, Session
from handgriff.stores.sqlite.columns import Columns, micros, moment, session_record, session_row
from handgriff.stores.sqlite.effects import EFFECT
from handgriff.stores.sqlite.proposals import PROPOSAL
from handgriff.stores.sqlite.records import HOOK, REQUEST
from handgriff.stores.sqlite.workflows import WORKFLOW
from handgriff.testing import samples


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-9, minutes=-30))])))
def test_a_moment_survives_to_the_microsecond(at: datetime) -> None:
    try:
        at.astimezone(UTC)
    except OverflowError:  # the first and last hours of the calendar are no moments of UTC
        return

    assert moment(micros(at)) == at
    assert moment(micros(at)).tzinfo is UTC


def test_a_time_without_offset_is_no_moment() -> None:
    with pytest.raises(TypeError):
        micros(datetime(2026, 1, 1))  # noqa: DTZ001  # the fault


@pytest.mark.parametrize(
    ("columns", "record"),
    [
        (EFFECT, samples.EFFECT),
        (EFFECT, replace(samples.EFFECT, fires=Fired("invoice", "", "SENT"))),
        (WORKFLOW, samples.WORKFLOW),
        (WORKFLOW, samples.HELD_WORKFLOW),
        (PROPOSAL, samples.PROPOSAL),
        (REQUEST, samples.REQUEST),
        (REQUEST, samples.CLOSED_REQUEST),
        (HOOK, samples.HOOK),
    ],
    ids=["effect", "firing effect", "workflow", "held workflow", "proposal", "request", "closed", "hook"],
)
def test_a_record_is_what_its_row_says(columns: Columns[object], record: object) -> None:
    row = columns.row(record)

    assert all(isinstance(value, str | int | None) for value in row.values())
    assert columns.record(tuple(row.values())) == record


def test_the_columns_are_the_fields_in_order() -> None:
    assert Columns(Effect).names[:4] == ("tenant", "tool", "key", "digest")
    assert tuple(Columns(Effect).row(samples.EFFECT)) == Columns(Effect).names


@pytest.mark.parametrize("session", [samples.SESSION, samples.FULL_SESSION], ids=["bare", "full"])
def test_a_session_is_what_its_row_says(session: Session) -> None:
    assert session_record(tuple(session_row(session).values())) == session
