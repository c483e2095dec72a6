"""Records as rows: the fields of a frozen dataclass are the columns of its table, in field order.

Times are whole microseconds since 1970 in UTC, which is exact; tuples and records are JSON text. Below are the core's records and codec.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar, get_args, get_origin, get_type_hints

from handgriff.core import jsontext
from handgriff.core.codec import pack, unpack
from handgriff.core.rows import Lease, Pinned, Session

R = TypeVar("R")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY: Final = 86_400_000_000
_Way = tuple[Callable[[Any], Any], Callable[[Any], Any]]


def micros(at: datetime) -> int:
    """*at* as it is stored."""
    return (at - _EPOCH) // _MICROSECOND


def moment(stored: int) -> datetime:
    """What `micros` stored."""
    return _EPOCH + timedelta(microseconds=stored)


def day(stored: int) -> int:
    """The day of a stored time: coarse, so that an index on it changes seldom."""
    return stored // _DAY


class Columns(Generic[R]):
    """How the records of one kind become rows, and rows records."""

    names: tuple[str, ...]

    def __init__(self, kind: type[R]) -> None:
        hints = get_type_hints(kind)
        self.names = tuple(field.name for field in fields(kind))  # type: ignore[arg-type]  # a dataclass; typing has no public bound for one
        self._kind = kind
        self._values: Callable[[R], tuple[Any, ...]] = attrgetter(*self.names)
        ways = {name: _way(hints[name]) for name in self.names}
        # Most columns hold what the field holds; only the others are worth a call.
        self._ways = [(name, place, *way) for place, name in enumerate(self.names) if (way := ways[name]) is not None]

    def row(self, record: R) -> dict[str, Any]:
        """The parameters of *record*, by column."""
        row = dict(zip(self.names, self._values(record), strict=True))
        for name, _, write, _ in self._ways:
            row[name] = write(row[name])
        return row

    def record(self, row: Sequence[Any]) -> R:
        """The record of a row selected in field order."""
        values = list(row)
        for _, place, _, read in self._ways:
            values[place] = read(values[place])
        return self._kind(*values)


def session_row(session: Session) -> dict[str, Any]:
    """The parameters of *session*, its lease spread over columns."""
    lease = session.lease
    return {
        "tenant": session.tenant,
        "user": session.user,
        "id": session.id,
        "created_at": micros(session.created_at),
        "head": session.head,
        "active_at": None if session.active_at is None else micros(session.active_at),
        "active_day": day(micros(session.active_at or session.created_at)),
        "title": session.title,
        "alias": session.alias,
        "lease_epoch": lease.epoch,
        "lease_turn": lease.turn,
        "lease_holder": lease.holder,
        "lease_until": None if lease.until is None else micros(lease.until),
        "lease_stop": lease.stop,
        "pinned": None if session.pinned is None else pinned_text(session.pinned),
    }


def session_record(row: Sequence[Any]) -> Session:
    """The session of a row selected in the order of `session_row`."""
    tenant, user, id_, created_at, head, active_at, _, title, alias, epoch, turn, holder, until, stop, pinned = row
    lease = Lease(epoch, turn, holder, None if until is None else moment(until), bool(stop))
    kept = None if pinned is None else unpack(Pinned, jsontext.loads(pinned))
    active = None if active_at is None else moment(active_at)
    return Session(tenant, user, id_, moment(created_at), head, title, alias, kept, lease, active)


def pinned_text(pinned: Pinned) -> str:
    """What a session keeps, as one text that is equal where the values are."""
    return jsontext.admit(pack(pinned))


def _way(hint: type[object]) -> _Way | None:
    if datetime in (hint, *get_args(hint)):
        return _where_present(micros), _where_present(moment)
    if hint is bool:
        return int, bool
    if get_origin(hint) is tuple:
        return _text, lambda text: unpack(hint, jsontext.loads(text))
    if any(map(is_dataclass, get_args(hint))):
        return _where_present(_text), _where_present(lambda text: unpack(hint, jsontext.loads(text)))
    return None


def _text(value: object) -> str:
    return jsontext.admit(pack(value))


def _where_present(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else convert(value)
