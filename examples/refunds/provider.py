"""A payment provider: a process of its own that makes refunds over HTTP, honours idempotency keys, and fails when it is told to.

    python -m examples.refunds.provider FOLDER [--port N]

It prints its address. `POST /refunds` with an `Idempotency-Key` books; `GET /refunds?key=` says what became of a key; `GET /charges` lists
what was booked, all of it in FOLDER. `Authorization: Bearer NAME` says which merchant asks. `POST /fault` arms one fault for the next
refund, or for the next one of a key. It knows the standard library alone, and nothing of who uses it.
"""

import argparse
import json
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from examples.refunds.bookings import Answer, Bookings, Wish

FAULTS: Final = {
    "before": "the connection is dropped, and nothing was booked",
    "hold": "the refund is in flight until any fault is armed or disarmed, and is then booked",
    "during": "it is booked, and the connection is dropped before the answer",
    "hang": "it is booked, and no answer ever comes",
    "after": "it is booked, and answered with 500",
}


class Switch:
    """Which fault the next refund meets."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._armed: dict[str | None, str] = {}
        self._moved = threading.Event()

    def arm(self, fault: str | None, key: str | None) -> None:
        """Arm *fault* for *key*, or for whichever refund is next; None disarms. Whatever is held goes on."""
        with self._lock:
            self._moved.set()
            self._moved = threading.Event()
            if fault is None:
                self._armed.pop(key, None)
            else:
                self._armed[key] = fault

    def take(self, key: str) -> tuple[str | None, threading.Event]:
        """The fault for a refund of *key*, which is used up with it, and what it is held by."""
        with self._lock:
            return self._armed.pop(key, None) or self._armed.pop(None, None), self._moved


class Server(ThreadingHTTPServer):
    """The provider, listening on this machine alone."""

    request_queue_size = 128

    def __init__(self, folder: Path, port: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.bookings = Bookings(folder / "bookings.db")
        self.switch = Switch()
        super().__init__(("127.0.0.1", port), Handler)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def server_close(self) -> None:
        """Listen no more."""
        super().server_close()
        self.bookings.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away, or was killed, is no error; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_GET(self) -> None:
        """Look."""
        url = urlsplit(self.path)
        key = parse_qs(url.query).get("key", [""])[0]
        match url.path:
            case "/refunds" if key:
                self._answer(self.server.bookings.of(self._merchant(), key))
            case "/refunds":
                self._answer(_wrong("key", "name the idempotency key"))
            case "/charges":
                self._answer(Answer(200, {"charges": self.server.bookings.charges()}))
            case _:
                self._answer(Answer(404, {"error": "no_such_path"}))

    def do_POST(self) -> None:
        """Do."""
        body = self._body()
        match self.path:
            case "/refunds":
                self._refund(body)
            case "/fault":
                self._fault(body)
            case _:
                self._answer(Answer(404, {"error": "no_such_path"}))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the library's signature
        """Say nothing: its standard output is its address."""

    def _refund(self, body: dict[str, Any]) -> None:
        key, payment, cents = self.headers.get("Idempotency-Key", ""), body.get("payment"), body.get("cents")
        if not key:
            return self._answer(_wrong("Idempotency-Key", "send the header"))
        if not isinstance(payment, str) or not payment:
            return self._answer(_wrong("payment", "the payment's reference, as text"))
        if not isinstance(cents, int) or isinstance(cents, bool) or cents < 1:
            return self._answer(_wrong("cents", "a whole number from 1"))
        return self._made(Wish(self._merchant(), key, payment, cents))

    def _made(self, wish: Wish) -> None:
        fault, moved = self.server.switch.take(wish.key)
        if fault == "before":
            return self._drop()
        answer = self.server.bookings.book(wish, moved.wait if fault == "hold" else _at_once)
        match fault:
            case "during":
                return self._drop()
            case "hang":
                self.connection.recv(1)  # until the other side has had enough
                return None
            case "after":
                return self._answer(Answer(500, {"error": "broken"}))
            case _:
                return self._answer(answer)

    def _fault(self, body: dict[str, Any]) -> None:
        fault, key = body.get("fault"), body.get("key")
        if fault is not None and fault not in FAULTS:
            return self._answer(_wrong("fault", f"one of {', '.join(FAULTS)}, or null"))
        if key is not None and not isinstance(key, str):
            return self._answer(_wrong("key", "an idempotency key, or leave it out"))
        self.server.switch.arm(fault, key)
        return self._answer(Answer(200, {"fault": fault, "key": key}))

    def _merchant(self) -> str:
        return self.headers.get("Authorization", "").removeprefix("Bearer ")

    def _body(self) -> dict[str, Any]:
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}

    def _answer(self, answer: Answer) -> None:
        text = json.dumps(answer.body).encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _drop(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)


def main() -> None:
    """Serve until the process ends."""
    parser = argparse.ArgumentParser(prog="python -m examples.refunds.provider", description="A payment provider on this machine.")
    parser.add_argument("folder", type=Path, help="where its bookings are kept")
    parser.add_argument("--port", type=int, default=0, help="where to listen (default: a free one)")
    options = parser.parse_args()
    with Server(options.folder, options.port) as server:
        print(server.url, flush=True)
        server.serve_forever()


def _at_once() -> None:
    """Nothing holds it."""


def _wrong(what: str, wanted: str) -> Answer:
    return Answer(400, {"error": "wrong", "what": what, "wanted": wanted})


if __name__ == "__main__":
    main()
