"""What goes wrong with a mail server, in the operator's words.

A server's own words are left out, and so are the library's errors that hold them: it may repeat an address, a password or the mail.
"""

import smtplib
import socket
import ssl
from collections.abc import Mapping
from typing import Final

from handgriff.codes.smtp.delivery import Step
from handgriff.errors import BackendError

_WANTS_SIGN_IN: Final = 530
_UNREADABLE: Final = -1  # what smtplib makes of an answer without a number
_MISSING: Final[Mapping[Step, str]] = {
    "connecting": "It is no SMTP server; look at host and port.",
    "starting TLS": "It offers no STARTTLS; use security='tls' and the port for it, usually 465.",
    "signing in": "It offers no way to sign in with a password here; use its submission port, usually 587, or give no username.",
    "sending": "It takes only ASCII addresses; give a domain in its 'xn--' form, or use a server with SMTPUTF8.",
}
"""What a server can't do, by what was asked of it."""

# The first that fits; the library's classes inherit from each other, and from OSError. {} is the server's number.
_HINTS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (smtplib.SMTPAuthenticationError, "It refused the sign-in{}; look at username and password."),
    (smtplib.SMTPRecipientsRefused, "It refused the recipient{}; look at what address() answers for this user."),
    (smtplib.SMTPSenderRefused, "It refused the sender{}; give one this account may send from."),
    (smtplib.SMTPDataError, "It refused the mail{}; look at its log."),
    (smtplib.SMTPServerDisconnected, "It closed the connection; look at its log, and whether security fits the port."),
    (smtplib.SMTPResponseException, "It refused to go on{}; look at its log."),
    (ssl.SSLError, "TLS failed; does security fit the port? 'starttls' is usually 587, 'tls' usually 465."),
    (socket.gaierror, "Its name is not known; look at host."),
    (ConnectionRefusedError, "Nothing listens there; does it run, and are host and port right?"),
    (TimeoutError, "It did not answer in time; is it overloaded, a firewall between, or the port for another security?"),
    (OSError, "The connection failed; look at host, port and the network."),
)


class Answered(Exception):  # a cause to show, without the words it came with
    """What the library raised, by its name and the server's number alone."""


def fault(step: Step, error: Exception) -> BackendError:
    """The error to raise for *error*, which becomes its cause unless it might hold a secret."""
    number = _number(error)
    raised = BackendError("smtp", step, hint=_hint(step, error, number))
    if isinstance(error, OSError) and not isinstance(error, smtplib.SMTPException):
        # Its frames hold the mail, and some error trackers print them.
        raised.__cause__ = error.with_traceback(None)
    else:
        raised.__cause__ = Answered(type(error).__name__ if number is None else f"{type(error).__name__} {number}")
    return raised


def _hint(step: Step, error: Exception, number: int | None) -> str:
    if number == _WANTS_SIGN_IN:
        return "It wants a sign-in (530); give username and password, or another security."
    if number == _UNREADABLE:
        return _MISSING["connecting"]
    if isinstance(error, ssl.SSLCertVerificationError):
        why = error.verify_message.rstrip(".")
        return f"Its certificate is not trusted ({why}); give the host it is made out to, or name its authority's file in SSL_CERT_FILE."
    # These two are raised where a server lacks something; the others inherit from them.
    if type(error) in {smtplib.SMTPNotSupportedError, smtplib.SMTPException}:
        return _MISSING[step]
    told = next((hint for kind, hint in _HINTS if isinstance(error, kind)), _MISSING[step])
    return told.format(_in_brackets(number))


def _number(error: Exception) -> int | None:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return next((number for number, _ in error.recipients.values()), None)
    return error.smtp_code if isinstance(error, smtplib.SMTPResponseException) else None


def _in_brackets(number: int | None) -> str:
    if number is None:
        return ""
    return f" ({number}, for now)" if 400 <= number < 500 else f" ({number})"  # noqa: PLR2004  # what the protocol means by a first digit 4
