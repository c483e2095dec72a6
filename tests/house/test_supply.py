"""What we install and publish: pinned, hashed, from nowhere in particular, and told to users."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PIN = re.compile(r"^(?P<name>[a-z0-9-]+)==\S+", re.MULTILINE)


def pins(lock: Path) -> dict[str, str]:
    """Each pinned name with what is said about it."""
    text = lock.read_text()
    starts = [*PIN.finditer(text)]
    ends = [each.start() for each in starts[1:]] + [len(text)]
    return {each["name"]: text[each.start() : end] for each, end in zip(starts, ends, strict=True)}


def required(*extras: str) -> set[str]:
    project = PROJECT["project"]
    lines = project["dependencies"] + [line for extra in extras for line in project["optional-dependencies"][extra]]
    return {name.group() for line in lines if (name := re.match(r"[a-zA-Z0-9-]+", line))} - {"handgriff"}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_pin_has_a_hash_and_no_place(lock: Path) -> None:
    held = pins(lock)

    assert held
    assert all("--hash=sha256:" in said for said in held.values())
    assert "://" not in lock.read_text()
    assert "--index" not in lock.read_text()


def test_the_locks_hold_what_the_project_asks_for() -> None:
    for_use = required("anthropic", "cli", "http", "testing")

    assert for_use <= pins(ROOT / "requirements" / "run.txt").keys()
    assert for_use | required("dev") <= pins(ROOT / "requirements" / "dev.txt").keys()


def test_both_locks_pin_the_same_releases() -> None:
    run, dev = (PIN.findall((ROOT / "requirements" / name).read_text()) for name in ("run.txt", "dev.txt"))

    assert set(run) <= set(dev)


def test_all_means_all() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    named = re.fullmatch(r"handgriff\[(.+)\]", extras["all"][0])

    assert named
    assert set(named[1].split(",")) == extras.keys() - {"all", "bench", "dev"}


def test_every_fragment_is_one_line_of_a_known_kind() -> None:
    kinds = {kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]}
    fragments = [path for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md"]

    for fragment in fragments:
        number, kind, suffix = fragment.name.split(".")
        assert number.isdecimal()
        assert kind in kinds
        assert suffix == "md"
        assert len(fragment.read_text().strip().splitlines()) == 1
