"""The race matrix, as anybody runs it: on every store, and on one that loses writes. Promise P2."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import handgriff
from handgriff.core.batch import AppendEvent, Batch
from handgriff.errors import BackendError
from handgriff.ports.store import Committed, Store
from handgriff.stores.memory import MemoryStore
from handgriff.testing.races.__main__ import main
from tests.interaction.stores import STORES, store_name

SOURCE = Path(handgriff.__file__).parents[1]
ROWS = 8


@pytest.mark.parametrize("kind", STORES)
def test_no_race_on_our_stores_loses_a_write(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "handgriff.testing.races", "--store", store_name(kind, request, tmp_path), "--json"]
    ran = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")
    races = json.loads(ran.stdout)["races"]
    assert [(race["lost"], race["acknowledged"]) for race in races] == [(0, race["asked"]) for race in races]
    assert len(races) == ROWS
    assert [bool(race["note"]) for race in races].count(True) == (kind == "memory")


class DroppingStore:
    """A store that says yes to everything and keeps all but every seventh delta."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._deltas = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def commit(self, batch: Batch, *, durable: bool = False) -> Committed:
        kept = [self._robbed(each) if isinstance(each, AppendEvent) and each.change else each for each in batch]
        return await self._store.commit(tuple(kept), durable=durable)

    def _robbed(self, append: AppendEvent) -> AppendEvent:
        self._deltas += 1
        return append if self._deltas % 7 else AppendEvent(append.tenant, append.session, append.event)


def test_a_store_that_drops_writes_is_found_out(capsys: pytest.CaptureFixture[str]) -> None:
    async def opened(name: str) -> Any:
        return DroppingStore(MemoryStore())

    assert main(["--store", "memory://", "--json"], opener=opened) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["lost"] > 0
    assert {race["race"]: race["lost"] for race in told["races"]}["one counter, 16 x 20 increments"] in (45, 46)


class FailingStore(DroppingStore):
    """A store that fails in the middle of it."""

    def _robbed(self, append: AppendEvent) -> AppendEvent:
        self._deltas += 1
        if self._deltas > 30:
            raise BackendError("store", "commit", hint="It is gone.") from ConnectionError("cut")
        return append


def test_a_store_that_fails_is_said_to_have_failed(capsys: pytest.CaptureFixture[str]) -> None:
    async def opened(name: str) -> Any:
        return FailingStore(MemoryStore())

    assert main(["--store", "memory://"], opener=opened) == 2
    assert capsys.readouterr() == ("", "'store' failed at commit. It is gone.\n")


def test_the_table_names_every_race(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["memory", "asked", "acknowledged", "lost"]
    assert len(rows) == ROWS
    assert main(["--store", "nowhere://u:hunter2@h"]) == 2
    told = capsys.readouterr().err
    assert "name of a store" in told
    assert "hunter2" not in told
