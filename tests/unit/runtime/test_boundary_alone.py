"""Nobody but the boundary touches what runs: a contract's handler, and its plan, are read nowhere else. B028, B029."""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3] / "src" / "handgriff"
BOUNDARY = Path("runtime/boundary")


def uses(name: str) -> Iterator[Path]:
    """Every module outside the core that reads an attribute *name*, or asks for it by text."""
    for file in sorted(PACKAGE.rglob("*.py")):
        place = file.relative_to(PACKAGE)
        if place.parts[0] == "core":
            continue  # there it is defined, and may not be awaited: tests/house/test_purity.py
        tree = ast.parse(file.read_text())
        attributes = any(isinstance(node, ast.Attribute) and node.attr == name for node in ast.walk(tree))
        texts = any(isinstance(node, ast.Constant) and node.value == name for node in ast.walk(tree))
        if attributes or texts:
            yield place


def importers(module: str) -> Iterator[Path]:
    """Every module that imports from *module*."""
    for file in sorted(PACKAGE.rglob("*.py")):
        if any(isinstance(node, ast.ImportFrom) and node.module == module for node in ast.walk(ast.parse(file.read_text()))):
            yield file.relative_to(PACKAGE)


def test_one_module_runs_handlers() -> None:
    # A route of the HTTP face has a handler too, which is no tool's.
    assert [place for place in uses("handler") if place != Path("http/app.py")] == [BOUNDARY / "effect.py"]


def test_one_module_makes_plans() -> None:
    assert {place.parent for place in uses("plan_takes")} == {BOUNDARY}


def test_the_module_that_runs_handlers_is_used_in_the_boundary_and_put_together_by_the_host() -> None:
    assert {place.parent for place in importers("handgriff.runtime.boundary.effect")} == {Path("host"), BOUNDARY}
