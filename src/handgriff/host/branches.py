"""Sessions copied and cut back: what has to be written, computed from the events that stay."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from handgriff.core.batch import AppendEvent, Batch, CheckNothingRuns, ForkSession, HoldLease, ReleaseLease, RewindSession
from handgriff.core.delta import replayed
from handgriff.core.events import AssistantMessage, CallOutcome, Event, OperatorChange, Written
from handgriff.core.rows import Effect, Session, Workflow
from handgriff.core.transcript import open_calls
from handgriff.core.workflow import begun, last_moves
from handgriff.errors import Refusal
from handgriff.runtime.engine import LEASE_SECONDS, Engine
from handgriff.runtime.recover import answered


@dataclass(frozen=True, slots=True)
class Rewound:
    """A session cut back. What happened in the world after that point has still happened: `effects` lists it.

    The session's own state is as it was then. `app:` and `user:` keys and scratch records stay as they are.
    """

    session: Session
    effects: tuple[Effect, ...]


async def up_to(engine: Engine, session: Session, seq: object) -> Sequence[Event]:
    """The events up to *seq*.

    Raises:
        Refusal: `invalid`; there is no such event.
    """
    is_seq = isinstance(seq, int) and not isinstance(seq, bool) and seq >= 1
    events = await engine.store.events(session.tenant, session.id) if is_seq else ()
    kept = [event for event in events if event.seq <= seq]  # type: ignore[operator]  # without a whole number there are none
    if not kept or kept[-1].seq != seq:
        raise Refusal(
            "invalid", f"There is no event {seq!r} in this session.", next="Use the seq of one of its events, as an export lists them."
        )
    return kept


async def happened_after(engine: Engine, session: Session, effects: Sequence[Effect], *, after: int) -> tuple[Effect, ...]:
    """Those of *effects* that happened in the world, or may have, behind the event *after*. What a read kept is state, and cut with it."""
    removed = await engine.store.events(session.tenant, session.id, after=after)
    calls = {event.body.call for event in removed if isinstance(event.body, CallOutcome)}
    reads = {contract.name for contract in engine.assistant.contracts.values() if contract.effect == "read"}
    return tuple(
        effect for effect in effects if effect.call in calls and effect.tool not in reads and effect.state in ("done", "indeterminate")
    )


def workflows_at(engine: Engine, kept: Sequence[Event], session: Session) -> tuple[Workflow, ...]:
    """The own instances of *session*, as *kept* leaves them. One that has not moved by then is where it begins, and has no row."""
    return tuple(
        Workflow(session.tenant, machine, session.id, session.user, session.id, moved.hash or "", moved.snapshot, session.created_at)
        for machine, moved in last_moves(kept, engine.workflows.present_id).items()
        if moved.snapshot is not None
    )


def rewound_workflows(engine: Engine, session: Session, kept: Sequence[Event], own: Sequence[Workflow]) -> tuple[Workflow, ...]:
    """What becomes of *own*, the stored instances of *session*, where it ends with *kept*.

    One that had not moved by then begins anew under its row: its version goes on counting, so that what a call has seen before is not taken
    for what comes after.
    """
    moved = {row.machine: row for row in workflows_at(engine, kept, session)}
    rewound: list[Workflow] = []
    for row in own:
        machine, name = engine.workflows.known(row.machine), engine.workflows.present_id(row.machine)
        if name in moved:
            rewound.append(replace(moved.pop(name), machine=row.machine))
        elif machine is not None:
            begins = begun(machine, tenant=session.tenant, handle=session.id, user=session.user, session=session.id, at=kept[0].at)
            rewound.append(replace(begins, machine=row.machine))
    return (*rewound, *moved.values())


async def copy_of(
    engine: Engine, old: Session, kept: Sequence[Event], *, by: str, alias: str | None, title: str | None
) -> tuple[Session, Batch]:
    """A new session that begins as *kept*, and what has to be written for it.

    Effects stay with the old one, so calls that were open at that point are answered now, by what is known of them.
    """
    new = Session(
        old.tenant, old.user, engine.ids.new("session"), engine.clock.now(), title=title or old.title, alias=alias, pinned=old.pinned
    )
    effects = {effect.call: effect for effect in await engine.store.effects(old.tenant, session=old.id)}
    answers = [answered(engine, new, None, call, effects.get(call.id)) for call in open_calls(kept)]
    said = engine.written(None, OperatorChange(f"forked from {old.id} at {kept[-1].seq}", by))
    workflows, values = engine.workflows.stored(workflows_at(engine, kept, new)), replayed([event.delta for event in kept])
    copied = ForkSession(old.id, new, kept[-1].seq, tuple(values.items()), workflows)
    return new, (copied, *answers, AppendEvent(new.tenant, new.id, said))


async def cut_back(
    engine: Engine, session: Session, kept: Sequence[Event], workflows: tuple[Workflow, ...], *, by: str
) -> tuple[Written, Batch]:
    """What has to be written to end *session* with *kept*, its instances in the store with *workflows*, and the event in it that says so.
    Nobody may write to it meanwhile, and nothing of it may be running."""
    now, turn, lease, to = engine.clock.now(), engine.ids.new("turn"), session.lease, kept[-1].seq
    asked = {call.id for event in kept if isinstance(event.body, AssistantMessage) for call in event.body.calls}
    proposals = await engine.store.proposals(session.tenant, session=session.id)
    gone = tuple(proposal.id for proposal in proposals if proposal.turn is not None and proposal.call not in asked)
    values = tuple(replayed([event.delta for event in kept]).items())
    said = engine.written(None, OperatorChange(f"rewound to {to}", by))
    until = now + timedelta(seconds=LEASE_SECONDS)
    return said, (
        CheckNothingRuns(session.tenant, now, session.id),
        HoldLease(session.tenant, session.id, turn, engine.holder, lease.epoch, now, until),
        RewindSession(session.tenant, session.id, session.head, to, values, gone, workflows),
        AppendEvent(session.tenant, session.id, said),
        ReleaseLease(session.tenant, session.id, turn, lease.epoch + 1),
    )
