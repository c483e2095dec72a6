# `just check` is what CI runs. Recipes use the tools of .venv, which scripts/test sets up.

export PATH := justfile_directory() / ".venv/bin" + ":" + env("PATH")

_list:
    @just --list --unsorted

# Everything CI runs, in the order that fails fastest
check: lint types floors suite

# Style, and whether the formatter would change something
lint:
    ruff check
    ruff format --check

# Rewrite what ruff can mend by itself
format:
    ruff check --fix-only
    ruff format

# Strict types
types:
    mypy

# Import direction (.importlinter)
floors:
    lint-imports --no-cache

# The tests; arguments go to pytest
test *args:
    python -m pytest {{ args }}

# The whole suite, on every core
suite *args:
    python -m pytest -n auto --dist worksteal {{ args }}

# What chance draws, drawn ten times as often as the suite does; arguments go to pytest
soak *args:
    HANDGRIFF_EFFORT=10 python -m pytest -n auto --dist worksteal $(grep -rlw "tests.effort" tests --include='test_*.py') {{ args }}

# Which lines of src the unit tests never run
cover:
    coverage run -m pytest tests/unit
    coverage report

# Write the lock files again from pyproject.toml; `just lock --upgrade` takes newer releases
lock *args:
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links --extra all pyproject.toml -o requirements/run.txt {{ args }}
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links --extra dev -c requirements/run.txt pyproject.toml -o requirements/dev.txt {{ args }}

# What `import handgriff` costs
bench-import *args:
    python bench/import_time.py {{ args }}

# State against google-adk and the bare drivers: needs an interpreter that has google-adk[db] and asyncpg
bench-sessions *args:
    python bench/sessions.py {{ args }}

# The gate against FastMCP's per-session visibility: needs an interpreter that has fastmcp
bench-gate *args:
    python bench/gate.py {{ args }}

# Kill a writing process at 200 random moments, and look at the file after each
kill-rounds folder=`mktemp -d`:
    PYTHONPATH=src:. python -m tests.contract.sqlite_process crash {{ folder }}/kill.db 200 1

# What the next release will tell its users
changelog:
    towncrier build --draft --version NEXT

# Wheel and sdist in dist/
build:
    python -m hatchling build
