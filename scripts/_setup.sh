# Sourced by the other scripts: brings .venv to the state of the lock file, and does nothing when it is there already.
# Needs a Python from 3.11 on with venv (Debian: python3 and python3-venv); PYTHON names another one.
# PIP_* settings (an index, a proxy, a cache) are honoured as pip honours them.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
lock=requirements/dev.txt
stamp=.venv/handgriff.stamp

setup() {
    local python=${PYTHON:-python3} want
    if [ ! -x .venv/bin/python ]; then
        "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Handgriff needs Python 3.11 or newer; set PYTHON." >&2; return 1; }
        "$python" -m venv .venv || { echo "Python's venv is missing; on Debian: apt-get install python3-venv" >&2; return 1; }
    fi
    want=$(cat "$lock" pyproject.toml | sha256sum)
    if [ "$(cat "$stamp" 2>/dev/null)" != "$want" ]; then
        echo "Installing what $lock pins …" >&2
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement "$lock" || return 1
        # The lock holds the build backend too, so nothing unpinned is fetched here.
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . || return 1
        echo "$want" >"$stamp"
    fi
}

setup
