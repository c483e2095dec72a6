"""The contracts of `.importlinter`, tried on a bare house with one bad line each: a contract nobody can break proves nothing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLOORS = "Each floor imports only from the floors below it"
WINDOW = "Our own modules do not import from the package root"
PURITY = "Errors, core and ports touch no event loop, clock, chance, network, file or database"
STORES = "Stores are strangers to each other"
MODELS = "Models are strangers to each other"
CODES = "Code senders are strangers to each other"
CYCLES = "No cycles between siblings, at any depth"


def lint(house: Path) -> str:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]
    environment = os.environ | {"PYTHONPATH": str(house / "src"), "COLUMNS": "200"}
    return subprocess.run(command, cwd=house, env=environment, capture_output=True, text=True, check=False).stdout


@pytest.fixture
def house(tmp_path: Path) -> Path:
    shutil.copy(ROOT / ".importlinter", tmp_path)
    floors = (".", "core", "ports", "runtime", "stores", "models", "codes", "host", "testing")
    build(tmp_path, {f"{floor}/__init__.py": "" for floor in floors})
    rooms = ("errors", "core/note", "stores/even", "models/even", "codes/even", "tool", "machine")
    build(tmp_path, {f"{room}.py": "" for room in rooms})
    return tmp_path


def build(house: Path, files: dict[str, str]) -> None:
    for name, source in files.items():
        path = house / "src" / "handgriff" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source + "\n")


def test_a_bare_house_stands(house: Path) -> None:
    assert " 0 broken" in lint(house)


@pytest.mark.parametrize(
    ("files", "broken"),
    [
        pytest.param({"core/odd.py": "import handgriff.runtime"}, FLOORS, id="the core looks up"),
        pytest.param({"loft.py": ""}, FLOORS, id="a module without a floor"),
        pytest.param({"http/__init__.py": "", "mcp/__init__.py": "import handgriff.http"}, FLOORS, id="a face looks beside"),
        pytest.param({"runtime/odd.py": "import handgriff.testing"}, FLOORS, id="the product needs the test kit"),
        pytest.param({"runtime/odd.py": "from handgriff import Tool"}, WINDOW, id="through the shop window"),
        pytest.param({"core/odd.py": "import random"}, PURITY, id="the core rolls dice"),
        pytest.param({"ports/odd.py": "import asyncio"}, PURITY, id="a port knows the event loop"),
        pytest.param({"stores/odd.py": "import handgriff.stores.even"}, STORES, id="a store leans on another"),
        pytest.param({"models/odd.py": "import handgriff.models.even"}, MODELS, id="a model leans on another"),
        pytest.param({"codes/odd.py": "import handgriff.codes.even"}, CODES, id="a code sender leans on another"),
        pytest.param({"core/odd.py": "import handgriff.core.even", "core/even.py": "import handgriff.core.odd"}, CYCLES, id="a cycle"),
    ],
)
def test_a_bad_line_breaks_its_contract(house: Path, files: dict[str, str], broken: str) -> None:
    build(house, files)

    told = " ".join(lint(house).split())

    assert f"{broken} BROKEN" in told
