"""A file as version 3 of the schema left it, with rows in every table: what it took over from version 2, and records of its own."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from handgriff.stores.sqlite.columns import micros
from handgriff.stores.sqlite.effects import EFFECT
from handgriff.stores.sqlite.proposals import PROPOSAL
from handgriff.testing import samples
from handgriff.testing.samples import START, TENANT, USER, at
from tests.unit.stores.sqlite import version_one, version_two

EFFECTS = (
    *(replace(effect, arguments="") for effect in version_two.EFFECTS),
    replace(samples.EFFECT, key="k9", session="full", transaction=True, claimed_at=at(9)),
)
PROPOSALS = (*version_two.PROPOSALS, replace(samples.CODED_PROPOSAL, created_at=at(9)))


def make(path: Path) -> None:
    """Make the file."""
    version_two.make(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        version_one.apply(connection, 3)
        version_one.insert(connection, "effect", EFFECT.row(EFFECTS[-1]))
        version_one.insert(connection, "proposal", PROPOSAL.row(PROPOSALS[-1]))
        version_one.insert(connection, "code", {"tenant": TENANT, "user": USER, "at": micros(START), "n": 1})
