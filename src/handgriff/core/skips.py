"""Why a call was answered without running: what the model reads then."""

from collections.abc import Mapping
from typing import Final

from handgriff.core.turn import SkipReason
from handgriff.errors import Refusal

NOT_RUN: Final = Refusal("not_run", "It was interrupted before it ran, or before it had ended; nothing was changed.")
CANCELLED: Final = Refusal("not_run", "It was stopped before it had ended; it changes nothing.")
SUPERSEDED: Final = Refusal(
    "superseded", "The user wrote something else instead of confirming. Nothing was done.", next="Follow the new message."
)
DECLINED: Final = Refusal("declined", "The user declined. Nothing was done.", next="Do not propose the same again unless asked.")
WRONG_CODES: Final = Refusal("denied", "Codes were tried too often. Nothing was done.", next="Do not propose it again unless asked.")
EXPIRED: Final = Refusal("expired", "Nobody confirmed in time. Nothing was done.", next="Propose it again if it is still wanted.")

SKIPS: Final[Mapping[SkipReason, Refusal]] = {
    "cut": Refusal(
        "invalid",
        "The message was cut off by the output limit, so this call was not run.",
        next="Send smaller arguments, or fewer calls at once.",
    ),
    "not_run": NOT_RUN,
    "limit": Refusal("limit", "No more calls are possible in this answer.", next="Tell the user what was done and what is left."),
    "tool_limit": Refusal("limit", "This tool can't be called any more in this answer.", next="Go on with what you have."),
    "repeated": Refusal(
        "limit", "The same call has failed before with the same arguments and was not run again.", next="Stop trying; tell the user."
    ),
}

PARTIAL_NOTE: Final = "[This message was cut off before it was finished.]"
"""What closes a partial message in the history."""
