"""`python -m examples.refunds` plays the demo in the terminal, with a payment provider in a process of its own, and judges what is left."""

import argparse
import logging
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import anyio

from examples.refunds.assistant import PEOPLE, make_host
from examples.refunds.books import SQLITE, open_book
from examples.refunds.data import seed
from examples.refunds.launch import provider_process
from examples.refunds.play import Stage, play
from examples.refunds.proof import complaints_of_book, complaints_of_events, complaints_of_host, complaints_of_provider
from examples.refunds.script import LINES, OWNER, STEPS
from handgriff.cli.output import terminal
from handgriff.cli.render import Renderer
from handgriff.testing.clock import StillClock
from handgriff.testing.mailbox import Mailbox

BOOKINGS: Final = "provider"
"""The payment provider's own folder."""
LOG: Final = "shop.log"
"""Where the traces behind incidents are."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Play it; 0 when everything went as it should, 1 when it did not, 2 when it was asked wrongly."""
    options = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="refunds-") as temporary:
        folder: Path = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / BOOKINGS).exists():
            print(f"{folder} holds the bookings of another play, and the conversation begins with none.", file=sys.stderr)
            return 2
        store: str = options.store or f"{SQLITE}{folder / 'shop.db'}"
        with provider_process(folder / BOOKINGS) as provider, _logged(folder / LOG):
            return anyio.run(perform, store, provider.url, options.pace)


async def perform(store: str, provider_url: str, pace: float) -> int:
    """Play the conversation on a fresh shop at *store*, and judge what is left."""
    renderer, mailbox, clock = Renderer(terminal()), Mailbox(), StillClock()
    async with open_book(store) as book:
        if await book.has("shop_order"):
            print("There is a shop in that database already, and the conversation begins with a fresh one.", file=sys.stderr)
            return 2
        await seed(book)
        async with make_host(store, provider_url, codes=mailbox, steps=STEPS, pace=pace, clock=clock) as host:
            shown = await play(Stage(host, provider_url, mailbox, clock, renderer), LINES)
            complaints = await complaints_of_host(host, PEOPLE[OWNER])
        complaints += complaints_of_events(shown) + await complaints_of_book(book) + await complaints_of_provider(provider_url)
    good = "\nWhat the shop's book calls made, the provider has booked, once, and nothing else."
    renderer.note("\nNot as it should be:\n  " + "\n  ".join(complaints) if complaints else good)
    return 1 if complaints else 0


@contextmanager
def _logged(path: Path) -> Iterator[None]:
    handler, logger = logging.FileHandler(path), logging.getLogger("handgriff")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        handler.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m examples.refunds", description="A shop that gives money back: a played conversation.")
    parser.add_argument("--folder", type=Path, help="keep the shop and the provider's bookings here; without it they are thrown away")
    parser.add_argument("--store", help="keep the shop in this database instead, such as postgresql://user@host/shop")
    parser.add_argument("--pace", type=float, default=0.03 if sys.stdout.isatty() else 0.0, help="seconds between two words")
    return parser


if __name__ == "__main__":
    sys.exit(main())
