"""The memory store, for tests and demos: the semantics of the others, in dictionaries, gone with the process."""

from handgriff.stores.memory.store import MemoryStore

__all__ = ["MemoryStore"]
