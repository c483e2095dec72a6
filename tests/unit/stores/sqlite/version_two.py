"""A file as version 2 of the schema left it, with rows in every table: what it took over from version 1, and records of its own."""

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import get_args

from handgriff.core.rows import EffectState
from handgriff.stores.sqlite.columns import micros
from handgriff.stores.sqlite.effects import EFFECT
from handgriff.stores.sqlite.proposals import PROPOSAL
from handgriff.testing import samples
from handgriff.testing.samples import TENANT, at
from tests.unit.stores.sqlite import version_one

EFFECTS = (samples.EFFECT, *(replace(samples.EFFECT, key=state, session="full", state=state) for state in get_args(EffectState)))
PROPOSALS = (samples.PROPOSAL, replace(samples.PROPOSAL, id="declined", state="declined", decided_by="ada", decided_at=at(9)))


def make(path: Path) -> None:
    """Make the file."""
    version_one.make(path)
    connection = sqlite3.connect(path, isolation_level=None)
    version_one.apply(connection, 2)
    for effect in EFFECTS[1:]:
        version_one.insert(connection, "effect", EFFECT.row(effect))
    for proposal in PROPOSALS[1:]:
        version_one.insert(connection, "proposal", PROPOSAL.row(proposal))
    scratch = {"tenant": TENANT, "scope": "scratch", "scope_id": "full", "namespace": "notes"}
    totals = {"keys": 1, "bytes": 2, "expires_at": micros(at(60)), "first_version": 7}
    version_one.insert(connection, "place", {**scratch, **totals})
    version_one.insert(connection, "state", {**scratch, "key": "k", "version": 8, "value": "1"})
    connection.close()
