from datetime import timedelta

import pytest

from handgriff.cli.durations import read_duration
from handgriff.cli.faults import WrongUse


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("14d", timedelta(days=14)),
        ("36h", timedelta(hours=36)),
        ("2w", timedelta(weeks=2)),
        ("5m", timedelta(minutes=5)),
        ("1s", timedelta(seconds=1)),
        ("P14D", timedelta(days=14)),
        ("P1DT2H", timedelta(days=1, hours=2)),
        ("PT0.5H", timedelta(minutes=30)),
    ],
    ids=str,
)
def test_a_duration_is_a_number_with_its_unit_or_iso_8601(text: str, duration: timedelta) -> None:
    assert read_duration("--idle", text) == duration


@pytest.mark.parametrize(
    "text", ["", "14", "d", "14 d", "14D", "1.5d", "1d12h", "P", "PT", "14 days", "1:30", "forever", "nan", "1\uff14d", "+14d"]
)
def test_what_is_no_duration_is_wrong_use(text: str) -> None:
    with pytest.raises(WrongUse, match=r"--idle .* is no duration\. Write it as 14d, 36h or P14D\."):
        read_duration("--idle", text)


@pytest.mark.parametrize("text", ["0d", "0s", "PT0S", "99999999d", "999999999w", "P40000D"])
def test_nothing_and_more_than_a_hundred_years_are_wrong_use(text: str) -> None:
    """B006: no idle time means at once, or never."""
    with pytest.raises(WrongUse, match="--idle"):
        read_duration("--idle", text)


def test_a_duration_below_zero_is_wrong_use() -> None:
    with pytest.raises(WrongUse, match="--idle"):
        read_duration("--idle", "-P14D")
