"""Kept instances as values: what is stored of one when it begins, what a call makes of it, and how its state reads."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from handgriff.core import jsontext
from handgriff.core.events import CallOutcome, Event, Moved
from handgriff.core.jsontext import Json
from handgriff.core.machine.interpret import caught_up, start
from handgriff.core.machine.machine import Machine
from handgriff.core.machine.snapshot import Snapshot
from handgriff.core.outcome import Outcome, told
from handgriff.core.rows import Effect, Workflow
from handgriff.core.standing import Standing, state_words

PROCESS = "process"
"""Stands for tenant and handle of an instance that the whole process shares."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One kept instance as a call has found it: as it is stored, where it stands, caught up with the clock."""

    machine: Machine
    row: Workflow
    snapshot: Snapshot
    standing: Standing
    is_stored: bool = True
    """False where it has never moved, so that only its first claim stores it."""


@dataclass(frozen=True, slots=True)
class Moving:
    """What a success makes of an instance."""

    instance: Instance
    event: str
    text: str
    """The snapshot that follows, as it is stored."""
    standing: Standing
    """Where it stands then."""

    @property
    def moved(self) -> Moved:
        """What to say of it."""
        row, before, of = self.instance.row, self.instance.standing.words, self.instance.machine.hash
        snapshot = (self.text, of) if row.session is not None else (None, None)
        return Moved(self.instance.machine.id, row.handle, before, self.standing.words, *snapshot)


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a success begins."""

    machine: Machine
    handle: str
    text: str
    """Its first snapshot, as it is stored."""
    standing: Standing
    """Where it stands then."""

    @property
    def moved(self) -> Moved:
        """What to say of it."""
        return Moved(self.machine.id, self.handle, None, self.standing.words)


@dataclass(frozen=True, slots=True)
class Passage:
    """What the gate has let pass: the kept instances it has seen, and what a success moves or begins."""

    seen: tuple[Instance, ...] = ()
    moving: Moving | None = None
    beginning: Beginning | None = None
    beside: Mapping[Machine, Standing | None] = field(default_factory=dict)
    """Where other machines stand that decide, with the one that moves or begins, what is open then."""

    @property
    def machine(self) -> Machine | None:
        """Whose instance a success moves or begins."""
        if self.moving is not None:
            return self.moving.instance.machine
        return None if self.beginning is None else self.beginning.machine


NOTHING = Passage()


def begins(machine: Machine, at: datetime) -> Snapshot:
    """How an instance begins: what is due at once has happened.

    Raises:
        DefinitionError: a guard or an action is wrong, or it doesn't come to rest.
    """
    return caught_up(machine.definition, start(machine.definition, at).snapshot, at).snapshot


def begun(machine: Machine, *, tenant: str, handle: str, user: str | None, session: str | None, at: datetime) -> Workflow:
    """The row of an instance that begins.

    Raises:
        DefinitionError: as `begins`.
    """
    return Workflow(
        tenant=tenant,
        machine=machine.id,
        handle=handle,
        user=user,
        session=session,
        hash=machine.hash,
        snapshot=begins(machine, at).to_json(),
        created_at=at,
        expires_at=at + machine.expires if machine.has_handle else None,
    )


def started(machine: Machine, effect: Effect, now: datetime) -> Workflow | None:
    """The row that the success of *effect*, known at *now*, begins; None where it begins none. Its state is entered when it was claimed.

    Raises:
        DefinitionError: as `begins`, where *effect* doesn't carry how it begins: an earlier version has claimed it.
    """
    fires = effect.fires
    if fires is None or fires.event or fires.machine not in machine.ids:
        return None
    if fires.snapshot is None or fires.hash is None:
        snapshot, of = begins(machine, effect.claimed_at).to_json(), machine.hash
    else:
        snapshot, of = fires.snapshot, fires.hash
    return Workflow(
        tenant=effect.tenant,
        machine=machine.id,
        handle=fires.handle,
        user=None if machine.owner == "tenant" else effect.user,
        session=None,
        hash=of,
        snapshot=snapshot,
        created_at=effect.claimed_at,
        expires_at=now + machine.expires,
    )


def last_moves(events: Iterable[Event], present_id: Callable[[str], str]) -> dict[str, Moved]:
    """How a session's events leave the machines that they have moved, by the ids that these have at present."""
    told = (event.body.moved for event in events if isinstance(event.body, CallOutcome))
    return {present_id(moved.machine): moved for moved in told if moved is not None}


def moved_by_start(row: Workflow) -> Moved:
    """What to say of an instance that has begun."""
    return Moved(row.machine, row.handle, None, words_of(row.snapshot))


def moved_by(machine: Machine, row: Workflow) -> Moved | None:
    """What to say where the claim that holds *row*, an instance of *machine*, has succeeded."""
    if row.next is None:
        return None
    snapshot, of = (row.next, row.next_hash) if row.session is not None else (None, None)
    return Moved(machine.id, row.handle, words_of(row.snapshot), words_of(row.next), snapshot, of)


def told_moved(outcome: Outcome, machine: Machine, moved: Moved, is_open: tuple[str, ...] | None = None) -> Outcome:
    """*outcome* with what it has moved: for the faces, and for the model with the handle and, where it is known, what is open now."""
    fact = moved_fact(machine, moved)
    if is_open is not None:
        fact["open"] = list(is_open)
    lasting = {name: value for name, value in fact.items() if name not in ("state", "open")}
    plain = outcome.text if moved.before is not None else told(outcome, "workflow", lasting).text
    # A handle that a result shows is as good as a value of its data.
    seen = ((machine.handle, moved.handle),) if machine.has_handle else ()
    introduced = tuple(dict.fromkeys((*outcome.introduced, *seen)))
    return replace(told(outcome, "workflow", fact), moved=moved, plain=plain, introduced=introduced)


def moved_fact(machine: Machine | None, moved: Moved) -> dict[str, Json]:
    """What the model is told of *moved*: the state and, where its machine has handles, the handle."""
    fact: dict[str, Json] = {"machine": moved.machine, "state": moved.after}
    if machine is not None and machine.has_handle:
        fact[machine.handle] = moved.handle
    return fact


def words_of(snapshot: str) -> str:
    """The state of a stored snapshot, as people read it. Of text that is none it says so: the store is not to be believed blindly."""
    value = jsontext.loads(snapshot)
    return state_words(value.get("value")) if isinstance(value, dict) else "unknown"


def event_of(name: str, canonical: str) -> Mapping[str, Json]:
    """The event that a call sends, as guards and actions see it."""
    return {"type": name, "args": jsontext.loads(canonical)}
