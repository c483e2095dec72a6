"""The SQLite store: one file, one machine, the standard library's `sqlite3` and nothing else."""

from handgriff.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
