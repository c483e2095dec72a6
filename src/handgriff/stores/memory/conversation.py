"""What a conversation leaves behind, written: events with their deltas, scratch, and what was seen."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias, assert_never

from handgriff.core.batch import AppendEvent, IntroduceSeen, IntroduceTyped, RenewScratch, StateChange, SweepScratch
from handgriff.core.cells import BoundReached, Cell, Part, computed, first_version, parts
from handgriff.core.delta import ChangeRefused, decode_delta, encode_delta
from handgriff.core.events import Event, decode, encode
from handgriff.core.rows import Session
from handgriff.core.scope import scope_id
from handgriff.core.state import Totals
from handgriff.ports.store import CommitRefused
from handgriff.stores.memory.sessions import known_session
from handgriff.stores.memory.tables import Deadline, Place, Tables

SeenOperation: TypeAlias = IntroduceSeen | IntroduceTyped


def append_event(tables: Tables, operation: AppendEvent) -> int:
    """Append the event with its delta, unless it is stored already, and return its seq.

    Raises:
        CommitRefused: its session is unknown, it is stored with another body or delta, or its delta does not apply.
    """
    tenant, session, event, change = operation.tenant, operation.session, operation.event, operation.change
    owner = known_session(tables, tenant, session)
    kind, text = encode(event.body)
    delta = encode_delta(change.delta) if change else None
    seq, *stored = tables.bodies.get((tenant, session, event.id), (owner.head + 1, kind, text, delta))
    if stored != [kind, text, delta]:
        raise CommitRefused("event", event.id)
    if tables.add(tables.bodies, (tenant, session, event.id), (seq, kind, text, delta)):
        active = max(event.at, owner.active_at or owner.created_at)
        tables.put(tables.sessions, (tenant, session), replace(owner, head=seq, active_at=active))
        # What a reader gets went through the encoding, as in a file.
        body = Event(seq, event.id, event.turn, event.at, decode(kind, text), decode_delta(delta))
        tables.put(tables.events, (tenant, session, seq), body)
        if change is not None:
            _apply(tables, owner, change)
    return seq


def write_seen(tables: Tables, operation: SeenOperation) -> None:
    """Write *operation*, as seen by the last event.

    Raises:
        CommitRefused: its session is unknown.
    """
    tenant, session = operation.tenant, operation.session
    seq = known_session(tables, tenant, session).head
    match operation:
        case IntroduceSeen(values=values):
            for kind, value in values:
                tables.add(tables.introduced, (tenant, session, kind, value), seq)
        case IntroduceTyped(text=text):
            tables.put(tables.typed, (tenant, session), (*tables.typed.get((tenant, session), ()), (seq, text)))
        case _:
            assert_never(operation)


def renew_scratch(tables: Tables, operation: RenewScratch) -> None:
    """Prolong a record that lives."""
    place = Place(operation.tenant, "scratch", operation.session, operation.namespace)
    held = tables.deadlines.get(place)
    if held is not None and operation.now < held.at:
        tables.put(tables.deadlines, place, replace(held, at=max(held.at, operation.until)))


def sweep_scratch(tables: Tables, operation: SweepScratch) -> int:
    """Remove what is expired, longest over first, and say how many records that were."""
    mine = ((deadline.at, place) for place, deadline in tables.deadlines.items() if place.tenant == operation.tenant)
    expired = sorted(pair for pair in mine if pair[0] <= operation.now)[: operation.limit]
    for _, place in expired:
        drop_place(tables, place)
    return len(expired)


def drop_place(tables: Tables, place: Place) -> None:
    """Remove a place with everything in it."""
    tables.drop(tables.state, lambda key, _: key == place)
    tables.drop(tables.deadlines, lambda key, _: key == place)


def replace_session_values(tables: Tables, tenant: str, session: str, values: Mapping[str, str]) -> None:
    """Make *values* the state of a session. What is the same already keeps its version; what goes keeps counting."""
    place = Place(tenant, "session", session)
    cells = tables.state.get(place, {})
    after = {key: _replaced(cells.get(key), values.get(key)) for key in {**cells, **values}}
    tables.put(tables.state, place, after)


def _replaced(cell: Cell | None, text: str | None) -> Cell:
    held = cell or Cell(None, 0)
    return held if held.text == text else Cell(text, held.version + 1)


def _apply(tables: Tables, owner: Session, change: StateChange) -> None:
    try:
        for part in parts(change.delta):
            _apply_part(tables, Place(owner.tenant, part.scope, scope_id(part.scope, change.user, owner.id), part.namespace), part, change)
    except ChangeRefused as refused:
        raise CommitRefused("state", refused.key) from refused
    except BoundReached as reached:
        raise CommitRefused("limit", reached.subject) from reached


def _apply_part(tables: Tables, place: Place, part: Part, change: StateChange) -> None:
    held = tables.deadlines.get(place)
    if held is not None and part.renew is not None and held.at <= part.renew.at:
        drop_place(tables, place)
        held = None
    cells = tables.state.get(place, {})
    began = held.first_version if held and not part.clears else _first_version(part)
    result = computed(part, cells, totals(cells), change.limits, first_version=began)
    if part.clears:
        drop_place(tables, place)
        held, cells = None, {}
    if part.renew is not None and not part.removes:
        until = part.renew.until
        tables.put(tables.deadlines, place, Deadline(max(held.at, until) if held else until, began))
    if result.cells:
        tables.put(tables.state, place, {**cells, **result.cells})


def _first_version(part: Part) -> int:
    return first_version(part.renew.at) if part.renew is not None else 0


def totals(cells: Mapping[str, Cell]) -> Totals:
    """What *cells* hold together."""
    present = {key: cell.text for key, cell in cells.items() if cell.text is not None}
    return Totals(len(present), sum(len(key.encode()) + len(text.encode()) for key, text in present.items()))
