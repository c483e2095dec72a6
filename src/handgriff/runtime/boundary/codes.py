"""Codes sent out of band: six digits that prove who decides, beside the authenticated request. Kept as a salted hash, and nowhere else.

A try is counted, on disk, before the code is compared, so no number of servers gives a guess more than its five.
"""

import hashlib
import hmac
import logging
import secrets
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

import anyio.to_thread

from handgriff.core.batch import CountTry, KeepCode
from handgriff.core.caller import Caller
from handgriff.core.catalogue import say
from handgriff.core.rows import Proposal
from handgriff.errors import BackendError, DefinitionError, Refusal
from handgriff.ports.clock import Clock
from handgriff.ports.codes import CodeSender
from handgriff.ports.store import CommitRefused, Store
from handgriff.runtime.boundary.invoke import invoke_within

DIGITS: Final = 6
TRIES: Final = 5
"""Over the life of a proposal, whichever of its codes."""
SENDS: Final = 5
"""Codes one user is sent for all of their proposals in `WINDOW`."""
WINDOW: Final = timedelta(minutes=15)
REST: Final = timedelta(seconds=30)
"""Between two codes for one proposal."""
SEND_SECONDS: Final = 20.0
_COST: Final = 2**14  # scrypt's usual one for logins: about 50 ms and 16 MB a guess
_LOG = logging.getLogger("handgriff.codes")


@dataclass(frozen=True, slots=True)
class Codes:
    """Makes, sends and checks the codes of one host."""

    store: Store
    clock: Clock
    sender: CodeSender | None

    async def send(self, owner: Caller, proposal: Proposal) -> Proposal:
        """Send *owner* a new code for *proposal*; the one before is no longer good.

        Raises:
            Refusal: `rate_limited`; too many were sent. `conflict`; it is decided already, or another code was sent just now.
            DefinitionError: the host has no sender.
            BackendError: it could not be sent; the person may ask again.
        """
        if self.sender is None:
            raise DefinitionError("Host", "codes", "a tool asks for codes and nothing sends them.", mend="give Host(codes=…) a CodeSender.")
        now = self.clock.now()
        if proposal.code_sent_at is not None and now < proposal.code_sent_at + REST:
            raise _too_many((proposal.code_sent_at + REST - now).total_seconds())
        code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
        kept = await _hashed(code, secrets.token_hex(16))
        keep = KeepCode(proposal.tenant, proposal.id, proposal.codes_sent, kept, now, now - WINDOW, SENDS)
        try:
            await self.store.commit((keep,), durable=True)
        except CommitRefused as refused:
            if refused.guard == "limit":
                raise _too_many(WINDOW.total_seconds()) from None
            raise Refusal("conflict", "This proposal is decided already, or a code was sent for it just now.") from None
        problem = await _sent(self.sender, owner, code, proposal)
        del code  # what is raised from here is logged with its frames
        if problem is not None:
            raise BackendError("codes", "sending a code", hint="Ask for another one in a moment.") from _Unsent(problem)
        return replace(proposal, code=kept, codes_sent=proposal.codes_sent + 1, code_sent_at=now)

    async def is_right(self, proposal: Proposal, code: object) -> bool:
        """Whether *code* is the last one that was sent. Each look costs one of the proposal's tries.

        Raises:
            Refusal: `invalid` for what is no code, `unconfirmed` where none was sent; neither costs a try. `conflict`; decided meanwhile.
        """
        if not isinstance(code, str) or not (given := "".join(code.split())).isascii() or not given.isdigit() or len(given) != DIGITS:
            raise Refusal("invalid", f"code: expected the {DIGITS} digits that were sent.", fields={"code": f"expected {DIGITS} digits"})
        for _ in range(TRIES):
            kept = proposal.code
            if kept is None:
                raise Refusal("unconfirmed", "No code was sent for this yet.", next="Ask for one.")
            if proposal.code_tries >= TRIES:
                return False
            try:
                await self.store.commit((CountTry(proposal.tenant, proposal.id, proposal.code_tries),), durable=True)
            except CommitRefused:
                proposal = await self._again(proposal)
                continue
            # Read again: another code may have been sent before the try was counted, and only the last one is good.
            kept = (await self._again(proposal)).code or kept
            return hmac.compare_digest(await _hashed(given, kept.partition(":")[0]), kept)
        return False

    async def _again(self, proposal: Proposal) -> Proposal:
        latest = await self.store.proposal(proposal.tenant, proposal.id)
        if latest is None or latest.state != "pending":
            raise Refusal("conflict", "This proposal is decided already.")
        return latest


async def _sent(sender: CodeSender, owner: Caller, code: str, proposal: Proposal) -> str | None:
    """Send it; the kind of what was raised, where something was."""
    text = say("code", owner.locale).format(code=code, summary=_line(proposal.summary))
    try:
        await invoke_within(SEND_SECONDS, sender.send, owner, text)
    except Exception as error:  # noqa: BLE001  # a sender of the application's may raise anything, and its message may repeat the text
        words = str(error).replace(code, "******") if isinstance(error, (BackendError, DefinitionError)) else type(error).__name__
        _LOG.error("a code for proposal %s could not be sent: %s", proposal.id, words)  # its trace holds the text
        return type(error).__name__
    return None


class _Unsent(Exception):  # a cause to show, without what it was about
    """What a sender raised, by its name alone."""


async def _hashed(code: str, salt: str) -> str:
    """*salt* and the hash of *code*; slow on purpose, because a million codes are soon tried."""
    scrypt = hashlib.scrypt
    digest = await anyio.to_thread.run_sync(lambda: scrypt(code.encode(), salt=salt.encode(), n=_COST, r=8, p=1, maxmem=2**26))
    return f"{salt}:{digest.hex()}"


def _line(summary: str) -> str:
    line = " ".join(summary.split())
    return line if len(line) <= 200 else f"{line[:199]}…"  # noqa: PLR2004  # what a text message carries


def _too_many(seconds: float) -> Refusal:
    return Refusal("rate_limited", "A code was sent already.", next="Use it, or wait.", retry_after=max(1, int(seconds)))
