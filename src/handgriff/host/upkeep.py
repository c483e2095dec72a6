"""What an operator does with what has grown old, or must go: collect garbage, and erase."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from handgriff.core.batch import CheckNothingRuns, DeleteSession, Erase, SweepEffects, SweepWorkflows
from handgriff.core.caller import is_id
from handgriff.core.machine.keeping import LONGEST
from handgriff.core.rows import Effect
from handgriff.errors import BackendError, DefinitionError, Refusal
from handgriff.host.sessions import EFFECTS_KEPT
from handgriff.ports.store import CommitRefused
from handgriff.runtime.boundary.owed import pay
from handgriff.runtime.engine import Engine

STEP = 100


@dataclass(frozen=True, slots=True)
class Collected:
    """What was removed."""

    records: int
    """Expired scratch records."""
    sessions: int
    """Idle sessions, with everything of theirs but their ledger rows."""
    effects: int = 0
    """Effect records that had outlived their session, and whose keys need not protect any longer."""
    workflows: int = 0
    """Instances with a handle whose time was over."""


@dataclass(frozen=True, slots=True)
class Erased:
    """Who was erased, and the pseudonym under which their ledger rows stay."""

    tenant: str
    user: str | None
    pseudonym: str
    sessions: int


async def collect(engine: Engine, *, tenant: str | None, idle: timedelta | None) -> Collected:
    """Remove expired scratch records and workflows, old effect records without a session, and with *idle* the sessions without an event
    for that long.

    Raises:
        Refusal: `invalid`; *idle* is no time.
    """
    if idle is not None and not isinstance(idle, timedelta):
        raise DefinitionError("Host.collect", "idle", f"it is {type(idle).__name__}.", mend="give a timedelta.")
    if idle is not None and not timedelta(0) < idle <= LONGEST:
        raise Refusal(
            "invalid", "idle: expected a time from more than zero to a hundred years.", fields={"idle": "expected a time greater than zero"}
        )
    if tenant is not None and not is_id(tenant):
        return Collected(0, 0)
    records = sessions = effects = workflows = 0
    failed: BackendError | DefinitionError | None = None
    for each in await engine.store.tenants() if tenant is None else (tenant,):
        try:
            records += await engine.notebooks.sweep(each)
        except BackendError as error:
            # A damaged record of one tenant stops nobody else's collection; it is told at the end.
            failed = error
        if idle is not None:
            sessions += await _delete_idle(engine, each, engine.clock.now() - idle)
        try:
            await pay(engine.boundary.effects, each)
        except (BackendError, DefinitionError) as error:
            # What is owed stays, and everything else can go.
            failed = error
        effects += await _sweep_effects(engine, each)
        workflows += await _sweep_workflows(engine, each)
    if failed is not None:
        raise failed
    return Collected(records, sessions, effects, workflows)


async def erase(engine: Engine, tenant: str, user: str | None) -> Erased:
    """Remove everything of a tenant, or of one of its users; ledger rows stay under a pseudonym.

    Raises:
        Refusal: `invalid`; nobody can have that name. `conflict`; a write of theirs is being carried out, of which no trace would be left,
            or nobody knows what became of one that holds a workflow of others.
        BackendError: what lives beside the store can't be reached.
    """
    for name, value in {"tenant": tenant, "user": user}.items():
        if not (is_id(value) or (name == "user" and value is None)):
            raise Refusal("invalid", f"{name}: expected text of 1 to 256 bytes.", fields={name: "expected text of 1 to 256 bytes"})
    pseudonym, now = engine.ids.new("pseudonym"), engine.clock.now()
    # Before anything is lost; what begins meanwhile is found by the commit.
    await _refuse_open(engine, tenant, user)
    await pay(engine.boundary.effects, tenant, user=user)
    sessions = await _sessions_of(engine, tenant, user)
    # What lives beside the store first: if that fails, the store still says what has to be erased.
    if user is None:
        await engine.notebooks.forget(tenant)
    for session in sessions if user is not None else ():
        await engine.notebooks.forget(tenant, session)
    try:
        await engine.store.commit((CheckNothingRuns(tenant, now, user=user), Erase(tenant, user, pseudonym)), durable=True)
    except CommitRefused:
        await _refuse_open(engine, tenant, user)
        raise _writing(tenant, user) from None
    # Behind it: an erase that is refused must not have set a workflow back.
    for session in sessions:
        await engine.workflows.restore(tenant, session, ())
    return Erased(tenant, user, pseudonym, len(sessions))


async def _refuse_open(engine: Engine, tenant: str, user: str | None) -> None:
    """Whether a write of theirs is open whose record must stay.

    Raises:
        Refusal: `conflict`.
    """
    theirs = [effect for effect in await engine.store.unsettled(tenant) if user in (None, effect.user)]
    if any(map(engine.boundary.effects.is_running, theirs)):
        raise _writing(tenant, user)
    if user is None:
        return
    for effect in theirs:
        if effect.outlives:
            raise _uncertain(effect)


def _writing(tenant: str, user: str | None) -> Refusal:
    whose = tenant if user is None else f"{tenant}/{user}"
    return Refusal(
        "conflict",
        f"A write of {whose} is being carried out, so they are not erased yet.",
        next="Erase them again when it has ended.",
        retry_after=1,
    )


def _uncertain(effect: Effect) -> Refusal:
    # Without the record the instance would be free, and the step taken twice.
    moved = "a workflow" if effect.fires is None else f"the {effect.fires.machine}"
    return Refusal(
        "conflict",
        f"Nobody knows what became of {effect.tool} {effect.key} of {effect.tenant}/{effect.user}. It holds {moved}, which stays, "
        "so they are not erased yet.",
        next=f"Say what became of it (handgriff effects resolve TARGET {effect.tool} {effect.key} done|failed), then erase them again.",
    )


async def _sweep_effects(engine: Engine, tenant: str) -> int:
    swept, before = 0, engine.clock.now() - EFFECTS_KEPT
    while found := (await engine.store.commit((SweepEffects(tenant, before, STEP),))).swept:
        swept += found
    return swept


async def _sweep_workflows(engine: Engine, tenant: str) -> int:
    swept, now = 0, engine.clock.now()
    while found := (await engine.store.commit((SweepWorkflows(tenant, now, STEP),))).swept:
        swept += found
    return swept


async def _delete_idle(engine: Engine, tenant: str, before: datetime) -> int:
    deleted, busy = 0, set[str]()
    while True:
        found = [each for each in await engine.store.idle(tenant, before, limit=STEP + len(busy)) if each not in busy]
        if not found:
            return deleted
        for session in found:
            if await _was_deleted(engine, tenant, session, before):
                deleted += 1
            else:
                busy.add(session)


async def _was_deleted(engine: Engine, tenant: str, session: str, before: datetime) -> bool:
    try:
        await pay(engine.boundary.effects, tenant, session=session)
    except (BackendError, DefinitionError) as error:
        engine.log.warning("session %s is not deleted: its workflows can't be reached", session, exc_info=error)
        return False
    found, now = await engine.store.session(tenant, session), engine.clock.now()
    if found is None or found.lease.is_held(now) or await engine.store.effects(tenant, session=session, state="running"):
        return False
    try:
        # Asked once more in the commit itself: a message may have come meanwhile, or a write begun.
        delete = DeleteSession(tenant, session, now - EFFECTS_KEPT, before)
        await engine.store.commit((CheckNothingRuns(tenant, now, session), delete), durable=True)
    except CommitRefused:
        return False
    await engine.notebooks.forget(tenant, session)
    await engine.workflows.restore(tenant, session, ())
    return True


async def _sessions_of(engine: Engine, tenant: str, user: str | None) -> list[str]:
    if user is None:
        return list(await engine.store.idle(tenant, datetime.max.replace(tzinfo=engine.clock.now().tzinfo), limit=2**31))
    found: list[str] = []
    while page := await engine.store.sessions(tenant, user, before=found[-1] if found else None, limit=STEP):
        found += [session.id for session in page]
    return found
