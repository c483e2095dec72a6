"""The SMTP code sender: mails a code to the address the application knows of a user.

Below are the delivery, which blocks and so runs in a thread, and the standard library's mail; above, a host is given it as `codes`.
"""

import inspect
import math
import ssl
from collections.abc import Callable
from email.headerregistry import Address
from ipaddress import ip_address
from typing import Final, get_args

import anyio
import anyio.to_thread

from handgriff.codes.smtp.delivery import Delivery, Security, Server
from handgriff.codes.smtp.faults import fault
from handgriff.codes.smtp.message import compose, is_address, read_sender
from handgriff.core.caller import Caller
from handgriff.core.catalogue import say
from handgriff.errors import DefinitionError

_PORTS: Final = 65_535
_THREADS: Final = 8
"""At once; a server that hangs must not take the threads everything else needs."""


class SmtpCodeSender:
    """Sends codes over the SMTP server at *host*.

    `address(caller)` answers the mail address of a user; it runs in a thread, so it may look it up. `sender` is `codes@shop.example` or
    `Shop <codes@shop.example>`. `security` says how the connection is encrypted; certificates are always verified. `seconds` is for a
    whole delivery. `subject` stands in place of the sentence in the caller's language.

    Raises:
        DefinitionError: an argument can't be right.
    """

    def __init__(
        self,
        host: str,
        port: int = 587,
        *,
        sender: str,
        address: Callable[[Caller], str],
        security: Security = "starttls",
        username: str | None = None,
        password: str | None = None,
        seconds: float = 15,
        subject: str | None = None,
    ) -> None:
        _check_place(host, port, security)
        if not _is_number(seconds) or not 0 < seconds < math.inf:
            raise _wrong("seconds", "it is no span of time.", "give a number of seconds above 0.")
        if subject is not None and not _is_line(subject):
            raise _wrong("subject", "it is no line of text.", "give text without line breaks, or leave it out.")
        if not _is_sync(address):
            raise _wrong("address", "it is no function, or an async one.", "give a sync function that takes the caller.")
        self._sender = _checked_sender(sender)
        self._address = address
        self._subject = subject
        self._server = Server(
            host,
            port,
            self._sender.domain,
            seconds,
            security,
            None if security == "none" else ssl.create_default_context(),
            _checked_login(username, password),
        )
        # For deliveries alone; what the application looks up waits for no mail server.
        self._threads = anyio.CapacityLimiter(_THREADS)

    def __repr__(self) -> str:
        return f"SmtpCodeSender({self._server.host!r}, {self._server.port}, security={self._server.security!r})"

    async def send(self, caller: Caller, text: str) -> None:
        """Mail *text* to *caller*.

        Raises:
            DefinitionError: `address` answered no mail address; nothing was sent.
            BackendError: the server could not be reached, or refused. Neither the text nor the address nor a password is in it.
        """
        address = await anyio.to_thread.run_sync(self._address, caller, abandon_on_cancel=True)
        if not is_address(address):
            raise _wrong("address", "it answered no mail address.", "return one bare address, such as 'ada@example.com'.")
        message = compose(self._sender, address, self._subject or say("code_subject", caller.locale), text)
        delivery = Delivery(self._server, message, sender=self._sender.addr_spec, address=address)
        error = await self._run(delivery)
        if error is not None:
            raise fault(delivery.step, error)

    async def _run(self, delivery: Delivery) -> Exception | None:
        try:
            with anyio.move_on_after(self._server.seconds):
                return await anyio.to_thread.run_sync(delivery.run, abandon_on_cancel=True, limiter=self._threads)
        finally:
            delivery.cut()
        return TimeoutError()


def _check_place(host: str, port: int, security: Security) -> None:
    if not _is_host(host):
        raise _wrong("host", f"{host!r} is no host.", "give a name or an address, such as 'smtp.example.com'.")
    if type(port) is not int or not 0 < port <= _PORTS:
        raise _wrong("port", f"{port!r} is no port.", "give a number, usually 587 for 'starttls' and 465 for 'tls'.")
    words = get_args(Security)
    if security not in words:
        raise _wrong("security", f"{security!r} is not known.", f"use one of {', '.join(map(repr, words))}.")
    if security == "none" and not _is_loopback(host):
        raise _wrong(
            "security", f"'none' would send codes in the clear to {host!r}.", "use 'starttls' or 'tls'; 'none' is for this machine alone."
        )


def _checked_sender(sender: object) -> Address:
    read = read_sender(sender) if isinstance(sender, str) else None
    if read is None:
        raise _wrong("sender", f"{sender!r} is no sender.", "give 'codes@shop.example' or 'Shop <codes@shop.example>', in one line.")
    return read


def _checked_login(username: str | None, password: str | None) -> tuple[str, str] | None:
    if username is None and password is None:
        return None
    if not username or not password:
        raise _wrong("password", "username and password belong together.", "give both or none.")
    # smtplib encodes them as ASCII, and its error would quote them.
    if not (_is_line(username) and username.isascii() and _is_line(password) and password.isascii()):
        raise _wrong("password", "username and password must be printable ASCII.", "set another password for this account.")
    return username, password


def _is_sync(value: object) -> bool:
    return callable(value) and not inspect.iscoroutinefunction(value)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_line(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def _is_host(value: object) -> bool:
    if not isinstance(value, str) or not _is_line(value) or any(letter in " /@" for letter in value):
        return False
    try:
        return bool(value.encode("idna"))
    except UnicodeError:
        return False


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _wrong(member: str, problem: str, mend: str) -> DefinitionError:
    return DefinitionError("SmtpCodeSender", member, problem, mend=mend)
