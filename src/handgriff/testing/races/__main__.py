"""Run the race matrix and print it; the exit code is 1 where anything was lost, or not acknowledged.

python -m handgriff.testing.races --store sqlite:///races.db
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

import anyio

from handgriff.errors import BackendError, DefinitionError
from handgriff.host.adapters import MEMORY, open_store
from handgriff.testing.races.arena import Opener, arena
from handgriff.testing.races.counters import by_comparing, by_increments
from handgriff.testing.races.processes import in_two_processes
from handgriff.testing.races.scopes import in_new_sessions, in_sessions
from handgriff.testing.races.sweep import renewed_while_swept
from handgriff.testing.races.tally import Tally
from handgriff.testing.races.turns import at_once, in_one_turn

RACES = (in_one_turn, at_once, by_increments, by_comparing, in_sessions, in_new_sessions, in_two_processes, renewed_while_swept)
WON, LOST, UNUSABLE = 0, 1, 2


async def run(url: str, opener: Opener = open_store) -> tuple[Tally, ...]:
    """Every race on the store named *url*, one after the other.

    Raises:
        DefinitionError: no store has such a name.
        BackendError: it can't be opened, or fails.
    """
    async with arena(url, opener) as field:
        return tuple([await race(field) for race in RACES])


def main(arguments: Sequence[str] | None = None, *, opener: Opener = open_store) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m handgriff.testing.races", description="Races for state, counted.")
    parser.add_argument("--store", default=MEMORY, help="the store's name, as a host takes it; every race has a tenant of its own there")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    try:
        tallies = anyio.run(run, options.store, opener)
    except (BackendError, DefinitionError) as error:
        sys.stderr.write(f"{error}\n")
        return UNUSABLE
    # The name may hold a password; its scheme says enough.
    scheme = options.store.partition("://")[0]
    sys.stdout.write(_as_json(scheme, tallies) if options.json else _as_table(scheme, tallies))
    return WON if all(tally.is_won for tally in tallies) else LOST


def _as_json(scheme: str, tallies: Sequence[Tally]) -> str:
    told = {"store": scheme, "races": [asdict(tally) for tally in tallies], "lost": sum(tally.lost for tally in tallies)}
    return json.dumps(told, indent=1) + "\n"


def _as_table(scheme: str, tallies: Sequence[Tally]) -> str:
    rows = [f"{scheme:52s} {'asked':>6s} {'acknowledged':>13s} {'lost':>6s}"]
    rows += [
        f"{tally.race:52s} {tally.asked:6d} {tally.acknowledged:13d} {tally.lost:6d}" + (f"  {tally.note}" if tally.note else "")
        for tally in tallies
    ]
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.exit(main())
