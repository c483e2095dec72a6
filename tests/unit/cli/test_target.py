import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from handgriff.cli.faults import WrongUse
from handgriff.cli.target import find_object, find_target
from handgriff.errors import DefinitionError
from handgriff.runtime.assistant import Assistant

GOOD = """
from handgriff.runtime.assistant import Assistant
assistant = Assistant("shop", instructions="Help.", toolboxes=[])
number = 17
class inner:
    assistant = assistant
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        del sys.modules[name]


@pytest.mark.parametrize("name", ["target_good:assistant", "target_good:inner.assistant", "target_pack.part:assistant"])
def test_a_target_is_found_from_the_working_folder(folder: Path, name: str) -> None:
    (folder / "target_good.py").write_text(GOOD)
    (folder / "target_pack").mkdir()
    (folder / "target_pack" / "part.py").write_text(GOOD)

    assert isinstance(find_target(name), Assistant)


@pytest.mark.parametrize(
    ("source", "name", "told"),
    [
        pytest.param(GOOD, "target_bad", "module:name", id="no colon"),
        pytest.param(GOOD, "target_bad:", "module:name", id="no name"),
        pytest.param(GOOD, ":assistant", "module:name", id="no module"),
        pytest.param(GOOD, "../target_bad", "module:name", id="a path"),
        pytest.param(
            GOOD, "../target_bad:assistant", "'../target_bad' is no module's name, such as shop or company.shop. Go to", id="a path of it"
        ),
        pytest.param(GOOD, "..target_bad:assistant", "is no module's name", id="dots"),
        pytest.param(GOOD, "target bad:assistant", "is no module's name", id="a blank"),
        pytest.param(GOOD, "target_bad:nothing", "has no 'nothing'. It has assistant.", id="no such name"),
        pytest.param(GOOD, "target_bad:number", "of type int, and neither a Host nor an Assistant. It has assistant.", id="a number"),
        pytest.param(GOOD, "target_nowhere:assistant", "no module 'target_nowhere'", id="no such module"),
        pytest.param(GOOD, "target_nowhere.part:assistant", "no module 'target_nowhere.part'", id="no such package"),
        pytest.param("import absent_library", "target_bad:a", "'absent_library', which is not installed", id="a missing library"),
        pytest.param("1 / 0", "target_bad:a", "ZeroDivisionError: division by zero", id="a module that raises"),
        pytest.param("def (", "target_bad:a", "SyntaxError", id="a module that can't be parsed"),
        pytest.param("raise SystemExit(0)", "target_bad:a", "SystemExit", id="a module that exits"),
    ],
)
def test_a_target_that_is_none_is_wrong_use(folder: Path, source: str, name: str, told: str) -> None:
    (folder / "target_bad.py").write_text(source)

    with pytest.raises(WrongUse) as caught:
        find_target(name)

    assert told in str(caught.value)


def test_a_definition_error_stays_one(folder: Path) -> None:
    (folder / "target_bad.py").write_text(GOOD.replace("Help.", ""))

    with pytest.raises(DefinitionError, match="instructions"):
        find_target("target_bad:assistant")


def test_another_object_is_named_by_the_option_that_asked_for_it(folder: Path) -> None:
    (folder / "target_good.py").write_text(GOOD)

    assert find_object("target_good:number", what="--authenticate") == 17
    with pytest.raises(WrongUse, match=r"^--authenticate 'x'"):
        find_object("x", what="--authenticate")
