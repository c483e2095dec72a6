"""What goes wrong with files, in the operator's words."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handgriff.core.jsontext import JsonError
from handgriff.errors import BackendError
from handgriff.stores.files.text import Damaged

_HINTS = {
    errno.ENOSPC: "The disk is full; free some space.",
    errno.EDQUOT: "The quota is used up; free some space.",
    errno.EROFS: "The file system is read-only; give a folder that can be written.",
    errno.EACCES: "The process may not use it; give it the right to read and write there.",
    errno.EPERM: "The process may not use it; give it the right to read and write there.",
    errno.ELOOP: "It is a symbolic link, and none is followed; put the real file or folder there.",
    errno.ENOTDIR: "It is no folder, or a symbolic link, and none is followed; put a real folder there.",
}


@contextmanager
def translated(operation: str, path: Path) -> Iterator[None]:
    """Within it, what goes wrong at *path* leaves as a `BackendError`.

    Raises:
        BackendError: something went wrong.
    """
    try:
        yield
    except Damaged as damaged:
        hint = f"{str(path)!r} is no scratch record: {damaged}. Mend the file, or delete it, and its session begins that record anew."
        raise BackendError("files", operation, hint=hint) from damaged
    except OSError as error:
        told = _HINTS.get(error.errno or 0, f"{error.strerror}.")
        raise BackendError("files", operation, hint=f"{str(path)!r}: {told}") from error
    except (UnicodeEncodeError, JsonError) as error:
        raise BackendError("files", operation, hint=f"The record holds what no file can keep: {error}.") from error
