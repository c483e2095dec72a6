"""`handgriff state`: an operator looks at what a session remembers and changes it, and the session says who did."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from handgriff import Caller
from tests.interaction.cli_pad import HOSTILE, inhabited
from tests.interaction.cli_process import Ended, handgriff, with_pad

ADA = Caller("acme", "ada")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_pad(tmp_path)


@pytest.fixture
def session(folder: Path) -> str:
    """A session of Ada's with a key in each scope."""
    return anyio.run(begun, folder, {"k": [1, None], "user:name": "Ada", "app:brand": "B"})


async def begun(folder: Path, state: Mapping[str, Any]) -> str:
    async with inhabited(folder) as host:
        return (await host.sessions.create(ADA, state=state)).id


async def stored(folder: Path, session: str) -> dict[str, Any]:
    async with inhabited(folder) as host:
        return await host.sessions.state(ADA, session)


def run(folder: Path, name: str, *words: str, who: str = "acme/ops", stdin: str = "") -> Ended:
    return handgriff(folder, "state", name, "pad:host", *words, "--as", who, stdin=stdin)


def test_what_a_session_sees_is_shown_by_key_with_its_prefix(folder: Path, session: str) -> None:
    shown = run(folder, "show", session)

    assert (shown.code, shown.err) == (0, "")
    assert [line.split() for line in shown.out.splitlines()] == [
        ["KEY", "VALUE"],
        ["app:brand", '"B"'],
        ["k", "[1,null]"],
        ["user:name", '"Ada"'],
    ]
    assert run(folder, "show", session, "--json").json == {"k": [1, None], "user:name": "Ada", "app:brand": "B"}


def test_a_value_is_put_and_removed_and_the_session_says_by_whom(folder: Path, session: str) -> None:
    put = run(folder, "set", session, "user:name", '"Grace"', "--json")
    removed = run(folder, "delete", session, "k", "--json")

    assert put.json == {"session": session, "key": "user:name", "value": "Grace"}
    assert removed.json == {"session": session, "deleted": "k"}
    assert anyio.run(stored, folder, session) == {"user:name": "Grace", "app:brand": "B"}
    told = handgriff(folder, "sessions", "show", "pad:host", session, "--as", "acme/ada").out
    assert "state user:name set (ops)" in told
    assert "state k deleted (ops)" in told


@pytest.mark.parametrize(
    ("words", "stdin", "value"),
    [
        (("null",), "", None),
        (('{"a": [1.5, "é"]}',), "", {"a": [1.5, "é"]}),
        (("-",), '"from a pipe"\n', "from a pipe"),
        (("--", "-5"), "", -5),
    ],
    ids=["null", "an object", "a pipe", "a negative number"],
)
def test_a_value_is_json_however_it_comes(folder: Path, session: str, words: tuple[str, ...], stdin: str, value: object) -> None:
    ended = handgriff(folder, "state", "set", "pad:host", session, "k", "--as", "acme/ops", "--json", *words, stdin=stdin)

    assert (ended.code, ended.json["value"]) == (0, value)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("k", "Ada", "'\"text\"'"),
        ("k", "{'a': 1}", "no JSON"),
        ("k", "", "no JSON"),
        ("k", "NaN", "no JSON"),
        ("temp:k", "1", "never stored"),
        ("user::k", "1", "is no key"),
        ("k\x1b[2J", "1", "is no key"),
        ("k", f'"{"x" * 66_000}"', "more than 65536 bytes"),
        ("k", '"sk-ant-api03-' + "a1B2" * 20 + '"', "secret store"),
    ],
    ids=["a bare word", "single quotes", "nothing", "no number", "temporary", "a prefix twice", "a hostile key", "too large", "a secret"],
)
def test_what_can_not_be_put_is_wrong_use_and_changes_nothing(folder: Path, session: str, key: str, value: str, told: str) -> None:
    ended = run(folder, "set", session, key, value, "--json")

    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err
    assert "Traceback" not in ended.err
    assert "\x1b" not in ended.err
    assert "a1B2" not in ended.err, "a secret is not repeated"
    assert anyio.run(stored, folder, session)["k"] == [1, None]


@pytest.mark.parametrize(
    "words",
    [
        ("show", "s_unknown"),
        ("show", "../../etc/passwd"),
        ("set", "'; DROP TABLE x", "k", "1"),
        ("set", "\x1b[2Jx", "k", "1"),
        ("delete", "%", "k"),
        ("delete", "é" * 300, "k"),
    ],
    ids=ascii,
)
def test_an_id_that_stands_for_nothing_is_not_found(folder: Path, words: tuple[str, ...]) -> None:
    ended = run(folder, *words, "--json")

    assert (ended.code, ended.json["refused"]) == (1, "not_found")
    assert ended.err == ""


def test_a_session_of_another_tenant_is_not_found(folder: Path, session: str) -> None:
    ended = run(folder, "show", session, "--json", who="globex/ops")

    assert (ended.code, ended.json["refused"]) == (1, "not_found")


def test_a_key_that_is_not_there_is_not_removed(folder: Path, session: str) -> None:
    ended = run(folder, "delete", session, "other")

    assert ended.code == 1
    assert "not_found: There is no key 'other' in this session." in ended.err


def test_a_full_scope_refuses_and_says_so(folder: Path) -> None:
    full = anyio.run(begun, folder, {f"k{n}": n for n in range(1000)})

    ended = run(folder, "set", full, "one_more", "1", "--json")

    assert (ended.code, ended.json["refused"]) == (1, "limit")
    assert run(folder, "set", full, "k7", "70").code == 0


def test_what_a_terminal_would_obey_is_shown_as_words(folder: Path) -> None:
    hostile = anyio.run(begun, folder, {"k": HOSTILE, "o": {HOSTILE: 1}})

    text, as_json = run(folder, "show", hostile), run(folder, "show", hostile, "--json")

    for out in (text.out, as_json.out):
        assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(out)
    assert "[bold]really[/bold]" in text.out
    assert as_json.json == {"k": HOSTILE, "o": {HOSTILE: 1}}, "and for a program it is what it was"


def test_without_a_principal_it_is_wrong_use(folder: Path, session: str) -> None:
    ended = handgriff(folder, "state", "show", "pad:host", session)

    assert ended.code == 2
    assert "--as TENANT/USER" in ended.err
