"""`handgriff scratch`: what tools have noted for a while, looked at, removed, and written as files to read."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from handgriff import Caller
from handgriff.testing.clock import StillClock
from tests.interaction.cli_pad import HOSTILE, inhabited
from tests.interaction.cli_process import Ended, handgriff, with_pad

pytestmark = pytest.mark.anyio
ADA = Caller("acme", "ada")
LATER = datetime(2200, 1, 1, tzinfo=UTC)
"""Records written then live when the commands look."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_pad(tmp_path)


async def noted(folder: Path, caller: Caller, *texts: str, at: datetime = LATER) -> str:
    """A session whose record holds *texts*."""
    async with inhabited(folder, StillClock(at)) as host:
        session = await host.sessions.create(caller)
        for text in texts:
            assert (await host.call(caller, "note", {"text": text}, session=session.id)).code is None
        return session.id


def run(folder: Path, name: str, *words: str, who: str = "acme/ops") -> Ended:
    return handgriff(folder, "scratch", name, "pad:host", *words, "--as", who)


async def test_the_living_records_of_a_tenant_are_listed(folder: Path) -> None:
    one, two = await noted(folder, ADA, "a", "b"), await noted(folder, ADA, "c")
    await noted(folder, Caller("globex", "eve"), "hers")
    await noted(folder, ADA, "over", at=datetime(2001, 1, 1, tzinfo=UTC))

    listed = run(folder, "ls", "--json")

    deadline = (LATER + timedelta(hours=24)).isoformat()
    expected = [(one, ["a", "b"]), (two, ["c"])]
    assert sorted(listed.json, key=lambda record: record["data"]["texts"]) == [
        {"session": session, "namespace": "notes", "expires_at": deadline, "data": {"texts": texts}} for session, texts in expected
    ]
    assert [record["session"] for record in run(folder, "ls", "--session", two, "--json").json] == [two]
    assert [line.split()[:2] for line in run(folder, "ls", "--session", one).out.splitlines()] == [["SESSION", "NAMESPACE"], [one, "notes"]]


async def test_a_record_is_shown_and_cleared_and_the_session_says_by_whom(folder: Path) -> None:
    session = await noted(folder, ADA, "a")

    shown = run(folder, "show", session, "notes")
    assert "namespace: notes" in shown.out
    assert 'texts  ["a"]' in shown.out
    assert run(folder, "show", session, "notes", "--json").json["data"] == {"texts": ["a"]}
    assert run(folder, "clear", session, "notes", "--json").json == {"session": session, "cleared": "notes"}
    gone = run(folder, "show", session, "notes", "--json")
    assert (gone.code, gone.json["refused"]) == (1, "not_found")
    told = handgriff(folder, "sessions", "show", "pad:host", session, "--as", "acme/ada").out
    assert "scratch notes cleared (ops)" in told


@pytest.mark.parametrize("name", ["show", "clear"])
async def test_what_is_not_there_is_not_found_and_what_is_no_name_is_wrong_use(folder: Path, name: str) -> None:
    session = await noted(folder, ADA, "a")

    for words, who in (((session, "other"), "acme/ops"), (("s_unknown", "notes"), "acme/ops"), ((session, "notes"), "globex/ops")):
        ended = run(folder, name, *words, "--json", who=who)
        assert (ended.code, ended.json["refused"]) == (1, "not_found")
    ended = run(folder, name, session, "../notes")
    assert ended.code == 2
    assert "letters, digits" in ended.err


async def test_records_are_pulled_as_files_to_read(folder: Path) -> None:
    session = await noted(folder, ADA, "a", HOSTILE)
    await noted(folder, Caller("globex", "eve"), "hers")

    pulled = run(folder, "pull", "records", "--json")

    path = folder / "records" / "acme" / "tmp" / "state" / f"notes_{session}.json"
    assert [str(folder / file) for file in pulled.json["files"]] == [str(path)]
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["data"] == {"texts": ["a", HOSTILE]}
    assert datetime.fromisoformat(written["expires_at"]) == LATER + timedelta(hours=24)
    assert not list((folder / "records").glob("globex*"))
    assert str(Path("records/acme/tmp/state")) in run(folder, "pull", "records").out, "again is no fault"


@pytest.mark.parametrize("tenant", ["..", ".", "a:b", "%2e%2e", "~", "Ünï 😀", "con"], ids=ascii)
async def test_no_tenants_name_leads_out_of_the_folder(folder: Path, tenant: str) -> None:
    session = await noted(folder, Caller(tenant, "ada"), "a")
    before = outside(folder)

    pulled = run(folder, "pull", "records", "--json", who=f"{tenant}/ops")

    [file] = pulled.json["files"]
    path = (folder / file).resolve()
    assert path.is_relative_to(folder / "records")
    assert len(path.relative_to(folder / "records").parts) == 4, "TENANT/tmp/state/NAMESPACE_SESSION.json"
    assert json.loads(path.read_text(encoding="utf-8"))["session"] == session
    assert outside(folder) == before


async def test_a_folder_that_can_not_be_written_is_told_without_a_traceback(folder: Path) -> None:
    await noted(folder, ADA, "a")
    (folder / "records").write_text("a file")

    ended = run(folder, "pull", "records")

    assert ended.code == 1
    assert "records" in ended.err
    assert "Traceback" not in ended.err


def outside(folder: Path) -> set[Path]:
    """What lies beside the records."""
    ours = ("pad.db", "pad.db-wal", "pad.db-shm", "__pycache__")
    beside = (path for path in folder.parent.rglob("*") if not path.is_relative_to(folder / "records"))
    return {path for path in beside if path.name not in ours and path.parent.name not in ours}
