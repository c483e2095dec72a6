"""One tenant's folder of records, opened. Everything in it is reached through its descriptor and by plain name, so that nothing outside is.

Reading needs no lock, because a file is replaced as a whole. Whoever writes holds the folder's lock; the system lets go of it when a
process dies.
"""

import fcntl
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from handgriff.errors import BackendError
from handgriff.stores.files.faults import translated
from handgriff.stores.files.text import Damaged

INSIDE: Final = ("tmp", "state")
"""Where the records are in a tenant's folder."""
_LOCK: Final = ".lock"
_BEGUN: Final = ".tmp"
"""Ending of a file that is being written."""
PATIENCE: Final = 10.0
"""Seconds to wait for the lock: a writer keeps it for milliseconds."""
_PAUSE: Final = 0.002


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder of one tenant's records."""

    name: str
    """The tenant's part of the path."""
    path: Path
    descriptor: int
    patience: float = PATIENCE

    def names(self) -> list[str]:
        """The names in it, in order."""
        return sorted(os.listdir(self.descriptor))  # noqa: PTH208  # a descriptor, and no path

    def read(self, name: str) -> bytes | None:
        """What a file holds; None where there is none."""
        with translated("read", self.path / name):
            try:
                # Not to wait for whoever writes, should it be a pipe.
                descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=self.descriptor)
            except FileNotFoundError:
                return None
            with open(descriptor, "rb") as file:  # noqa: PTH123  # a descriptor, and no path
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise Damaged("it is a pipe or a device")
                return file.read()

    def write(self, name: str, text: str) -> None:
        """Put *text* into a file, all of it at once."""
        begun = f".{secrets.token_hex(8)}{_BEGUN}"
        with translated("write", self.path / name), ExitStack() as unless_done:
            descriptor = os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=self.descriptor)
            unless_done.callback(self.remove, begun)
            with open(descriptor, "wb") as file:  # noqa: PTH123  # a descriptor, and no path
                file.write(text.encode())
            os.replace(begun, name, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
            unless_done.pop_all()

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self.descriptor)

    def remove_begun(self) -> None:
        """Remove what killed writers left. Only for whoever holds the lock: nobody else is writing then."""
        for name in self.names():
            if name.startswith(".") and name.endswith(_BEGUN):
                self.remove(name)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Within it nobody else writes.

        Raises:
            BackendError: somebody keeps the lock.
        """
        descriptor = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600, dir_fd=self.descriptor)
        try:
            self._take(descriptor)
            yield
        finally:
            os.close(descriptor)

    def _take(self, descriptor: int) -> None:
        deadline = time.monotonic() + self.patience
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                if time.monotonic() > deadline:
                    hint = f"Another process keeps {str(self.path / _LOCK)!r} locked; look for one that hangs."
                    raise BackendError("files", "lock", hint=hint) from error
                time.sleep(_PAUSE)
            else:
                return


@contextmanager
def opened(root: Path, name: str, operation: str) -> Iterator[Folder | None]:
    """The folder of the tenant whose folder has this name; None where there is none yet.

    Raises:
        BackendError: it can't be opened, or what was done within failed.
    """
    path = root.joinpath(name, *INSIDE)
    with translated(operation, path), ExitStack() as held:
        folder = None
        with suppress(FileNotFoundError):
            folder = Folder(name, path, _descend(root, path, is_made=False))
            held.callback(os.close, folder.descriptor)
        yield folder


@contextmanager
def made(root: Path, name: str, operation: str) -> Iterator[Folder]:
    """The folder of the tenant whose folder has this name, made where there is none.

    Raises:
        BackendError: it can't be opened, or what was done within failed.
    """
    path = root.joinpath(name, *INSIDE)
    with translated(operation, path), ExitStack() as held:
        root.mkdir(parents=True, exist_ok=True)
        folder = Folder(name, path, _descend(root, path, is_made=True))
        held.callback(os.close, folder.descriptor)
        yield folder


def _descend(root: Path, path: Path, *, is_made: bool) -> int:
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    for name in path.relative_to(root).parts:
        try:
            if is_made:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=descriptor)
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor
