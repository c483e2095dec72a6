"""The command that replays a file."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from handgriff.testing.xstate.__main__ import AGREED, DIFFERENT, UNUSABLE, main
from tests.unit.testing.xstate.recorded import STEPS, line, with_step


def written(folder: Path, *lines: str, name: str = "vectors.jsonl") -> str:
    path = folder / name
    path.write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")
    return str(path)


def test_all_that_agree_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([written(tmp_path, line(), line())]) == AGREED
    assert capsys.readouterr().out.splitlines()[-1] == "2 of 2 machines agree"


def test_the_ones_that_differ_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([written(tmp_path, line(), with_step(2, value="a"), line())]) == DIFFERENT

    told = capsys.readouterr().out.splitlines()
    assert told == ["machine 2, step 2 (GO), value:", "  expected a", "  got      b", "2 of 3 machines agree"]


def test_answers_may_be_beside_the_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = written(tmp_path, json.dumps({"steps": STEPS}), name="answers.jsonl")

    assert main([written(tmp_path, line(expected=None)), "--answers", answers]) == AGREED
    assert "1 of 1 machines agree" in capsys.readouterr().out


def test_a_bad_file_is_no_agreement(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([written(tmp_path, line(), "{")]) == UNUSABLE
    assert main([str(tmp_path / "absent.jsonl")]) == UNUSABLE
    (tmp_path / "binary.jsonl").write_bytes(b"\xff")
    assert main([str(tmp_path / "binary.jsonl")]) == UNUSABLE

    told = capsys.readouterr()
    assert "vectors.jsonl: line 2: it isn't JSON" in told.err
    assert "absent.jsonl" in told.err
    assert "machines agree" not in told.out


def test_an_empty_file_is_no_agreement(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([written(tmp_path)]) == UNUSABLE
    assert "no machine" in capsys.readouterr().err


def test_the_shared_vectors_agree(shared: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(shared("xstate/vectors.jsonl"))]) == AGREED

    *told, last = capsys.readouterr().out.splitlines()
    assert last == "400 of 400 machines agree"
    assert told == ["2 of them come into states that can't be active together; XState keeps those, and so has the replay."]
