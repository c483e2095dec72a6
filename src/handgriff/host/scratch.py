"""`host.scratch`: scratch records, for the operator and for whoever debugs."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import anyio.to_thread

from handgriff.core.batch import AppendEvent, StateChange
from handgriff.core.caller import is_id
from handgriff.core.delta import Clear
from handgriff.core.events import OperatorChange
from handgriff.core.rows import Record
from handgriff.core.scope import parse_namespace
from handgriff.errors import Refusal
from handgriff.host.adapters import write_files
from handgriff.host.sessions import Opened
from handgriff.host.state import check_by, find_session
from handgriff.ports.store import CommitRefused


class HostScratch:
    """List, show and clear scratch records. For operators: nothing here asks whose session it is."""

    def __init__(self, host: Opened) -> None:
        self._host = host

    async def list(self, tenant: str, *, session: str | None = None) -> Sequence[Record]:
        """The living records of *tenant*, or of one session."""
        engine = await self._host.engine()
        if not is_id(tenant) or (session is not None and not is_id(session)):
            return ()
        return await engine.notebooks.records(tenant, session=session)

    async def get(self, tenant: str, session: str, namespace: str) -> Record:
        """One record.

        Raises:
            Refusal: `not_found`; there is none, or it is expired.
            DefinitionError: *namespace* can be none.
        """
        engine = await self._host.engine()
        name = parse_namespace(namespace)
        found = await engine.notebooks.record(tenant, session, name) if is_id(tenant) and is_id(session) else None
        if found is None:
            raise Refusal("not_found", "There is no such scratch record.")
        return found

    async def clear(self, tenant: str, session: str, namespace: str, *, by: str) -> None:
        """Remove one record; the session's event says who did.

        Raises:
            Refusal: `not_found`.
        """
        engine = await self._host.engine()
        record = await self.get(tenant, session, namespace)
        found = await find_session(engine, tenant, session)
        check_by(by)
        here, follows = engine.notebooks.split((Clear(record.namespace),))
        said = engine.written(None, OperatorChange(f"scratch {record.namespace} cleared", by))
        change = StateChange(found.user, here, engine.assistant.limits.state) if here else None
        await engine.notebooks.write(tenant, found.id, follows)
        try:
            await engine.store.commit((AppendEvent(tenant, found.id, said, change),), durable=True)
        except CommitRefused:
            raise Refusal("not_found", "There is no such session.") from None

    async def pull(self, tenant: str, folder: Path) -> Sequence[Path]:
        """Write the living records of *tenant* below *folder* as the files of the file store, and say where. What stands there is replaced.

        Raises:
            BackendError: one can't be written.
        """
        records = await self.list(tenant)
        return await anyio.to_thread.run_sync(partial(write_files, folder, records))
