"""What an effect record says to whoever comes second: give the result again, wait, or leave it."""

from datetime import datetime
from typing import assert_never

from handgriff.core import jsontext
from handgriff.core.codec import pack, unpack
from handgriff.core.outcome import Outcome, replayed
from handgriff.core.rows import Effect
from handgriff.errors import Refusal


def answer_from(record: Effect, digest: str, user: str, now: datetime, *, is_here: bool = False) -> Outcome:
    """The stored result for a repeated wish of the same user; what another user was answered is theirs. With *is_here* its handler is at
    work in this process, whatever the clock says.

    Raises:
        Refusal: `conflict` where it runs or the arguments differ, `indeterminate` where nobody knows.
    """
    if record.digest != digest:
        raise Refusal("conflict", "The same idempotency key was used with other arguments.")
    if record.user != user:
        raise Refusal(
            "conflict", "Somebody else has asked for the same thing before.", next="Look at the present state before asking again."
        )
    match record.state:
        case "done" | "failed":
            # A failed record with this digest is claimed anew by the store; it is met here only after losing that race.
            if record.state == "done" and record.result is not None:
                return replayed(read_outcome(record.result))
            raise Refusal("conflict", "Another call is at it.", retry_after=1)
        case "running" | "indeterminate":
            if is_here or (record.state == "running" and now < record.lease_until):
                raise Refusal("conflict", "The same call is running.", retry_after=max(1, int((record.lease_until - now).total_seconds())))
            raise unknown()
        case _:
            assert_never(record.state)


def unknown(incident: str | None = None) -> Refusal:
    """Nobody knows whether it happened."""
    return Refusal(
        "indeterminate",
        "It may have happened or not; nobody knows yet.",
        next="Do not repeat it. Tell the user that its outcome is unknown and is being looked into.",
        incident=incident,
    )


def write_outcome(outcome: Outcome) -> str:
    """The settled outcome, kept in the effect record."""
    return jsontext.dumps(pack(outcome))


def read_outcome(text: str) -> Outcome:
    """What `write_outcome` wrote."""
    return unpack(Outcome, jsontext.loads(text))
