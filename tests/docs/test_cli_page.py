"""docs/cli.md names the commands there are, and no others."""

import re
from pathlib import Path

from typer.main import get_command

from handgriff.cli.app import app

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()


def commands() -> set[str]:
    found: set[str] = set()
    for name, command in getattr(get_command(app), "commands", {}).items():
        inside = getattr(command, "commands", None)
        found |= {f"{name} {each}" for each in inside} if inside else {name}
    return found


def test_every_command_stands_in_the_table_and_nothing_else() -> None:
    table = PAGE.partition("| commands | for |")[2].partition("\n\n")[0]

    assert set(re.findall(r"`([a-z ]+)`", table)) == commands()


def test_every_option_on_the_page_is_one() -> None:
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE))
    known: set[str] = {"--help"}
    for command in getattr(get_command(app), "commands", {}).values():
        for each in (command, *getattr(command, "commands", {}).values()):
            known |= {option for parameter in each.params for option in parameter.opts}

    assert options <= known
