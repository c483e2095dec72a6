"""Names become adapters here and nowhere else: "sqlite:///shop.db", "anthropic:model-name". Each is imported only when it is named."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from handgriff.core.caller import Caller
from handgriff.core.lane import Lane
from handgriff.core.rows import Record
from handgriff.errors import DefinitionError
from handgriff.ports.model import Model
from handgriff.ports.prices import PriceBook
from handgriff.ports.scratch import Scratch
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
FILES: Final = "file:///"
REDIS: Final = ("redis://", "rediss://")
POSTGRES: Final = ("postgresql://", "postgres://")


async def open_store(name: str) -> Store:
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
    if name.startswith(POSTGRES):
        server: Store = await import_module("handgriff.stores.postgres.store").PostgresStore.open(name)
        return server
    # Only the beginning is repeated: behind it may stand a password.
    problem = f"{name.partition(':')[0]!r} begins no name of a store."
    raise DefinitionError("Host", "store", problem, mend=f"write '{MEMORY}', '{SQLITE}path.db' or '{POSTGRES[0]}user@host/database'.")


async def open_scratch(name: str) -> Scratch:
    """The scratch *name* stands for, beside the store. A server is connected to at the first use.

    Raises:
        DefinitionError: no scratch has such a name.
    """
    if name.startswith(REDIS):
        server: Scratch = import_module("handgriff.stores.redis.scratch").RedisScratch.open(name)
        return server
    if name.startswith(FILES) and len(name) > len(FILES):
        folder = unquote(name[len(FILES) - 1 :])
        files: Scratch = import_module("handgriff.stores.files.scratch").FileScratch(folder)
        return files
    raise DefinitionError(
        "Host",
        "scratch",
        f"{name.partition(':')[0]!r} begins no name of a scratch.",
        mend=f"write '{FILES}folder' (from the root, as in every file URL) or '{REDIS[0]}host:6379'; leave it out for the store itself.",
    )


@dataclass(frozen=True, slots=True)
class Migrated:
    """A store's schema before and after; 0 where it had none, or keeps none. `store` is the kind, because a name may hold a password."""

    store: str
    before: int
    after: int


async def migrate_store(name: str) -> Migrated:
    """Bring the store *name* stands for to the newest schema.

    Raises:
        DefinitionError: no store has such a name.
        BackendError: it has a newer schema already, or can't be reached.
    """
    kind = name.partition(":")[0]
    if name.startswith(SQLITE) and len(name) > len(SQLITE):
        before, after = await import_module("handgriff.stores.sqlite.upgrade").migrate(name[len(SQLITE) :])
        return Migrated(kind, before, after)
    if name.startswith(POSTGRES):
        before, after = await import_module("handgriff.stores.postgres.migration").migrate(name)
        return Migrated(kind, before, after)
    await (await open_store(name)).close()
    return Migrated(kind, 0, 0)


def write_files(folder: Path, records: Sequence[Record]) -> Sequence[Path]:
    """Write scratch records below *folder* as the files of the file store, and say where.

    Raises:
        BackendError: one can't be written.
    """
    paths: Sequence[Path] = import_module("handgriff.stores.files.copies").write_records(folder, records)
    return paths


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
