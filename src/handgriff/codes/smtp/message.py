"""The mail that carries a code, and what may stand in its address lines. Pure but for its date and id."""

import re
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import make_msgid
from typing import Final

from handgriff.core import jsontext

_ADDRESS_BYTES: Final = 254
"""Longest address a mail server must take (RFC 5321)."""

# Quoted local parts are left out: hardly anybody has one, and what is no separator anywhere can't make two recipients of one.
_ADDRESS: Final = re.compile(r"""[^\s@<>()\[\],;:\\"]+@[^\s@<>()\[\],;:\\"]+""")
_NAMED: Final = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>]+)>")


def is_address(value: object) -> bool:
    """Whether *value* is one bare mail address: `local@domain`, in one line."""
    if not isinstance(value, str) or not value.isprintable() or not _ADDRESS.fullmatch(value):
        return False
    return len(value.encode()) <= _ADDRESS_BYTES


def read_sender(text: str) -> Address | None:
    """`codes@shop.example` or `Shop <codes@shop.example>`, read; None for anything else. Only the name may leave ASCII."""
    named = _NAMED.fullmatch(text.strip(" "))
    name, address = (named["name"].strip(' "'), named["address"]) if named else ("", text)
    if not is_address(address) or not address.isascii() or not name.isprintable():
        return None
    return _split(address, name)


def compose(sender: Address, address: str, subject: str, text: str) -> EmailMessage:
    """The mail: plain text, and marked as sent by a program so that nobody's absence note answers it."""
    message = EmailMessage()
    message["From"] = sender
    message["To"] = _split(address)
    message["Subject"] = jsontext.clean(subject)
    message["Date"] = datetime.now(UTC)
    message["Message-ID"] = make_msgid(domain=sender.domain)
    message["Auto-Submitted"] = "auto-generated"
    # Seven bits, so that every server passes it on unchanged. Half a character would raise an error that quotes the text.
    message.set_content(jsontext.clean(text), cte="quoted-printable")
    return message


def _split(address: str, name: str = "") -> Address:
    local, _, domain = address.partition("@")
    return Address(name, local, domain)
