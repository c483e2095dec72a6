"""Scratch records prolonged and swept. What is written into them is a delta's business."""

import sqlite3

from handgriff.core.batch import RenewScratch, SweepScratch
from handgriff.stores.sqlite.columns import micros
from handgriff.stores.sqlite.places import drop_place
from handgriff.stores.sqlite.statements import statements

_SQL = statements("state")


def renew_scratch(cursor: sqlite3.Cursor, operation: RenewScratch) -> None:
    """Prolong a record that lives."""
    place = {"tenant": operation.tenant, "session": operation.session, "namespace": operation.namespace}
    cursor.execute(_SQL["renew_record"], {**place, "now": micros(operation.now), "until": micros(operation.until)})


def sweep_scratch(cursor: sqlite3.Cursor, operation: SweepScratch) -> int:
    """Remove what is expired, longest first, and say how many records that were."""
    limits = {"tenant": operation.tenant, "now": micros(operation.now), "limit": operation.limit}
    expired = cursor.execute(_SQL["expired_records"], limits).fetchall()
    for session, namespace in expired:
        drop_place(cursor, (operation.tenant, "scratch", session, namespace))
    return len(expired)
