"""Records of whichever store as files for people, and such files read again."""

from collections.abc import Iterable
from pathlib import Path

from handgriff.core.rows import Record
from handgriff.core.scratch import Kept
from handgriff.stores.files.faults import translated
from handgriff.stores.files.folder import made, opened
from handgriff.stores.files.names import folder_name
from handgriff.stores.files.records import each, file_of, files_of, put
from handgriff.stores.files.text import Name


def write_records(root: Path, records: Iterable[Record]) -> tuple[Path, ...]:
    """Write *records* as files under *root*, each in place of what stands there, and say where.

    Raises:
        BackendError: one can't be written.
    """
    return tuple([_write(root, record) for record in records])


def read_records(root: Path) -> tuple[Record, ...]:
    """Every record under *root*, over or not, by tenant, session and namespace.

    Raises:
        BackendError: one can't be read.
    """
    with translated("read", root):
        folders = [path.name for path in root.iterdir() if path.is_dir() and not path.is_symlink()]
    records = [record for name in folders for record in _read(root, name)]
    return tuple(sorted(records, key=lambda record: (record.tenant, record.session, record.namespace)))


def _write(root: Path, record: Record) -> Path:
    name = Name(record.tenant, record.session, record.namespace)
    first_version = max((value.version for value in record.values.values()), default=0)
    with made(root, folder_name(record.tenant), "write") as folder, folder.locked():
        put(folder, name, Kept(record.expires_at, first_version, record.values))
        return folder.path / file_of(name)


def _read(root: Path, name: str) -> list[Record]:
    with opened(root, name, "read") as folder:
        return [found.record() for found in each(folder, files_of(folder))] if folder else []
