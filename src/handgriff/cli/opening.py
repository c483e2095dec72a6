"""From the command line to a host: the application's own, or with --dev one made here around its assistant.

Below are the host and its adapters; above, every command. It is the only place here that knows where rights come from: from the host's
callers, or with --dev from the options.
"""

import copy
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Final

from handgriff.cli.faults import WrongUse
from handgriff.cli.given import MODEL, STORE, Given
from handgriff.cli.inert import one_line
from handgriff.cli.target import find_target
from handgriff.codes.console import ConsoleCodeSender
from handgriff.core.caller import Caller
from handgriff.core.lane import Lane
from handgriff.errors import DefinitionError, HandgriffError
from handgriff.host.adapters import lanes_of, models_of
from handgriff.host.host import Host
from handgriff.ports.callers import Callers
from handgriff.ports.model import Model
from handgriff.runtime.assistant import Assistant

SCRIPTED: Final = "scripted:dev"
_MENDED_BY_SCRIPT: Final = frozenset({"api_key", "import"})
"""What may be missing of a provider so that the scripted model answers in its place: its key, its SDK."""


@dataclass(frozen=True, slots=True)
class Stage:
    """An open host, and who asks it."""

    host: Host
    caller: Caller


@asynccontextmanager
async def staged(given: Given) -> AsyncIterator[Stage]:
    """The host, and the caller that --as names.

    Raises:
        WrongUse: the options don't fit each other or TARGET.
        DefinitionError: the assistant or host is put together wrongly, or a key is missing.
        Refusal: `not_found`; the host knows no such caller.
    """
    async with hosted(given) as host:
        yield Stage(host, await load_caller(host, given))


@asynccontextmanager
async def hosted(given: Given, *, may_be_dev: bool = False) -> AsyncIterator[Host]:
    """The host alone. With *may_be_dev* TARGET may be a host although --dev is given."""
    tenant, user = given.principal() if given.dev or given.who else ("", "")
    if given.grants and not given.dev:
        raise WrongUse(f"{given.grants[0]} works only with --dev; a host has its own store and model, and rights from its callers.")
    target = find_target(given.target)
    async with AsyncExitStack() as stack:
        if isinstance(target, Host):
            check_host(given, may_be_dev=may_be_dev)
            yield await stack.enter_async_context(target)
            return
        if not given.dev:
            raise WrongUse(f"TARGET {given.target!r} is an assistant, which has no store and no callers. Add --dev, or name a Host.")
        me = dev_caller(given, tenant, user)
        assistant, models = _with_models(target, given.model)
        for model in models:
            stack.push_async_callback(model.close)
        host = Host(assistant, store=given.store or STORE, callers=_colleagues(me), models=models, codes=ConsoleCodeSender())
        yield await stack.enter_async_context(host)


async def load_caller(host: Host, given: Given) -> Caller:
    """The caller --as names, with today's rights, by the host's own callers.

    Raises:
        Refusal: `not_found`.
    """
    found = await host.caller(*given.principal())
    return found if given.locale is None else replace(found, locale=given.locale)


async def locale_of(host: Host, given: Given) -> str:
    """The language of whoever operates *host*, who need not be one of its callers."""
    if given.locale is not None:
        return given.locale
    try:
        return (await load_caller(host, given)).locale
    except HandgriffError:
        return "en"


def dev_caller(given: Given, tenant: str, user: str) -> Caller:
    """The caller with the rights of the command line.

    Raises:
        DefinitionError: tenant or user can't be one.
    """
    return Caller(
        tenant,
        user,
        permissions=frozenset(given.can or ()),
        roles=frozenset(given.role or ()),
        modules=frozenset(given.module or ()),
        locale=given.locale or "en",
    )


def check_host(given: Given, *, may_be_dev: bool = False) -> None:
    """See that the options fit a TARGET that is a host.

    Raises:
        WrongUse: one of them is for a host made here.
    """
    if given.grants:
        raise WrongUse(f"TARGET {given.target!r} is a host, which has its own store, model and callers: leave out {given.grants[0]}.")
    if given.dev and not may_be_dev:
        raise WrongUse(f"TARGET {given.target!r} is a host already: leave out --dev.")


def _colleagues(caller: Caller) -> Callers:
    """The whole tenant has the rights of the command line: what another user asked for runs, as theirs, when this caller confirms it."""

    async def load(tenant: str, user: str) -> Caller | None:
        return replace(caller, user=user) if tenant == caller.tenant else None

    return load


def _with_models(assistant: Assistant, named: str | None) -> tuple[Assistant, tuple[Model, ...]]:
    """The assistant with lanes that can answer here, and their models. Where a provider's key is missing, the scripted model answers."""
    lanes = lanes_of(assistant.lanes, os.environ.get(MODEL) or SCRIPTED)
    if named is not None:
        lanes = {name: replace(lane, model=named) for name, lane in lanes.items()}
    models: dict[str, Model] = {}
    for provider in sorted({lane.provider for lane in lanes.values()}):
        own = {name: lane for name, lane in lanes.items() if lane.provider == provider}
        try:
            models |= models_of(own, ())
        except DefinitionError as error:
            if error.member not in _MENDED_BY_SCRIPT:
                raise
            print(f"{one_line(str(error))} Until then the scripted model answers.", file=sys.stderr)  # noqa: T201  # it must be said before anything else
            scripted = {name: replace(lane, model=SCRIPTED) for name, lane in own.items()}
            lanes |= scripted
            models |= models_of(scripted, ())
    return _laned(assistant, lanes), tuple(models.values())


def _laned(assistant: Assistant, lanes: Mapping[str, Lane]) -> Assistant:
    # `dataclasses.replace` would make an assistant without the hooks attached to this one, and a hook may be what refuses.
    laned = copy.copy(assistant)
    laned.lanes = lanes
    return laned
