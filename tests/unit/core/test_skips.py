"""What the model reads where a call was answered without running."""

from typing import get_args

import pytest

from handgriff.core.skips import CANCELLED, DECLINED, EXPIRED, NOT_RUN, PARTIAL_NOTE, SKIPS, SUPERSEDED
from handgriff.core.turn import SkipReason
from handgriff.errors import RefusalCode

CODES: dict[SkipReason, RefusalCode] = {
    "cut": "invalid",
    "not_run": "not_run",
    "limit": "limit",
    "tool_limit": "limit",
    "repeated": "limit",
}


def test_every_reason_has_its_answer() -> None:
    assert {reason: refusal.code for reason, refusal in SKIPS.items()} == CODES
    assert set(CODES) == set(get_args(SkipReason))


def test_a_cut_message_says_what_to_do_about_it() -> None:
    """B061."""
    assert "cut off by the output limit" in SKIPS["cut"].message
    assert SKIPS["cut"].next == "Send smaller arguments, or fewer calls at once."


@pytest.mark.parametrize("refusal", [NOT_RUN, CANCELLED, SUPERSEDED, DECLINED, EXPIRED], ids=str)
def test_each_says_that_nothing_was_changed(refusal: Exception) -> None:
    assert any(words in str(refusal) for words in ("Nothing was done.", "nothing was changed", "changes nothing"))


def test_a_partial_message_is_closed_by_a_note() -> None:
    assert PARTIAL_NOTE.strip()
