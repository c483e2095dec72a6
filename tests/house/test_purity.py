"""What the import contracts cannot see: the floors below the runtime never wait, roll dice, tell the time or reach the machine."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "handgriff"
ERRORS, CORE, TOOL, PORTS = "errors.py", "core", "tool", "ports"

IMPURE_BUILTINS = {"open", "input", "print", "breakpoint", "exec", "eval", "hash"}
"""`hash` rolls dice: strings hash differently in every process."""

IMPURE_ATTRIBUTES = {
    "now",
    "utcnow",
    "today",
    "uuid1",
    "uuid4",
    "uuid6",
    "uuid7",
    "environ",
    "getenv",
    "getLogger",
    "read_text",
    "write_text",
}
"""Of whatever they are asked: no value of ours has a member of that name down here."""

IMPURE_MODULES = {"asyncio", "anyio", "io", "os", "pathlib", "random", "secrets", "socket", "subprocess", "sys", "threading", "time"}


def impurities(source: str, *, may_await: bool = False) -> Iterator[str]:
    """Yield a line for each place in *source* whose result depends on more than its arguments."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (f"{node.lineno}: import {each.name}" for each in names if each.name.partition(".")[0] in IMPURE_MODULES)
            case ast.ImportFrom(module=str(module), names=names):
                if module.partition(".")[0] in IMPURE_MODULES:
                    yield f"{node.lineno}: from {module} import"
                yield from (f"{node.lineno}: {each.name}" for each in names if each.name in IMPURE_ATTRIBUTES)
            case ast.Call(func=ast.Name(id=name)) if name in IMPURE_BUILTINS:
                yield f"{node.lineno}: {name}()"
            case ast.Attribute(attr=name) if name in IMPURE_ATTRIBUTES:
                yield f"{node.lineno}: .{name}"
            case ast.AsyncFunctionDef() | ast.Await() | ast.AsyncFor() | ast.AsyncWith() if not may_await:
                yield f"{node.lineno}: {type(node).__name__}"
            case _:
                pass


def modules(*floors: str) -> list[Path]:
    """Every file of *floors*; a floor may be a module or a folder, and may not be built yet."""
    files = [PACKAGE / floor if floor.endswith(".py") else PACKAGE / f"{floor}.py" for floor in floors]
    folders = [PACKAGE / floor for floor in floors]
    return sorted([file for file in files if file.is_file()] + [file for folder in folders for file in folder.rglob("*.py")])


def test_the_core_depends_on_its_arguments_alone() -> None:
    found = [f"{file.name}:{line}" for file in modules(ERRORS, CORE, TOOL) for line in impurities(file.read_text())]

    assert not found


def test_ports_promise_and_do_nothing() -> None:
    found = [f"{file.name}:{line}" for file in modules(PORTS) for line in impurities(file.read_text(), may_await=True)]

    assert not found


def test_the_core_is_there_to_be_checked() -> None:
    assert modules(ERRORS)
    assert modules(CORE)


@pytest.mark.parametrize(
    "source",
    [
        "datetime.now(UTC)",
        "date.today()",
        "import time",
        "import os.path",
        "from os import environ",
        "from uuid import uuid4",
        "uuid.uuid4()",
        "open('x')",
        "hash('x')",
        "Path('x').read_text()",
        "async def f() -> None: ...",
        "def f() -> None:\n    import random",
    ],
)
def test_an_impurity_is_seen(source: str) -> None:
    assert list(impurities(source))


@pytest.mark.parametrize("source", ["from datetime import datetime", "from uuid import UUID", "moment - timedelta(days=1)", "clock.moment"])
def test_a_pure_line_is_left_alone(source: str) -> None:
    assert not list(impurities(source))
