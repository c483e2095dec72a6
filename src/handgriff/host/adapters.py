"""Names become adapters here and nowhere else: "sqlite:///shop.db", "anthropic:model-name". Each is imported only when it is named."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from importlib import import_module
from typing import Any, Final, NamedTuple

from handgriff.core.caller import Caller
from handgriff.core.lane import Lane
from handgriff.errors import DefinitionError
from handgriff.ports.model import Model
from handgriff.ports.prices import PriceBook
from handgriff.ports.store import Store


class _Adapter(NamedTuple):
    module: str
    name: str


_MODELS: Final[Mapping[str, _Adapter]] = {
    "anthropic": _Adapter("handgriff.models.anthropic.adapter", "AnthropicModel"),
    "scripted": _Adapter("handgriff.models.scripted.model", "ScriptedModel"),
}
SQLITE: Final = "sqlite:///"
MEMORY: Final = "memory://"


def open_store(name: str) -> Store:
    """The store *name* stands for.

    Raises:
        DefinitionError: no store has such a name.
        BackendError: it cannot be opened.
    """
    if name == MEMORY:
        store: Store = import_module("handgriff.stores.memory.store").MemoryStore()
        return store
    if name.startswith(SQLITE) and len(name) > len(SQLITE):
        opened: Store = import_module("handgriff.stores.sqlite.store").SqliteStore.open(name[len(SQLITE) :])
        return opened
    raise DefinitionError("Host", "store", f"{name!r} names no store.", mend=f"write '{MEMORY}' or '{SQLITE}path.db'.")


def lanes_of(declared: Mapping[str, Lane], model: str | None) -> dict[str, Lane]:
    """The assistant's lanes; without any there is one, "standard", with the host's model.

    Raises:
        DefinitionError: there is neither.
    """
    if declared:
        return dict(declared)
    if model is None:
        raise DefinitionError(
            "Host",
            "model",
            "the assistant has no lanes and no model was named.",
            mend="give model='anthropic:model-name'; on the command line --model or HANDGRIFF_MODEL.",
        )
    return {"standard": Lane(model)}


def models_of(lanes: Mapping[str, Lane], given: Sequence[Model]) -> dict[str, Model]:
    """An adapter for each provider the lanes name: the given ones first.

    Raises:
        DefinitionError: a provider has no adapter, or its key is missing.
    """
    models = {model.provider: model for model in given}
    for lane in lanes.values():
        if lane.provider in models:
            continue
        adapter = _MODELS.get(lane.provider)
        if adapter is None:
            raise DefinitionError(
                "Lane",
                "model",
                f"{lane.provider!r} is no provider known here.",
                mend=f"use one of {', '.join(sorted(_MODELS))}, or hand an adapter to Host(models=[…]).",
            )
        models[lane.provider] = getattr(import_module(adapter.module), adapter.name)()
    return models


def prices_of(lanes: Mapping[str, Lane], given: PriceBook | None) -> PriceBook:
    """The host's own prices before the published ones, which are loaded only where a lane needs them."""
    if all(lane.provider == "scripted" for lane in lanes.values()):
        table: PriceBook = import_module("handgriff.prices.table").PriceTable({}, version="none")
        return given or table
    published: PriceBook = import_module("handgriff.prices.published").PublishedPrices()
    if given is None:
        return published
    chain: PriceBook = import_module("handgriff.prices.chained").chained(given, published)
    return chain


def no_deps(caller: Caller) -> AbstractAsyncContextManager[Any]:
    """Where the application needs no objects of its own."""
    del caller
    return nullcontext()
