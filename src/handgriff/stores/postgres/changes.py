"""An event with its delta as words: its parts by place, the keys of each part by number. The core says what the parts are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handgriff.core.batch import AppendEvent, StateChange
from handgriff.core.cells import Part, first_version, parts
from handgriff.core.delta import KINDS, Add, Append, Change, ChangeRefused, Delete, Increment, Set, changed, encode_delta
from handgriff.core.events import encode
from handgriff.core.scope import scope_id
from handgriff.core.state import LIMITS
from handgriff.stores.postgres.columns import Word, moment
from handgriff.stores.postgres.texts import kept_all, kept_tenant

_NAMES = {kind: name for name, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Sets:
    """An event whose delta, if any, only sets values of the session's own scope, each key once and within its bound."""

    operation: AppendEvent
    kind: str
    body: str
    delta: str | None
    most_keys: int
    most_bytes: int
    values: Mapping[str, str]

    def words(self) -> Sequence[Word]:
        """It as an operation of a batch."""
        event, values = self.operation.event, self.values
        place = ("append sets", self.operation.tenant, self.operation.session, event.id, event.turn, event.at.isoformat())
        bounds = (str(self.most_keys), str(self.most_bytes), str(len(values)))
        return (*place, self.kind, self.body, self.delta, *bounds, *values, *values.values())

    def parameters(self) -> tuple[object, ...]:
        """It as a batch of its own: what `handgriff.append_sets` takes, but for the last.

        Raises:
            UnicodeEncodeError: it holds text that is no Unicode.
        """
        event = self.operation.event
        session, id_, turn, *words = kept_all((self.operation.session, event.id, event.turn, *self.values, *self.values.values()))
        count = len(self.values)
        place = (kept_tenant(self.operation.tenant), session, id_, turn, event.at)
        return (*place, self.kind, self.body, self.delta, self.most_keys, self.most_bytes, words[:count], words[count:])


def sets_of(operation: AppendEvent) -> Sets | None:
    """What *operation* is to the server's short way, which is open to nearly all; None where it is not."""
    change = operation.change
    delta = () if change is None else change.delta
    values = {each.key: each.value for each in delta if isinstance(each, Set) and each.scope == "session" and not each.namespace}
    limits = LIMITS if change is None else change.limits
    if len(values) < len(delta) or any(_is_longer(text, limits.value_bytes) for text in values.values()):
        return None
    return Sets(operation, *encode(operation.event.body), encode_delta(delta), limits.keys, limits.scope_bytes, values)


def append_words(operation: AppendEvent) -> Sequence[Word]:
    """The words of *operation*.

    Raises:
        ValueError: its delta writes a scratch record without a deadline.
    """
    sets, change = sets_of(operation), operation.change
    if sets is not None:
        return sets.words()
    if change is None:
        raise AssertionError("an event without a delta takes the short way")
    event = operation.event
    head = ("append parts", operation.tenant, operation.session, event.id, event.turn, event.at.isoformat())
    return (*head, *encode(event.body), encode_delta(change.delta), *_change_words(operation.session, change))


def _is_longer(text: str, most: int) -> bool:
    # A letter has at most four bytes, so most texts need not be encoded.
    return 4 * len(text) > most and len(text.encode()) > most


def _change_words(session: str, change: StateChange) -> Sequence[Word]:
    limits, found = change.limits, parts(change.delta)
    words: list[Word] = [str(limits.value_bytes), str(limits.keys), str(limits.scope_bytes), str(limits.scratch_bytes), str(len(found))]
    for part in found:
        words += _part_words(part, scope_id(part.scope, change.user, session))
    return words


def _part_words(part: Part, owner: str) -> list[Word]:
    way = _way(part)
    words: list[Word] = ["", part.scope, owner, part.namespace, way, *_renew_words(part), str(len(part.keys)), *part.keys]
    words += _plain_words(part.changes) if way == "plain" else _full_words(part)
    words[0] = str(len(words))
    return words


def _way(part: Part) -> str:
    if part.clears:
        return "remove" if part.removes else "clear"
    return "full" if part.guards or len(part.keys) < len(part.changes) else "plain"


def _plain_words(changes: Sequence[Change]) -> list[Word]:
    return [*(_NAMES[type(change)] for change in changes), *map(_value, changes), *map(_item, changes)]


def _full_words(part: Part) -> list[Word]:
    numbers = {key: str(number) for number, key in enumerate(part.keys, 1)}
    words: list[Word] = [str(len(part.guards))]
    for guard in part.guards:
        words += (numbers[guard.key], None if guard.version is None else str(guard.version))
    words.append(str(len(part.changes)))
    for change in part.changes:
        words += (_NAMES[type(change)], numbers[change.key], _value(change), _item(change))
    return words


def _renew_words(part: Part) -> Sequence[Word]:
    renew = part.renew
    return (None, None, "0") if renew is None else (moment(renew.at), moment(renew.until), str(first_version(renew.at)))


def _value(change: Change) -> Word:
    if isinstance(change, Delete):
        return None
    return str(change.by) if isinstance(change, Increment) else change.value


def _item(change: Change) -> Word:
    """The item a list gets, None where it can't be one: the core knows how deep a list may be."""
    if not isinstance(change, (Append, Add)):
        return None
    try:
        changed(Append(change.scope, change.key, change.value), None)
    except ChangeRefused:
        return None
    return change.value
