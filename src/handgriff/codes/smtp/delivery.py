"""One mail handed to a server, in a thread that another one can stop.

Below are `smtplib` and its sockets; above, the sender runs it and waits. Every wait has its time-out, and `cut` ends the one for an answer
at once, so that a thread nobody waits for any more hands over nothing. Only dialling and a TLS handshake run to their time-out.
"""

import smtplib
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from ssl import SSLContext
from typing import Any, Literal, TypeAlias

Security: TypeAlias = Literal["starttls", "tls", "none"]
Step: TypeAlias = Literal["connecting", "starting TLS", "signing in", "sending"]


@dataclass(frozen=True, slots=True)
class Server:
    """Where mail is handed over, and how. `name` is what we are called in its greeting."""

    host: str
    port: int
    name: str
    seconds: float
    security: Security
    context: SSLContext | None = None
    login: tuple[str, str] | None = field(default=None, repr=False)


class Delivery:
    """Hands *message* to *server* once. `step` is how far it has come."""

    def __init__(self, server: Server, message: EmailMessage, *, sender: str, address: str) -> None:
        self.step: Step = "connecting"
        self._server = server
        self._message = message
        self._sender = sender
        self._address = address
        self._wire: smtplib.SMTP | None = None
        self._dialled_socket: socket.socket | None = None
        self._is_cut = False

    def run(self) -> Exception | None:
        """Deliver, and return what went wrong. It is not raised, because smtplib's errors may hold what nobody should log."""
        try:
            self._deliver()
        # A server's answer that can't be decoded is a ValueError.
        except (OSError, ValueError) as error:
            return error
        finally:
            if self._wire is not None:
                self._wire.close()
        return None

    def cut(self) -> None:
        """Stop, from another thread. What is over already is left alone."""
        self._is_cut = True
        wire = (None if self._wire is None else self._wire.sock) or self._dialled_socket
        if wire is not None:
            # Not a TLS socket's own method: that one first forgets its encryption, and the other thread might be about to write.
            with suppress(OSError):
                socket.socket.shutdown(wire, socket.SHUT_RDWR)

    def _deliver(self) -> None:
        server = self._server
        self._begin("connecting")
        wire = self._dialled()
        wire.ehlo_or_helo_if_needed()
        if server.security == "starttls":
            self._begin("starting TLS")
            wire.starttls(context=server.context)
        if server.login is not None:
            self._begin("signing in")
            wire.login(*server.login)
        self._begin("sending")
        wire.send_message(self._message, self._sender, [self._address])
        # The mail is the server's now, whatever it answers to this.
        with suppress(OSError):
            wire.putcmd("QUIT")

    def _dialled(self) -> smtplib.SMTP:
        server = self._server
        # Whoever waits gives up first, and then cuts: so this one only ends what could not be cut.
        seconds = server.seconds + 1
        if server.security == "tls":
            return _TlsWire(self._hold, self._dial, server.host, server.port, server.name, timeout=seconds, context=server.context)
        return _Wire(self._hold, self._dial, server.host, server.port, server.name, timeout=seconds)

    def _hold(self, wire: smtplib.SMTP) -> None:
        self._wire = wire

    def _dial(self, made: socket.socket) -> None:
        # Noted first and asked afterwards, so whichever of the two threads comes second finds the other.
        self._dialled_socket = made
        if self._is_cut:
            made.close()
            raise ConnectionAbortedError

    def _begin(self, step: Step) -> None:
        if self._is_cut:
            raise ConnectionAbortedError
        self.step = step


class _Wire(smtplib.SMTP):
    """A connection that is known before it is made, because making it waits for the server's greeting."""

    def __init__(self, hold: Callable[[smtplib.SMTP], None], dialled: Callable[[socket.socket], None], *place: Any, **options: Any) -> None:
        hold(self)
        self._dialled = dialled
        super().__init__(*place, **options)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        made: socket.socket = super()._get_socket(host, port, timeout)  # type: ignore[misc]  # the library's own hook, which its types leave out
        self._dialled(made)
        return made


class _TlsWire(_Wire, smtplib.SMTP_SSL):
    """The same, encrypted from its first byte."""
