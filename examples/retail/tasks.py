"""Written conversations: the calls that matter, what each must answer, and the records that must differ at the end."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from examples.retail.database import read_json
from examples.retail.records import TABLES, Key, Record

Expected: TypeAlias = Literal["ok", "refused"]


@dataclass(frozen=True, slots=True)
class Action:
    """One call that a correct assistant makes."""

    tool: str
    arguments: Mapping[str, Any]
    outcome: Expected


@dataclass(frozen=True, slots=True)
class Task:
    """One conversation. `changed` holds whole records by where they stand; every other record must stay as it is."""

    name: str
    actions: tuple[Action, ...]
    changed: Mapping[Key, Record]


def read_tasks(source: str | Path) -> tuple[Task, ...]:
    """The conversations of a file, in its order.

    Raises:
        ValueError: it is no file of conversations; the message says where.
    """
    tasks = read_json(Path(source).read_text(encoding="utf-8"))
    match tasks:
        case dict():
            return tuple(_task(name, task) for name, task in tasks.items())
        case _:
            raise ValueError(f"{str(source)!r} holds no conversations: it needs an object of them, by name.")


def _task(name: str, task: Any) -> Task:  # JSON may be anything until it has been looked at
    match task:
        case {"actions": list(actions), "changed": dict(changed)}:
            return Task(name, tuple(_action(name, action) for action in actions), dict(_changed(name, changed)))
        case _:
            raise ValueError(f"Conversation {name!r} needs 'actions', a list, and 'changed', an object.")


def _action(name: str, action: Any) -> Action:
    match action:
        case {"name": str(tool), "arguments": dict(arguments), "outcome": "ok" | "refused" as outcome}:
            return Action(tool, arguments, outcome)
        case _:
            raise ValueError(f"Conversation {name!r} has an action without name, arguments or outcome ('ok' or 'refused'): {action!r}.")


def _changed(name: str, tables: Mapping[str, Any]) -> Iterator[tuple[Key, Record]]:
    for table in tables:
        if table not in TABLES:
            raise ValueError(f"Conversation {name!r} changes {table!r}, which is no table of the shop.")
    for known in TABLES:
        for key, record in tables.get(known, {}).items():
            yield (known, key), record
