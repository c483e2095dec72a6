"""Snapshots in this process's memory: for machines with one instance for the process, and for tests. They end with it and expire never.

Below are only the port's values; nothing here waits, so a comparison and what is set by it are one step.
"""

from dataclasses import replace

from handgriff.ports.snapshots import Kept, SnapshotKey


class MemorySnapshots:
    """Records in a dictionary. What its methods promise is said by the snapshot port."""

    def __init__(self) -> None:
        self._records: dict[tuple[str, str, str], Kept] = {}

    async def load(self, key: SnapshotKey) -> Kept | None:
        """The record, if there is one."""
        found = self._records.get(_place(key))
        return None if found is None else replace(found)

    async def compare_and_set(self, key: SnapshotKey, version: int, record: Kept) -> bool:
        """Store *record* where the stored version is *version*, and say whether it was."""
        place = _place(key)
        found = self._records.get(place)
        if version != (0 if found is None else found.version):
            return False
        self._records[place] = replace(record)
        return True

    async def delete(self, key: SnapshotKey) -> None:
        """Remove the record."""
        self._records.pop(_place(key), None)


def _place(key: SnapshotKey) -> tuple[str, str, str]:
    return key.tenant, key.machine, key.handle
