"""What each refusal code is called outside: one table for HTTP, JSON-RPC, AG-UI and the shell.

Below is only the error tree; above, every face reads its own column. A code that had no row would be answered with a guess, so a test
holds the table against the closed set of codes.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from handgriff.errors import RefusalCode


class Words(NamedTuple):
    """One code in the words of each face."""

    status: int
    """The HTTP status."""
    title: str
    """What RFC 9457 calls the title: the kind of problem, always the same words."""
    jsonrpc: int
    agui: str
    """`code` of a RUN_ERROR."""
    exit: int
    """The exit code of a command that ends with it."""


def _row(code: RefusalCode, status: int, jsonrpc: int, title: str) -> tuple[RefusalCode, Words]:
    return code, Words(status, title, jsonrpc, agui=code, exit=1)


# JSON-RPC keeps -32602 for arguments; MCP's revisions of 2025 have -32002 for what is not there and -32042 for a link that must be visited
# first. The others are from -32000 to -32019, which the revision of 2026 leaves to servers: it gives those below out itself.
REFUSAL_WORDS: Final[Mapping[RefusalCode, Words]] = dict(
    (
        _row("invalid", 422, -32602, "Invalid"),
        _row("not_found", 404, -32002, "Not found"),
        _row("denied", 403, -32010, "Denied"),
        _row("closed", 409, -32011, "Closed in this state"),
        _row("conflict", 409, -32012, "Conflict"),
        _row("declined", 409, -32013, "Declined"),
        _row("expired", 410, -32014, "Expired"),
        _row("stale", 409, -32015, "Stale"),
        _row("superseded", 409, -32016, "Superseded"),
        _row("unconfirmed", 428, -32042, "Not confirmed"),
        _row("limit", 429, -32017, "Limit reached"),
        _row("not_run", 409, -32018, "Not run"),
        _row("conversation_busy", 409, -32019, "Conversation busy"),
        _row("too_large", 413, -32003, "Too large"),
        _row("rate_limited", 429, -32004, "Too many requests"),
        _row("budget_spent", 402, -32005, "Budget spent"),
        _row("transient", 503, -32006, "Failed for now"),
        _row("permanent", 500, -32007, "Failed"),
        _row("indeterminate", 500, -32008, "Outcome unknown"),
    )
)


def exit_code(code: RefusalCode | None) -> int:
    """How a command ends: 0 for success, else what the table says. Wrong use of the command itself is 2, and no refusal."""
    return 0 if code is None else REFUSAL_WORDS[code].exit


def status_code(code: RefusalCode) -> int:
    """The HTTP status."""
    return REFUSAL_WORDS[code].status


def jsonrpc_code(code: RefusalCode) -> int:
    """The JSON-RPC error code."""
    return REFUSAL_WORDS[code].jsonrpc
