"""The one error tree, split by who has to act. It imports nothing of ours, so that every floor may raise it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

Fact: TypeAlias = str | int | bool | Sequence[str] | Mapping[str, str] | None
"""What a refusal may carry beside its sentence: something every face can print."""

RefusalCode: TypeAlias = Literal[
    "invalid",
    "not_found",
    "denied",
    "closed",
    "conflict",
    "declined",
    "expired",
    "stale",
    "superseded",
    "unconfirmed",
    "limit",
    "not_run",
    "conversation_busy",
    "too_large",
    "rate_limited",
    "budget_spent",
    "transient",
    "permanent",
    "indeterminate",
]
"""Why a call, a decision or a turn was refused; a closed set."""

REFUSAL_CODES: tuple[RefusalCode, ...] = get_args(RefusalCode)


class HandgriffError(Exception):
    """The root of everything Handgriff raises on purpose."""


class DefinitionError(HandgriffError):
    """The author must act: the program is put together wrongly. Raised while it is being built.

    The message names what was defined (`subject`, usually a tool), the `member` at fault and the `mend`.
    """

    subject: str
    member: str
    mend: str

    def __init__(self, subject: str, member: str, problem: str, *, mend: str) -> None:
        super().__init__(f"{subject!r}, {member}: {problem} Mend: {mend}")
        self.subject = subject
        self.member = member
        self.mend = mend


class Refusal(HandgriffError):
    """The model or the person must act: no, why, and what next. Safe to show to both.

    `facts` are the code's own fields (`fields`, `provides`, `retry_after`, …); `next` is the next step, if there is one. An application
    may well give an exception as the message; its text is what counts.
    """

    code: RefusalCode
    message: str
    next: str | None
    facts: Mapping[str, Fact]

    def __init__(self, code: RefusalCode, message: str, *, next: str | None = None, **facts: Fact) -> None:  # noqa: A002  # the specification's word
        if code not in REFUSAL_CODES:
            raise DefinitionError("Refusal", "code", f"{code!r} is not a refusal code.", mend=f"use one of {', '.join(REFUSAL_CODES)}.")
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = str(message)
        self.next = None if next is None else str(next)
        self.facts = MappingProxyType(facts)


class BackendError(HandgriffError):
    """The operator must act: something Handgriff stands on failed. Always raised `from` its cause."""

    backend: str
    operation: str

    def __init__(self, backend: str, operation: str, *, hint: str = "") -> None:
        super().__init__(f"{backend!r} failed at {operation}." + (f" {hint}" if hint else ""))
        self.backend = backend
        self.operation = operation
