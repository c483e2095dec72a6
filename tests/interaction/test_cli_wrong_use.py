"""Wrong use, missing keys and missing extras: exit code 2, one sentence that says what to do, and no traceback."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interaction.cli_process import DEV, environment, handgriff, with_shop


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_shop(tmp_path)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(("shop:assistant", "--as", "acme/ada"), "Add --dev", id="an assistant without dev"),
        pytest.param(("shop:host",), "--as TENANT/USER", id="nobody asks"),
        pytest.param(("shop:host", "--as", "acme/ada", "--can", "orders.cancel"), "--can works only with --dev", id="rights for a host"),
        pytest.param(("shop:nothing", *DEV), "It has assistant, ", id="no such name"),
        pytest.param(("broken:assistant", *DEV), "ZeroDivisionError", id="a module that raises"),
        pytest.param(("undefined:assistant", *DEV), "instructions", id="a definition error"),
        pytest.param(("shop:assistant", *DEV, "--store", "floppy://a"), "begins no name of a store", id="no such store"),
        pytest.param(("shop:assistant", *DEV, "--frobnicate"), "--frobnicate", id="no such option"),
        pytest.param(("shop:keyless", "--as", "acme/ada"), "ANTHROPIC_API_KEY", id="a missing key outside dev"),
    ],
)
def test_wrong_use_is_told_in_a_sentence(folder: Path, words: tuple[str, ...], told: str) -> None:
    (folder / "broken.py").write_text("1 / 0\n")
    (folder / "undefined.py").write_text("from handgriff import Assistant\nassistant = Assistant('a', instructions='', toolboxes=[])\n")

    ended = handgriff(folder, "menu", *words)

    assert (ended.code, ended.out) == (2, "")
    assert told in " ".join(ended.err.replace("│", " ").split())
    assert "Traceback" not in ended.err


def test_debug_shows_where_importing_failed(folder: Path) -> None:
    (folder / "broken.py").write_text("1 / 0\n")

    ended = handgriff(folder, "menu", "broken:assistant", *DEV, "--debug")

    assert ended.code == 2
    assert "Traceback" in ended.err
    assert "1 / 0" in ended.err


def test_a_caller_the_host_does_not_know_is_refused(folder: Path) -> None:
    ended = handgriff(folder, "menu", "shop:host", "--as", "others/ada")

    assert ended.code == 1
    assert "not_found: There is no caller others/ada." in ended.err


def test_a_store_that_fails_is_told_without_a_traceback(folder: Path) -> None:
    ended = handgriff(folder, "menu", "shop:assistant", *DEV, "--store", "sqlite:///no/such/folder/x.db")

    assert ended.code == 1
    assert "failed at" in ended.err
    assert "Traceback" not in ended.err


def test_in_dev_the_scripted_model_stands_in_for_a_missing_key_and_says_so(folder: Path) -> None:
    ended = handgriff(folder, "chat", "shop:laned", *DEV, stdin="/list_orders\n")

    assert ended.code == 0
    assert "ANTHROPIC_API_KEY" in ended.err
    assert "the scripted model answers" in ended.err
    assert "denied: The assistant's own hook refuses." in ended.out, "hooks stay attached"


@pytest.mark.parametrize("library", ["typer", "rich"])
def test_a_missing_library_names_its_extra(library: str) -> None:
    code = f"import sys; sys.modules[{library!r}] = None; from handgriff.cli import main; main()"

    ended = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, encoding="utf-8", check=False)

    assert ended.returncode == 2
    assert "handgriff[cli]" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_missing_http_library_names_its_extra(folder: Path) -> None:
    code = "import sys; sys.modules['starlette'] = None; from handgriff.cli import main; main()"
    words = ["serve", "shop:assistant", "--dev"]

    ended = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, env=environment(), capture_output=True, encoding="utf-8", check=False
    )

    assert ended.returncode == 2
    assert "handgriff[http]" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_command_says_its_exit_codes_and_commands(folder: Path) -> None:
    ended = handgriff(folder, "--help")

    assert "0 done, 1 refused or failed, 2 wrong use" in " ".join(ended.out.split())
    for name in ("serve", "chat", "call", "menu", "gc", "erase", "migrate", "sessions", "proposals", "effects", "state", "scratch"):
        assert re.search(rf"│ {name}\s", ended.out)


def test_a_reader_who_leaves_early_is_no_fault(folder: Path) -> None:
    script = f"{sys.executable} -m handgriff.cli menu shop:assistant --dev | true"

    ended = subprocess.run(["sh", "-c", script], cwd=folder, env=environment(), capture_output=True, encoding="utf-8", check=False)

    assert ended.stderr == ""
