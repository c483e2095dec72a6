"""Short ways to write and read scratch in tests, with an hour to live where a test does not say."""

from datetime import UTC, datetime, timedelta
from typing import Final

from handgriff.core.delta import Append, Change, Clear, Delta, Expect, Renew, Set, Value
from handgriff.core.jsontext import Json
from handgriff.core.state import LIMITS, StateLimits
from handgriff.ports.scratch import Scratch

TENANT: Final = "acme"
SESSION: Final = "s1"
PAD: Final = "pad"
START: Final = datetime(2026, 3, 4, 5, 6, 7, 123456, tzinfo=UTC)
HOUR: Final = 3600.0
MS: Final = 0.001
"""A millisecond. Deadlines are looked at as finely as that, so tests write long before them: a database may count real time, too."""


def at(seconds: float) -> datetime:
    """So long after `START`."""
    return START + timedelta(seconds=seconds)


def note(key: str, value: str, pad: str = PAD) -> Set:
    """Put *value*, a JSON text, at *key*."""
    return Set("scratch", key, value, pad)


def item(key: str, value: str, pad: str = PAD) -> Append:
    """Append *value*, a JSON text, to the list at *key*."""
    return Append("scratch", key, value, pad)


def guard(key: str, version: int | None, pad: str = PAD) -> Expect:
    """Whether *key* still has this version."""
    return Expect("scratch", key, version, pad)


def renewing(*operations: Change | Expect | Clear, moment: float = 0, ttl: float = HOUR) -> Delta:
    """*operations* as a call writes them: each record they touch lives for *ttl* seconds more."""
    pads = dict.fromkeys(operation.namespace for operation in operations)
    return (*(Renew(pad, at(moment), at(moment + ttl)) for pad in pads), *operations)


async def write(
    scratch: Scratch,
    *operations: Change | Expect,
    moment: float = 0,
    ttl: float = HOUR,
    tenant: str = TENANT,
    session: str = SESSION,
    limits: StateLimits = LIMITS,
) -> None:
    """Write *operations* at *moment*."""
    await scratch.write(tenant, session, renewing(*operations, moment=moment, ttl=ttl), now=at(moment), limits=limits)


async def clear(scratch: Scratch, pad: str = PAD, *, moment: float = 0) -> None:
    """Clear a record."""
    await scratch.write(TENANT, SESSION, (Clear(pad),), now=at(moment), limits=LIMITS)


async def values(scratch: Scratch, pad: str = PAD, *, moment: float = 0, tenant: str = TENANT, session: str = SESSION) -> dict[str, Value]:
    """The values of a record that lives, empty where there is none."""
    record = await scratch.record(tenant, session, pad, now=at(moment))
    return dict(record.values) if record else {}


async def read(scratch: Scratch, pad: str = PAD, *, moment: float = 0, tenant: str = TENANT, session: str = SESSION) -> dict[str, Json]:
    """What a record that lives holds, empty where there is none."""
    return {key: value.json() for key, value in (await values(scratch, pad, moment=moment, tenant=tenant, session=session)).items()}


async def lives(scratch: Scratch, pad: str = PAD, *, moment: float = 0, session: str = SESSION) -> bool:
    """Whether a record is there, on both ways to look."""
    found = await scratch.record(TENANT, session, pad, now=at(moment))
    listed = await scratch.records(TENANT, session=session, now=at(moment))
    if (found in listed) != (found is not None):
        raise AssertionError(f"read as {found}, and listed as {listed}")
    return found is not None
