"""Files, for debugging scratch: one readable file a record. Their adapter, and the same files written and read for people."""

from handgriff.stores.files.copies import read_records, write_records
from handgriff.stores.files.scratch import FileScratch

__all__ = ["FileScratch", "read_records", "write_records"]
