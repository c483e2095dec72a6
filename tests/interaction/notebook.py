"""What tests of scratch share: one write, one read, and what lies in the store, expired or not."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from handgriff.core.rows import Record
from handgriff.testing.clock import START
from handgriff.testing.harness import Harness
from tests.interaction.slate import Work

DAY: Final = 86_400.0
LONG_AGO: Final = START - timedelta(days=365)


def put(key: str, value: Any, ttl: Any = None, namespace: str = "s") -> Work:
    """Set *key* of the notebook."""
    return lambda call: call.scratch(namespace).set(key, value, ttl=ttl)


def append(key: str, value: Any) -> Work:
    """Put *value* at the end of a list."""
    return lambda call: call.scratch("s").append(key, value)


def get(key: str, namespace: str = "s", renew: Any = None) -> Work:
    """Read *key* of the notebook; "absent" stands for absence."""
    return lambda call: call.scratch(namespace, renew=renew).get(key, "absent")


async def there(chat: Harness, tenant: str = "acme") -> Sequence[Record]:
    """What lies in the store, expired or not: asked as of long ago."""
    return await (await chat.host.engine()).store.records(tenant, now=LONG_AGO)


async def deadline(chat: Harness) -> float:
    """Seconds until the notebook is over, by what lies in the store."""
    (record,) = await there(chat)
    return (record.expires_at - (await chat.host.engine()).clock.now()).total_seconds()
