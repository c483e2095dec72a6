"""`handgriff sessions export|fork|rewind`, and what a list shows of state: a conversation written out, copied and cut back."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from handgriff import Caller
from tests.interaction.cli_pad import HOSTILE, inhabited
from tests.interaction.cli_process import Ended, at_terminal, handgriff, with_pad

ADA = Caller("acme", "ada")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_pad(tmp_path)


@pytest.fixture
def session(folder: Path) -> str:
    """A session of Ada's in which something was said, written, noted and burnt."""
    return anyio.run(lived, folder)


async def lived(folder: Path) -> str:
    async with inhabited(folder) as host:
        begun = (await host.sessions.create(ADA, title=HOSTILE, state={"k": 0, "user:name": "Ada"})).id
        async for _ in host.turn(ADA, begun, "Hello"):
            pass
        for value in (1, 2):
            await host.call(ADA, "write", {"key": "k", "value": value}, session=begun)
        await host.call(ADA, "note", {"text": "a"}, session=begun)
        return begun


async def seqs(folder: Path, session: str) -> list[int]:
    async with inhabited(folder) as host:
        return [event.seq for event in await host.sessions.events(ADA, session)]


async def own(folder: Path, session: str) -> dict[str, Any]:
    async with inhabited(folder) as host:
        return await host.sessions.state(ADA, session)


def run(folder: Path, name: str, *words: str, who: str = "acme/ada") -> Ended:
    return handgriff(folder, "sessions", name, "pad:host", *words, "--as", who)


def test_an_export_is_complete_from_the_row_to_the_scratch(folder: Path, session: str) -> None:
    exported = run(folder, "export", session)

    row, *events, state, scratch = exported.lines
    assert (exported.code, exported.err) == (0, "")
    assert (row["type"], row["id"], row["title"], row["tenant"]) == ("session", session, HOSTILE, "acme")
    assert [event["seq"] for event in events] == anyio.run(seqs, folder, session)
    assert events[0]["delta"] == [
        {"op": "set", "scope": "session", "key": "k", "value": 0},
        {"op": "set", "scope": "user", "key": "name", "value": "Ada"},
    ]
    assert next(event for event in events if event["type"] == "user_message")["wire"], "what the provider was sent is in it"
    assert [op["op"] for op in events[-1]["delta"]] == ["renew", "append"]
    assert state == {"type": "state", "values": {"k": 2, "user:name": "Ada"}}
    assert (scratch["type"], scratch["namespace"], scratch["data"]) == ("scratch", "notes", {"texts": ["a"]})
    assert not {"\x1b", "\x9b", "\u202e"} & set(exported.out)


def test_a_session_is_forked_at_an_event_under_a_name_of_its_own(folder: Path, session: str) -> None:
    at = anyio.run(seqs, folder, session)[-2]  # the second write

    forked = run(folder, "fork", session, "--at", str(at), "--alias", "other", "--title", "Another way", "--json")
    again = run(folder, "fork", session, "--alias", "other", "--json")
    told = run(folder, "fork", session)

    assert (forked.json["alias"], forked.json["title"]) == ("other", "Another way")
    assert anyio.run(own, folder, forked.json["id"]) == {"k": 2, "user:name": "Ada"}
    assert (again.code, again.json["refused"]) == (1, "conflict")
    assert f"forked from: {session}" in told.out
    assert "\x1b" not in told.out


def test_a_rewind_cuts_and_says_what_stays(folder: Path, session: str) -> None:
    at = anyio.run(seqs, folder, session)[-3]  # the first write

    rewound = run(folder, "rewind", session, str(at), "--yes", "--json")

    assert rewound.code == 0
    assert rewound.json["rewound_to"] == at
    assert rewound.json["stays"] == ["app:", "user:", "scratch", "effects"]
    assert [(effect["tool"], effect["state"]) for effect in rewound.json["effects"]] == [("write", "done"), ("note", "done")]
    assert anyio.run(own, folder, session) == {"k": 1, "user:name": "Ada"}
    assert anyio.run(seqs, folder, session)[:-1] == list(range(1, at + 1))


def test_without_a_terminal_nothing_is_cut_unless_it_says_yes(folder: Path, session: str) -> None:
    before = anyio.run(seqs, folder, session)

    ended = run(folder, "rewind", session, "1")

    assert (ended.code, ended.out) == (2, "")
    assert "--yes" in ended.err
    assert anyio.run(seqs, folder, session) == before


@pytest.mark.parametrize(("typed", "code"), [("n\n", 1), ("y\n", 0)], ids=["no", "yes"])
def test_a_person_at_a_terminal_is_asked_after_they_were_told(folder: Path, session: str, typed: str, code: int) -> None:
    before = anyio.run(seqs, folder, session)

    ended = at_terminal(folder, "sessions", "rewind", "pad:host", session, "1", "--as", "acme/ada", typed=typed)

    asked, _, after = ended.out.partition("[y/N] ")
    assert ended.code == code
    assert "app: and user: keys, scratch records" in asked
    assert asked.count("write") == 2
    assert f"Remove everything of {session} after event 1?" in asked
    assert ("rewound to: 1" in after) is (code == 0)
    assert (anyio.run(seqs, folder, session) == before) is (code == 1)


@pytest.mark.parametrize(
    ("words", "who", "refused"),
    [
        (("rewind", "SESSION", "0", "--yes"), "acme/ada", "invalid"),
        (("fork", "SESSION", "--at", "999"), "acme/ada", "invalid"),
        (("rewind", "SESSION", "1", "--yes"), "acme/eve", "not_found"),
        (("fork", "SESSION"), "globex/ada", "not_found"),
        (("export", "SESSION"), "acme/eve", "not_found"),
        (("export", "\x1b[2J../x"), "acme/ada", "not_found"),
    ],
    ids=["no event", "too late", "another user", "another tenant", "another's export", "a hostile id"],
)
def test_what_is_not_there_or_not_ones_own_is_refused(folder: Path, session: str, words: tuple[str, ...], who: str, refused: str) -> None:
    name, *rest = (session if word == "SESSION" else word for word in words)
    before = anyio.run(seqs, folder, session)

    ended = run(folder, name, *rest, "--json", who=who)

    assert (ended.code, ended.json["refused"]) == (1, refused)
    assert ended.err == ""
    assert anyio.run(seqs, folder, session) == before


def test_a_list_shows_the_own_keys_of_each_session(folder: Path, session: str) -> None:
    text, as_json, plain = run(folder, "ls", "--state"), run(folder, "ls", "--state", "--json"), run(folder, "ls", "--json")

    assert [line.split()[-1] for line in text.out.splitlines()] == ["STATE", '{"k":2}']
    assert [(found["id"], found["state"]) for found in as_json.json] == [(session, {"k": 2})]
    assert "state" not in plain.json[0]
    assert "\x1b" not in text.out + as_json.out
