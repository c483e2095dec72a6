"""How a constant list is steered: where the session's workflows stand, and what is open there, goes with the newest message where the model
was not told yet. What its own calls have moved it was told with their results, and of machines that none of its tools has to do with it is
told nothing."""

from collections.abc import Mapping, Sequence

from handgriff.core.caller import Caller
from handgriff.core.events import CallOutcome, Event, UserMessage
from handgriff.core.gating import is_open
from handgriff.core.rows import Session
from handgriff.core.standing import Standing
from handgriff.errors import BackendError
from handgriff.runtime.boundary.attempt import Place
from handgriff.runtime.boundary.resolve import rights_now
from handgriff.runtime.context import Changes
from handgriff.runtime.engine import Engine


async def steering(engine: Engine, caller: Caller, session: Session, events: Sequence[Event]) -> Changes:
    """What differs from what was last told in *events*; nothing where no machine can be told of without arguments."""
    if not any(not machine.has_handle for machine in engine.assistant.machines.values()):
        return Changes()
    gate = engine.boundary.gate
    try:
        today = await rights_now(engine.boundary.callers, caller)
        place = Place(session.tenant, session.user, session.id)
        known = await gate.positions.without_arguments(today, place, of=gate.lists.machines(today))
    except BackendError as error:
        # What can't be told is left out: the gate asks again at every call, and a conversation need not wait for it.
        engine.log.warning("session %s: its workflows could not be read: %s", session.id, error)
        return Changes()
    last = _last_told(events)
    news = {machine.id: standing for machine, standing in known.items() if standing is not None and last.get(machine.id) != standing.words}
    if not news:
        return Changes()
    offered = gate.lists.offered(today)
    told = tuple((name, standing.words) for name, standing in news.items())
    lines = [
        _line(standing, [each.name for each in offered if standing.machine in each.machines and is_open(each, known)])
        for standing in news.values()
    ]
    return Changes(told, "\n".join(lines))


def _line(standing: Standing, names: Sequence[str]) -> str:
    return f"The {standing.machine.id} is in {standing.words!r} now. Open there: {', '.join(names) or 'none of its tools'}."


def _last_told(events: Sequence[Event]) -> Mapping[str, str]:
    last: dict[str, str] = {}
    for event in events:
        match event.body:
            case UserMessage(steered=steered):
                last.update(steered)
            case CallOutcome(moved=moved, wire=wire) if moved is not None and wire:
                last[moved.machine] = moved.after
            case _:
                pass
    return last
