"""The fault cases this version answers: each is named, by its id, in a test that covers it."""

import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
CASE = re.compile(r"(?<![A-Za-z0-9])B\d{3}(?![0-9])")

COVERED = {
    "A, state": "B001 B002 B004 B005 B006 B007 B008 B012 B013 B014 B015",
    "B, scopes": "B017 B019 B021 B022 B023 B024",
    "C, gating": "B028 B029 B031 B032 B033 B034 B038 B039 B040",
    "D, schemas": "B043 B045 B046 B047 B048 B049 B051 B052 B053 B055 B056 B057",
    "E, streams": "B059 B061 B062 B064 B066 B068 B069",
    "F, prefix": "B071 B072 B073 B074 B075 B076 B077",
    "G, metering": "B081 B082 B083 B086 B092 B093",
    "H, confirmation": "B094 B096 B100 B101 B102 B103 B105 B106 B107",
    "I, large results": "B114 B115 B116",
    "J, MCP": "B121 B122 B123 B125",
    "K, tenancy": "B129 B130 B131 B134 B135 B139 B140",
    "L, streams and pages": "B143 B144 B145 B146 B147 B148 B149",
}
"""The others belong to what is not built yet: the prompt lint, budgets, cursors, imported MCP servers, search and scripts."""


@cache
def named() -> frozenset[str]:
    """Every case that a test names."""
    files = (path for path in TESTS.rglob("test_*.py") if path != Path(__file__) and "node_modules" not in path.parts)
    return frozenset(case for path in files for case in CASE.findall(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("case", [case for cases in COVERED.values() for case in cases.split()])
def test_a_case_is_named_in_a_test(case: str) -> None:
    assert case in named()
