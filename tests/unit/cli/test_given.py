import inspect
import shlex
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from handgriff.cli.app import app
from handgriff.cli.faults import WrongUse
from handgriff.cli.given import Given, command

COMMANDS = [
    *(("chat",), ("call",), ("menu",), ("serve",), ("mcp",), ("gc",), ("erase",), ("migrate",)),
    *(("sessions", name) for name in ("ls", "show", "delete", "export", "fork", "rewind")),
    *(("proposals", name) for name in ("ls", "show", "confirm", "decline", "code")),
    *(("effects", name) for name in ("ls", "show", "resolve")),
    *(("state", name) for name in ("show", "set", "delete")),
    *(("scratch", name) for name in ("ls", "show", "clear", "pull")),
    *(("workflow", name) for name in ("check", "draw", "show", "ls", "move")),
]


@pytest.mark.parametrize(("who", "principal"), [("acme/ada", ("acme", "ada")), ("acme/a/b", ("acme", "a/b")), ("ä/ö", ("ä", "ö"))])
def test_the_principal_is_tenant_and_user(who: str, principal: tuple[str, str]) -> None:
    assert Given(target="a:b", who=who).principal() == principal


@pytest.mark.parametrize("who", ["acme", "/ada", "acme/", "", "/"])
def test_a_principal_without_either_half_is_wrong_use(who: str) -> None:
    with pytest.raises(WrongUse, match="--as acme/ada"):
        Given(target="a:b", who=who).principal()


def test_without_as_somebody_asks_only_in_dev() -> None:
    assert Given(target="a:b", dev=True).principal() == ("dev", "dev")
    with pytest.raises(WrongUse, match="--as TENANT/USER"):
        Given(target="a:b").principal()


def test_the_options_can_be_typed_again() -> None:
    given = Given(
        target="shop:a", who="acme/ada o'hara", dev=True, can=["x y", "z"], role=["r"], module=["m"], store="memory://", model="n:o"
    )

    words = shlex.split(given.again("p_1"))

    assert words[:4] == ["shop:a", "p_1", "--as", "acme/ada o'hara"]
    assert words[4:] == ["--dev", "--can", "x y", "--can", "z", "--role", "r", "--module", "m", "--store", "memory://"]


def test_they_can_be_typed_for_somebody_else() -> None:
    assert Given(target="shop:a", who="acme/ada", dev=True).again("p_1", who="acme/bob") == "shop:a p_1 --as acme/bob --dev"
    assert Given(target="shop:a", dev=True).again("p_1", who="dev/USER") == "shop:a p_1 --as dev/USER --dev"


def test_a_command_gets_the_shared_options_beside_its_own() -> None:
    told: list[object] = []

    async def try_it(given: Given, *, name: Annotated[str, typer.Argument()], loud: Annotated[bool, typer.Option("--loud")] = False) -> int:
        """Try."""
        told.extend((given, name, loud))
        return 1

    made = typer.Typer()
    command(made, "try", "handgriff try")(try_it)
    ended = CliRunner().invoke(made, ["a:b", "x", "--loud", "--as", "t/u", "--can", "p", "--can", "q", "--json"])

    assert ended.exit_code == 1, "what the function answered"
    assert told == [Given(target="a:b", who="t/u", can=["p", "q"], as_json=True), "x", True]


@pytest.mark.parametrize(("words", "target"), [(["a:b"], "a:b"), ([], "")], ids=["named", "left out"])
def test_a_command_may_do_without_a_target(words: list[str], target: str) -> None:
    told: list[str] = []

    async def try_it(given: Given) -> int:
        """Try."""
        told.append(given.target)
        return 0

    made = typer.Typer()
    command(made, "try", "handgriff try", needs_target=False)(try_it)

    assert CliRunner().invoke(made, words).exit_code == 0
    assert told == [target]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_has_an_example_and_every_shared_option(words: tuple[str, ...]) -> None:
    ended = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})

    assert ended.exit_code == 0
    assert f"handgriff {' '.join(words)} shop:" in ended.output
    for option in ("TARGET", "--as", "--dev", "--can", "--role", "--module", "--store", "--model", "--locale", "--json", "--debug"):
        assert option in ended.output


def test_no_command_lacks_a_test_of_its_help() -> None:
    groups = {group.name: group.typer_instance for group in app.registered_groups}
    single = {(command.name,) for command in app.registered_commands}
    grouped = {(name, command.name) for name, group in groups.items() if group for command in group.registered_commands}

    assert single | grouped == set(COMMANDS)


def test_help_says_the_exit_codes() -> None:
    ended = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200", "TERM": "dumb"})

    assert "Exit codes: 0 done, 1 refused or failed, 2 wrong use." in ended.output


def test_every_shared_option_has_help() -> None:
    for parameter in inspect.signature(Given).parameters.values():
        [info] = parameter.annotation.__metadata__
        assert info.help
