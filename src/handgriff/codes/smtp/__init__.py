"""Codes by mail, over any SMTP server, with the standard library alone.

`sender` is the adapter, `message` and `faults` are pure, and `delivery` is what runs in a thread.
"""

from handgriff.codes.smtp.sender import SmtpCodeSender

__all__ = ["SmtpCodeSender"]
