"""What a value of state must be: JSON, bounded, and no secret. The bounds are the same on every store (specification 5.1)."""

from dataclasses import dataclass, fields
from typing import Any

from handgriff.core import jsontext
from handgriff.core.bound import check_bound
from handgriff.core.jsontext import Json, JsonError
from handgriff.core.secret import secret_in
from handgriff.errors import DefinitionError


@dataclass(frozen=True, slots=True, kw_only=True)
class StateLimits:
    """The bounds of state, in bytes of JSON text. A scope counts its keys too."""

    value_bytes: int = 64 * 1024
    """Largest value."""
    keys: int = 1000
    """Keys of one scope, and of one scratch record."""
    scope_bytes: int = 1024 * 1024
    """All of one scope."""
    delta_bytes: int = 256 * 1024
    """What one call may write."""
    scratch_bytes: int = 64 * 1024
    """One scratch record."""

    def __post_init__(self) -> None:
        for item in fields(self):
            check_bound("StateLimits", item.name, getattr(self, item.name), is_whole=True)


LIMITS = StateLimits()


@dataclass(frozen=True, slots=True)
class Totals:
    """How much one scope holds: its keys, and the bytes of keys and values."""

    keys: int = 0
    bytes: int = 0

    def exceeds(self, keys: int, size: int, before: "Totals") -> bool:
        """Whether it is past a bound and has grown towards it: what was too much already may still shrink."""
        return (self.keys > keys and self.keys > before.keys) or (self.bytes > size and self.bytes > before.bytes)


def check_value(subject: str, key: str, value: Any, limits: StateLimits = LIMITS, *, is_stored: bool = True) -> str:
    """*value* as the JSON text that is kept. Nothing shaped like a credential may be stored (specification 5.1).

    Raises:
        DefinitionError: it is not JSON, is larger than `limits.value_bytes`, or looks like a secret.
    """
    try:
        text = jsontext.dumps(value)
    except JsonError as error:
        raise DefinitionError(
            subject, repr(key), f"{error}.", mend="store JSON values: null, booleans, numbers, text, lists, objects."
        ) from error
    if len(text.encode()) > limits.value_bytes:
        raise DefinitionError(
            subject,
            repr(key),
            f"the value has more than {limits.value_bytes} bytes.",
            mend="keep large data in your database and its id here.",
        )
    if "\\u0000" in text and _names_nul(jsontext.loads(text)):
        raise DefinitionError(subject, repr(key), "an object has a member whose name holds NUL.", mend="name members in plain text.")
    if is_stored and (kind := secret_in(text)) is not None:
        raise DefinitionError(
            subject,
            repr(key),
            f"the value looks like {kind}, and state is read, shown and exported.",
            mend="keep credentials in your secret store; for one turn use 'temp:name'.",
        )
    return text


def _names_nul(value: Json) -> bool:
    match value:
        case dict():
            return any("\x00" in name or _names_nul(item) for name, item in value.items())
        case list():
            return any(map(_names_nul, value))
        case _:
            return False
