"""Replay recorded machines and say which differ; the exit code is 1 where one does, and 2 where the file is none.

python -m handgriff.testing.xstate vectors.jsonl
python -m handgriff.testing.xstate machines.jsonl --answers answers.jsonl
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from handgriff.testing.xstate.replay import Replayed, replayed
from handgriff.testing.xstate.vectors import BadLineError, read_vectors

AGREED, DIFFERENT, UNUSABLE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m handgriff.testing.xstate", description="Recorded machines of XState, replayed.")
    parser.add_argument("vectors", type=Path, help="machines, one JSON object a line: config, events, expected")
    parser.add_argument("--answers", type=Path, default=None, help="the answers to the machines, where they are in a file of their own")
    options = parser.parse_args(arguments)
    try:
        results = _results(options.vectors, options.answers)
    except (OSError, UnicodeDecodeError, BadLineError) as error:
        sys.stderr.write(f"{options.vectors}: {error}\n")
        return UNUSABLE
    if not results:
        sys.stderr.write(f"{options.vectors}: there is no machine in it\n")
        return UNUSABLE
    agreeing = sum(result.difference is None for result in results)
    torn = sum(result.is_torn for result in results)
    if torn:
        sys.stdout.write(f"{torn} of them come into states that can't be active together; XState keeps those, and so has the replay.\n")
    sys.stdout.write(f"{agreeing} of {len(results)} machines agree\n")
    return AGREED if agreeing == len(results) else DIFFERENT


def _results(vectors: Path, answers: Path | None) -> list[Replayed]:
    results = []
    with ExitStack() as stack:
        lines = stack.enter_context(vectors.open(encoding="utf-8"))
        beside = None if answers is None else stack.enter_context(answers.open(encoding="utf-8"))
        for vector in read_vectors(lines, beside):
            result = replayed(vector)
            if result.difference is not None:
                sys.stdout.write(f"{result.difference}\n")
            results.append(result)
    return results


if __name__ == "__main__":
    sys.exit(main())
