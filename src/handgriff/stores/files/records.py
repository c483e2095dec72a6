"""Records in one tenant's folder, each in its file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from handgriff.core.rows import Record
from handgriff.core.scratch import Kept
from handgriff.errors import BackendError
from handgriff.stores.files.faults import translated
from handgriff.stores.files.folder import Folder
from handgriff.stores.files.names import file_name, folder_name, is_of_session, is_record
from handgriff.stores.files.text import Damaged, Name, decode_record, encode_record


@dataclass(frozen=True, slots=True)
class Found:
    """A record that was read, and whose it is."""

    name: Name
    kept: Kept

    def record(self) -> Record:
        """As the port gives it."""
        name = self.name
        return Record(name.tenant, name.session, name.namespace, self.kept.expires_at, self.kept.values)


def file_of(name: Name) -> str:
    """The name of a record's file."""
    return file_name(name.namespace, name.session)


def read(folder: Folder, file: str) -> Found | None:
    """The record in *file*, over or not; None where there is no such file.

    Raises:
        BackendError: it can't be read, or what it holds is no record.
    """
    text = folder.read(file)
    if text is None:
        return None
    with translated("read", folder.path / file):
        found = Found(*decode_record(text))
        if (folder.name, file) != (folder_name(found.name.tenant), file_of(found.name)):
            raise Damaged("it says that it is another record's")
        return found


def put(folder: Folder, name: Name, kept: Kept | None) -> None:
    """Write a record, or remove it where *kept* is None. Only for whoever holds the lock.

    Raises:
        BackendError: it can't be written.
    """
    if kept is None:
        folder.remove(file_of(name))
    else:
        folder.write(file_of(name), encode_record(name, kept))


def files_of(folder: Folder, session: str | None = None) -> list[str]:
    """The files of a session's records, or of all."""
    return [file for file in folder.names() if is_record(file) and (session is None or is_of_session(file, session))]


def each(folder: Folder, files: Iterable[str]) -> Iterator[Found]:
    """The records in *files*, as far as they are still there."""
    for file in files:
        found = read(folder, file)
        if found is not None:
            yield found


def over(folder: Folder, now: datetime) -> tuple[list[str], BackendError | None]:
    """The files whose records are over, and what kept one from being read: a damaged file must not keep the others for ever."""
    files: list[str] = []
    fault: BackendError | None = None
    for file in files_of(folder):
        try:
            found = read(folder, file)
        except BackendError as error:
            fault = fault or error
        else:
            files += [file] if found is not None and found.kept.is_over(now) else []
    return files, fault


def remove_over(folder: Folder, files: Iterable[str], now: datetime) -> int:
    """Remove those of *files* whose records are over when they are removed, and say how many. Only for whoever holds the lock."""
    removed = 0
    for file in files:
        found = read(folder, file)
        if found is not None and found.kept.is_over(now):
            folder.remove(file)
            removed += 1
    return removed
