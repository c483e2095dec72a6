"""The command line. This module stands without Typer and Rich, so that it can say which extra brings them."""

import sys
from importlib import import_module

WRONG_USE = 2


def main() -> None:
    """The command `handgriff`."""
    try:
        for library in ("typer", "rich"):
            import_module(library)
    except ImportError as missing:
        print(f"The command line needs {missing.name!r}. Install the extra: pip install 'handgriff[cli]'", file=sys.stderr)  # noqa: T201  # Rich may be what is missing
        sys.exit(WRONG_USE)
    import_module("handgriff.cli.app").run()
