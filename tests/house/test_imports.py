"""`import handgriff` is cheap: what it may not load is named here, how long it takes is measured by `bench/import_time.py`."""

import json
import subprocess
import sys

import pytest

from bench.import_time import HEAVY, Probe, probe

LOOK = "import json, sys, handgriff; print(json.dumps(sorted(sys.modules)))"


def test_the_root_loads_no_heavy_library() -> None:
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))

    assert "handgriff" in loaded
    assert not loaded & {*HEAVY, "pydantic", "jsonschema", "genai_prices"}


def test_the_bench_sees_a_heavy_library() -> None:
    seen = probe("import anthropic", runs=1)

    assert isinstance(seen, Probe)
    assert "anthropic" in seen.heavy
    assert seen.cpu > 0


def test_the_bench_says_which_statement_failed() -> None:
    with pytest.raises(RuntimeError, match="no_such_module"):
        probe("import no_such_module", runs=1)
