"""The command line. This module stands without Typer and Rich, so that it can say which extra brings them."""

import os
import sys
from importlib import import_module

WRONG_USE = 2


def main() -> None:
    """The command `handgriff`."""
    _open_streams()
    try:
        for library in ("typer", "rich"):
            import_module(library)
    except ImportError as missing:
        print(f"The command line needs {missing.name!r}. Install the extra: pip install 'handgriff[cli]'", file=sys.stderr)  # noqa: T201  # Rich may be what is missing
        sys.exit(WRONG_USE)
    import_module("handgriff.cli.app").run()


def _open_streams() -> None:
    """A stream that was closed before the start is None, which no library expects: it reads and writes nothing instead."""
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123  # it lives as long as the process
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
