"""`python -m examples.salon` plays the demo in the terminal; `--serve` serves the salon. `scripts/demo` is the same after a set-up."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import anyio

from examples.salon.assistant import BOOK, PEOPLE, SCRIPTED, make_host
from examples.salon.data import open_salon
from examples.salon.play import play
from examples.salon.proof import complaints_of_book, complaints_of_events
from examples.salon.script import owners, stylists
from handgriff.cli.output import terminal
from handgriff.cli.render import Renderer


def main(arguments: Sequence[str] | None = None) -> int:
    """Play or serve; 0 when everything went as it should, 1 when it did not, 2 when it was asked wrongly."""
    options = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="salon-") as temporary:
        folder: Path = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if options.serve:
            from examples.salon.serve import serve  # noqa: PLC0415  # the played demo needs no HTTP

            return serve(folder, today=options.today, user=options.user, port=options.port, model=options.model)
        if (folder / BOOK).exists():
            print(f"{folder} holds a salon already, and the conversation begins with a fresh one.", file=sys.stderr)
            return 2
        return anyio.run(perform, folder, options.today, options.pace)


async def perform(folder: Path, today: date, pace: float) -> int:
    """Play both conversations in *folder* and judge what is left."""
    renderer = Renderer(terminal())
    complaints: list[str] = []
    for conversation in (owners(today), stylists(today)):
        caller = PEOPLE[conversation.user]
        renderer.note(f"\n=== {caller.user.title()}, {', '.join(caller.roles)} ===")
        async with make_host(folder, today=today, steps=conversation.steps, pace=pace) as host:
            renderer.note(f"Offered: {', '.join(tool.name for tool in await host.menu(caller))}.")
            complaints += complaints_of_events(conversation, await play(host, caller, conversation, renderer))
    salon = open_salon(folder / BOOK)
    complaints += complaints_of_book(salon, today)
    salon.close()
    renderer.note("\nNot as it should be:\n  " + "\n  ".join(complaints) if complaints else "\nEverything is in the book as it was shown.")
    return 1 if complaints else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/demo", description="A hair salon's assistant: a played conversation, or a server to talk to."
    )
    parser.add_argument("--serve", action="store_true", help="serve the salon over HTTP until it is stopped")
    parser.add_argument("--port", type=_port, default=8765, help="where to listen; 0 takes a free one (default: 8765)")
    parser.add_argument("--as", dest="user", choices=sorted(PEOPLE), default="ada", help="who is served (default: ada, the owner)")
    parser.add_argument("--model", default=SCRIPTED, help="serve with another model, such as anthropic:claude-sonnet-5")
    parser.add_argument("--folder", type=Path, help="keep the databases here; without it they are thrown away")
    parser.add_argument("--today", type=date.fromisoformat, default=datetime.now(UTC).astimezone().date(), help=argparse.SUPPRESS)
    parser.add_argument("--pace", type=float, default=0.03 if sys.stdout.isatty() else 0.0, help="seconds between two words")
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is no port: 0 to 65535.")
    return port


if __name__ == "__main__":
    sys.exit(main())
