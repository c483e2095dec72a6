"""What the tools are given: the depot of the caller's company. Each company has a folder of its own below the application's."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from examples.relabeling.depot import Depot
from handgriff import Call, Caller

FOLDER: Final = "RELABELING_FOLDER"
"""The variable that names the application's folder where no host does."""
HERE: Final = "relabeling-depot"


def depots(folder: Path) -> Callable[[Caller], AbstractAsyncContextManager[Depot]]:
    """The factory a host asks for a depot."""

    @asynccontextmanager
    async def open_depot(caller: Caller) -> AsyncIterator[Depot]:
        yield depot_in(folder, caller.tenant)

    return open_depot


def depot_in(folder: Path, tenant: str) -> Depot:
    """The depot of *tenant* below *folder*."""
    return Depot(folder / f"depot-{quote(tenant, safe='')}")


def depot_of(call: Call[Depot | None]) -> Depot:
    """The depot a call is given. `handgriff chat … --dev` makes its host itself and gives none; then it is one below the working folder."""
    return call.deps or depot_in(Path(os.environ.get(FOLDER) or HERE), call.caller.tenant)
