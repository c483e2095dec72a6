"""The provider in a process of its own, so that what is measured does not share its processor time.

    python -m handgriff.testing.loopback --events 361

prints its URL on the first line and answers every request with the same text until it is interrupted. Below is `provider`.
"""

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence

from handgriff.testing.loopback.provider import LoopbackProvider
from handgriff.testing.loopback.script import Answer, Text

# message_start, ping, content_block_start, content_block_stop, message_delta, message_stop.
_FRAME = 6


def fixed_answer(events: int, *, chunk: int) -> Answer:
    """A text of *chunk* characters an event, streamed in *events* events in all."""
    return Answer((Text("x" * (chunk * (events - _FRAME)), chunk=chunk),))


async def serve(answer: Answer, *, port: int, api_key: str | None) -> None:
    """Serve *answer* until the process is asked to stop."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with LoopbackProvider(lambda _: answer, port=port, api_key=api_key, keep=0) as provider:
        sys.stdout.write(f"{provider.url}\n")
        sys.stdout.flush()
        await stop.wait()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m handgriff.testing.loopback", description="A scripted provider of the Messages API.")
    parser.add_argument("--port", type=int, default=0, help="the port on 127.0.0.1; 0 takes a free one")
    parser.add_argument("--events", type=_event_count, default=361, help=f"server-sent events of every answer, at least {_FRAME + 1}")
    parser.add_argument("--chunk", type=int, default=8, help="characters of text an event")
    parser.add_argument("--key", default=None, help="the only key to take; without it every key is taken")
    options = parser.parse_args(arguments)
    asyncio.run(serve(fixed_answer(options.events, chunk=options.chunk), port=options.port, api_key=options.key))


def _event_count(word: str) -> int:
    count = int(word)
    if count <= _FRAME:
        raise argparse.ArgumentTypeError(f"an answer has at least {_FRAME + 1} events")
    return count


if __name__ == "__main__":
    main()
