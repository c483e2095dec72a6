"""What each of two processes does on one store.

python -m handgriff.testing.races.worker

reads its work as JSON from its input, because the store's name may hold a password, and writes what was acknowledged.
"""

import json
import sys
from dataclasses import asdict, dataclass
from typing import Final

import anyio

from handgriff.core.caller import Caller
from handgriff.host.host import Host
from handgriff.testing.races.hosts import host_on

TIMES: Final = 40


@dataclass(frozen=True, slots=True)
class Work:
    """What one process has to do."""

    store: str
    tenant: str
    user: str
    session: str
    name: str


@dataclass(frozen=True, slots=True)
class Done:
    """What was acknowledged: increments, and names."""

    counted: int
    names: list[str]


async def work_on(host: Host, work: Work) -> Done:
    """Do *work* with *host*."""
    caller, counted, names = Caller(work.tenant, work.user), 0, []
    for n in range(TIMES):
        counted += (await host.call(caller, "count", {}, session=work.session)).is_ok
        name = f"{work.name}-{n}"
        if (await host.call(caller, "share", {"name": name}, session=work.session)).is_ok:
            names.append(name)
    return Done(counted, names)


async def _main(given: str) -> None:
    work = Work(**json.loads(given))
    async with host_on(work.store) as host:
        sys.stdout.write(json.dumps(asdict(await work_on(host, work))))


if __name__ == "__main__":
    anyio.run(_main, sys.stdin.read())
