"""One run a tournament at a time: a lock that the kernel gives back when its holder dies.

The lock is on the folder itself; ``run.lock`` says who holds it, and is locked as well for file
systems that cannot lock a folder.
"""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from harness.director.stop_request import remove_request
from harness.director.write_errors import why_not_written
from harness.errors import InUseError, StoreError
from harness.store.schema import FILE_NAME
from harness.visible_text import with_hidden_replaced

LOCK_FILE: Final = "run.lock"
_MAX_BYTES: Final = 400
_SOMEBODY: Final = "another process"
_TRIES: Final = 10
_BETWEEN_TRIES_SECONDS: Final = 0.02


class Holder(NamedTuple):
    """Who runs a tournament: words for people, a token that no other run has, its folder."""

    words: str
    token: str
    folder: Path


@contextmanager
def run_lock(folder: Path) -> Iterator[Holder]:
    """Hold the tournament in this folder; InUseError when another process does.

    Raises StoreError when the lock cannot be written. A request to stop that was left before
    is removed.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(str(folder), why_not_written(error)) from error
    place = _place(folder)
    with ExitStack() as stack:
        _take(_open_folder(place, stack), folder, place, is_needed=False)
        fd = _open(place / LOCK_FILE, os.O_RDWR | os.O_CREAT, stack)
        _take(fd, folder, place, is_needed=True)
        remove_request(place)
        words = f"process {os.getpid()} on {platform.node() or 'this machine'}"
        holder = Holder(words, secrets.token_hex(8), place)
        _write(fd, place / LOCK_FILE, f"{holder.words}\n{holder.token}\n")
        try:
            yield holder
        finally:
            remove_request(place)


def holder_of(folder: Path) -> Holder | None:
    """Return who runs the tournament in this folder now; None when nobody does.

    Raises StoreError when the lock cannot be read.
    """
    place = _place(folder)
    if not place.is_dir():
        return None
    for _ in range(_TRIES):
        if not _is_held(place):
            return None
        words, token = _read(place)
        if token:
            return Holder(words, token, place)
        time.sleep(_BETWEEN_TRIES_SECONDS)  # it is about to write who it is
    return Holder(_SOMEBODY, "", place)


def _is_held(place: Path) -> bool:
    with ExitStack() as stack:
        held = [_open_folder(place, stack)]
        if (place / LOCK_FILE).exists():
            held.append(_open(place / LOCK_FILE, os.O_RDONLY, stack))
        for fd in held:
            try:
                fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            except OSError as error:
                if fd != held[0]:
                    raise StoreError(str(place), _no_locks(error)) from error
    return False


def _place(folder: Path) -> Path:
    """Return where the lock belongs: beside the database itself, not beside a link to it."""
    file = folder / FILE_NAME
    return file.resolve().parent if file.is_symlink() else folder


def _open_folder(place: Path, stack: ExitStack) -> int:
    try:
        fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise StoreError(str(place), why_not_written(error)) from error
    stack.callback(os.close, fd)
    return fd


def _open(path: Path, flags: int, stack: ExitStack) -> int:
    try:
        # O_NONBLOCK: a pipe of that name must not hold the program up.
        fd = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
    except IsADirectoryError as error:
        raise StoreError(str(path), "it is no file; move it away") from error
    except OSError as error:
        raise StoreError(str(path), why_not_written(error)) from error
    stack.callback(os.close, fd)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        raise StoreError(str(path), "it is no file; move it away")
    return fd


def _take(fd: int, folder: Path, place: Path, *, is_needed: bool) -> None:
    """Lock a folder or a file; not every network file system can lock a folder."""
    # `loa stop` holds the lock for an instant when it looks whether somebody holds it.
    for left in reversed(range(_TRIES)):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if left:
                time.sleep(_BETWEEN_TRIES_SECONDS)
                continue
            raise InUseError(str(folder), _read(place)[0] or _SOMEBODY) from None
        except OSError as error:
            if is_needed:
                raise StoreError(str(folder), _no_locks(error)) from error
            return
        else:
            return


def _no_locks(error: OSError) -> str:
    return (
        f"this file system has no locks ({error.strerror}); use --results with a folder on a "
        "local disk"
    )


def _write(fd: int, path: Path, text: str) -> None:
    line = text.encode("ascii", "backslashreplace")
    try:
        os.ftruncate(fd, 0)
        written = os.pwrite(fd, line, 0)
    except OSError as error:
        raise StoreError(str(path), why_not_written(error)) from error
    if written < len(line):
        raise StoreError(str(path), why_not_written(OSError(errno.ENOSPC, "No space left")))


def _read(place: Path) -> tuple[str, str]:
    """Return who holds the tournament, and its token; empty where the file does not say."""
    try:
        with ExitStack() as stack:
            fd = _open(place / LOCK_FILE, os.O_RDONLY, stack)
            text = os.pread(fd, _MAX_BYTES, 0).decode("ascii", "replace")
    except (OSError, StoreError):
        return "", ""
    words, _, token = text.partition("\n")
    return with_hidden_replaced(words.strip(), lambda _: "?"), token.strip()
