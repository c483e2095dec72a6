"""The adapter's SQL: named statements, read from the files beside this module.

A statement is the text between two `-- name:` lines, so that it can be read, and tried, as plain SQL.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

_FOLDER = Path(__file__).with_name("sql")
_HEAD = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def statements(file: str) -> Mapping[str, str]:
    """The statements of *file*, by name."""
    _, *parts = _HEAD.split((_FOLDER / f"{file}.sql").read_text("utf-8"))
    return {name: _bare(text) for name, text in zip(parts[::2], parts[1::2], strict=True)}


@lru_cache(maxsize=64)
def filtered(statement: str, *columns: str) -> str:
    """*statement* with its mark `:filters` made into one equality for each of *columns*."""
    return statement.replace(":filters", " AND ".join(f"{column} = :{column}" for column in columns) or "TRUE")


@lru_cache(maxsize=64)
def listed(statement: str, count: int) -> str:
    """*statement* with its mark `:list` made into so many parameters."""
    return statement.replace(":list", ", ".join("?" * count))


def _bare(text: str) -> str:
    # A comment above a head belongs to the statement that follows it.
    lines = text.strip().splitlines()
    while lines[-1].startswith("--"):
        lines.pop()
    return "\n".join(lines).strip().removesuffix(";")
