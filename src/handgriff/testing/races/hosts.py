"""A host of the races that asks no model. It loads no provider's library, because a second process begins with it."""

from typing import Any, Final

from handgriff.core.caller import Caller
from handgriff.host.host import Host
from handgriff.models.scripted.model import ScriptedModel
from handgriff.ports.clock import Clock
from handgriff.ports.store import Store
from handgriff.testing.races.tools import racing_assistant

USER: Final = "ada"


async def anybody(tenant: str, user: str) -> Caller:
    """Callers: whoever asks."""
    return Caller(tenant, user)


def host_on(store: str | Store, clock: Clock | None = None) -> Host:
    """A host that calls tools and asks no model."""
    model: Any = ScriptedModel()
    return Host(racing_assistant(), store=store, callers=anybody, model="scripted:none", models=[model], clock=clock)
