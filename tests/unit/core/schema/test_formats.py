import os
import subprocess
import sys
from pathlib import Path

import pytest

from handgriff.core.schema.formats import format_problem

SRC = Path(__file__).resolve().parents[4] / "src"


@pytest.mark.parametrize(
    "text", ["2020-03-29T02:00:00Z", "2024-04-06t22:30:41.123456789z", "2024-04-06T22:30:41-00:00", "2024-02-29T23:59:59+14:00"]
)
def test_a_date_time_with_an_offset_is_right(text: str) -> None:
    """B057"""
    assert format_problem("date-time", text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "2024-10-04T10:22:45+0200",
        "2024-02-30T00:00:00Z",
        "2024-06-30T23:59:60Z",
        "asdf",
        "2024-04-06 22:30:41+02:00",
        "2024-04-06T22:30+02:00",
        "2024-04-06T24:00:00Z",
        "2024-04-06T22:30:41+25:00",
        "2024-04-06T22:30:41Z\n",
        "٢٠٢٤-04-06T22:30:41Z",
        "2024-04-06",
        "20240406T223041Z",
        "",
    ],
)
def test_a_near_miss_is_no_date_time(text: str) -> None:
    """B057"""
    assert format_problem("date-time", text).startswith("expected a date")


@pytest.mark.parametrize("text", ["2024-04-06T22:30:41", "2024-04-06T22:30:41.5"])
def test_a_time_without_an_offset_is_refused_with_the_hint_to_add_one(text: str) -> None:
    """B057"""
    assert "add Z or one like +02:00" in format_problem("date-time", text)


@pytest.mark.parametrize(
    ("text", "is_right"), [("2024-02-29", True), ("2024-2-3", False), ("2023-02-29", False), ("20240203", False), ("2024-W01-1", False)]
)
def test_a_date_is_one_that_exists_written_in_full(text: str, is_right: bool) -> None:
    """B057"""
    assert (format_problem("date", text) == "") is is_right


def test_other_formats_are_left_to_the_judge() -> None:
    assert format_problem("email", "nobody") == ""


@pytest.mark.parametrize("zone", ["Europe/Amsterdam", "UTC", "America/Sao_Paulo"])
def test_the_zone_of_the_machine_means_nothing(zone: str) -> None:
    """B057"""
    program = (
        "from datetime import datetime\nfrom handgriff.core.schema.typed import schema_of\n"
        "def tool(at: datetime): ...\n"
        """print(schema_of(tool, tool="t").validate('{"at":"2020-03-29T02:00:00Z"}').canonical)"""
    )
    environment = {**os.environ, "TZ": zone, "PYTHONPATH": str(SRC)}

    done = subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True)

    assert done.stdout == '{"at":"2020-03-29T02:00:00Z"}\n'
