"""The arguments that both commands take. Without any, they play the sample."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from examples.retail.database import read_database
from examples.retail.tasks import Task, read_tasks

SAMPLE = Path(__file__).with_name("sample.json")
SAMPLE_TASKS = Path(__file__).with_name("sample_tasks.json")


@dataclass(frozen=True, slots=True)
class Given:
    """A database and its conversations."""

    db: Path
    tasks: tuple[Task, ...]


def arguments(program: str, description: str) -> Given:
    """What was given on the command line; what can't be read ends the program with the reason and exit code 2."""
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--db", type=Path, default=SAMPLE, help="the shop's database, a JSON file (default: the sample)")
    parser.add_argument("--tasks", type=Path, default=SAMPLE_TASKS, help="the conversations, a JSON file (default: the sample's)")
    parsed = parser.parse_args()
    try:
        read_database(parsed.db)
        return Given(parsed.db, read_tasks(parsed.tasks))
    except (OSError, ValueError) as error:
        parser.error(str(error))
