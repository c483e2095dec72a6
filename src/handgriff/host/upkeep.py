"""What an operator does with what has grown old, or must go: collect garbage, and erase."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from handgriff.core.batch import DeleteSession, Erase
from handgriff.core.caller import is_id
from handgriff.errors import BackendError, DefinitionError, Refusal
from handgriff.host.sessions import EFFECTS_KEPT
from handgriff.ports.store import CommitRefused
from handgriff.runtime.engine import Engine

STEP = 100
LONGEST = timedelta(days=36_525)


@dataclass(frozen=True, slots=True)
class Collected:
    """What was removed."""

    records: int
    """Expired scratch records."""
    sessions: int
    """Idle sessions, with everything of theirs but their ledger rows."""


@dataclass(frozen=True, slots=True)
class Erased:
    """Who was erased, and the pseudonym under which their ledger rows stay."""

    tenant: str
    user: str | None
    pseudonym: str
    sessions: int


async def collect(engine: Engine, *, tenant: str | None, idle: timedelta | None) -> Collected:
    """Remove expired scratch records, and with *idle* the sessions without an event for that long.

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
    records = sessions = 0
    failed: BackendError | None = None
    for each in await engine.store.tenants() if tenant is None else (tenant,):
        try:
            records += await engine.notebooks.sweep(each)
        except BackendError as error:
            # A damaged record of one tenant stops nobody else's collection; it is told at the end.
            failed = error
        if idle is not None:
            sessions += await _delete_idle(engine, each, engine.clock.now() - idle)
    if failed is not None:
        raise failed
    return Collected(records, sessions)


async def erase(engine: Engine, tenant: str, user: str | None) -> Erased:
    """Remove everything of a tenant, or of one of its users; ledger rows stay under a pseudonym.

    Raises:
        Refusal: `invalid`; nobody can have that name.
    """
    for name, value in {"tenant": tenant, "user": user}.items():
        if not (is_id(value) or (name == "user" and value is None)):
            raise Refusal("invalid", f"{name}: expected text of 1 to 256 bytes.", fields={name: "expected text of 1 to 256 bytes"})
    pseudonym = engine.ids.new("pseudonym")
    sessions = await _sessions_of(engine, tenant, user)
    # What lives beside the store first: if that fails, the store still says what has to be erased.
    if user is None:
        await engine.notebooks.forget(tenant)
    for session in sessions if user is not None else ():
        await engine.notebooks.forget(tenant, session)
    await engine.store.commit((Erase(tenant, user, pseudonym),), durable=True)
    return Erased(tenant, user, pseudonym, len(sessions))


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
    found, now = await engine.store.session(tenant, session), engine.clock.now()
    if found is None or found.lease.is_held(now) or await engine.store.effects(tenant, session=session, state="running"):
        return False
    try:
        # Asked once more in the commit itself: a message may have come meanwhile.
        await engine.store.commit((DeleteSession(tenant, session, now - EFFECTS_KEPT, before),), durable=True)
    except CommitRefused:
        return False
    await engine.notebooks.forget(tenant, session)
    return True


async def _sessions_of(engine: Engine, tenant: str, user: str | None) -> list[str]:
    if user is None:
        return list(await engine.store.idle(tenant, datetime.max.replace(tzinfo=engine.clock.now().tzinfo), limit=2**31))
    found: list[str] = []
    while page := await engine.store.sessions(tenant, user, before=found[-1] if found else None, limit=STEP):
        found += [session.id for session in page]
    return found
