"""Mail servers on the loopback interface: a real one that keeps what it was sent, and a scripted one that answers anything."""

import asyncio
import ssl
import warnings
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_string, policy
from email.message import EmailMessage
from types import MappingProxyType
from typing import Any

import anyio
import trustme
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from handgriff.codes.smtp import SmtpCodeSender
from handgriff.core.caller import Caller

HOST = "127.0.0.1"
LOGIN = ("postmaster", "geheim-1234")
ADA = Caller("acme", "u-17")
ADDRESS = "ada.lovelace@example.com"
TEXT = "Your code is 123456: refund 12.50 EUR"


@dataclass
class Mailbox:
    """What a server was sent; *refused* are recipients it has never heard of."""

    refused: frozenset[str] = frozenset()
    envelopes: list[Envelope] = field(default_factory=list)
    encrypted: list[bool] = field(default_factory=list)
    signed_in: list[bool] = field(default_factory=list)
    connections: int = 0

    def mail(self) -> EmailMessage:
        """The only one."""
        (envelope,) = self.envelopes
        assert isinstance(envelope.content, bytes)
        return message_from_string(envelope.content.decode().replace("\r\n", "\n"), policy=policy.default)

    async def handle_RCPT(self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]) -> str:
        if address in self.refused:
            return f"550 5.1.1 <{address}> unknown"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.envelopes.append(envelope)
        assert server.transport is not None
        self.encrypted.append(bool(session.ssl) or server.transport.get_extra_info("sslcontext") is not None)
        self.signed_in.append(bool(session.authenticated))
        return "250 OK"


@asynccontextmanager
async def mail_server(
    box: Mailbox,
    *,
    tls: Mapping[str, ssl.SSLContext] = MappingProxyType({}),
    login: tuple[str, str] | None = None,
    utf8: bool = True,
) -> AsyncIterator[int]:
    """A real server at the port it yields. *tls* holds the context of "starttls", or of "tls", which is encrypted from the first byte."""

    def knows(server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: object) -> AuthResult:
        assert isinstance(data, LoginPassword)
        return AuthResult(success=login == (data.login.decode(), data.password.decode()), handled=False)

    loop = asyncio.get_running_loop()

    def protocol() -> SMTP:
        box.connections += 1
        with warnings.catch_warnings():
            # It knows of no encryption but STARTTLS, and warns of passwords in the clear.
            warnings.filterwarnings("ignore", "Requiring AUTH while not requiring TLS")
            return SMTP(
                box,
                hostname="mail.test",
                enable_SMTPUTF8=utf8,
                tls_context=tls.get("starttls"),
                require_starttls="starttls" in tls,
                auth_required=login is not None,
                auth_require_tls="tls" not in tls,
                authenticator=knows,
                loop=loop,
            )

    server = await loop.create_server(protocol, HOST, 0, ssl=tls.get("tls"))
    async with server:
        yield server.sockets[0].getsockname()[1]


@dataclass
class Script:
    """What a scripted server answers to each command; `{}` is what it was sent. None drops the connection, "" says nothing.

    `greeting` opens the conversation and `mail` stands for the end of the mail itself. `silent` is set when it has nothing to say.
    """

    answers: Mapping[str, str | None] = field(default_factory=dict)
    silent: anyio.Event = field(default_factory=anyio.Event)
    left: anyio.Event = field(default_factory=anyio.Event)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            said = ""
            command = "greeting"
            while (answer := self.answers.get(command, _USUAL.get(command, "250 OK"))) is not None:
                if answer:
                    writer.write(answer.format(" ".join(said.split())).encode() + b"\r\n")
                else:
                    self.silent.set()
                said = (await self._mail(reader) if command == "DATA" else await reader.readline()).decode()
                if not said:
                    break
                command = "mail" if command == "DATA" else said.split()[0].upper()
        except ConnectionError:
            pass
        finally:
            writer.close()
            self.left.set()

    async def _mail(self, reader: asyncio.StreamReader) -> bytes:
        try:
            return await reader.readuntil(b"\r\n.\r\n")
        except asyncio.IncompleteReadError:
            return b""


_USUAL = {
    "greeting": "220 mail.test ESMTP",
    "EHLO": "250-mail.test\r\n250-SMTPUTF8\r\n250 AUTH PLAIN",
    "AUTH": "235 OK",
    "DATA": "354 go on",
}


@asynccontextmanager
async def scripted_server(script: Script, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server that keeps to *script*, at the port it yields."""
    server = await asyncio.start_server(script.talk, HOST, 0, ssl=tls)
    async with server:
        yield server.sockets[0].getsockname()[1]


def smtp_sender(port: int, *, address: Any = ADDRESS, **options: Any) -> SmtpCodeSender:
    """A sender to the server at *port*, which mails everybody at *address*."""
    given: dict[str, Any] = {"sender": "codes@shop.example", "security": "none", "seconds": 30} | options
    return SmtpCodeSender(HOST, port, address=lambda caller: address, **given)


def server_context(ca: trustme.CA, name: str = HOST) -> ssl.SSLContext:
    """A server's certificate for *name*."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    ca.issue_cert(name).configure_cert(context)
    return context
