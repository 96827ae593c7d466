"""One run a tournament at a time: a lock that the kernel gives back when its holder dies."""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from harness.director.stop_request import remove_request
from harness.director.write_errors import why_not_written
from harness.errors import InUseError, StoreError
from harness.store.schema import FILE_NAME

LOCK_FILE: Final = "run.lock"
_MAX_BYTES: Final = 400
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
    fd = _open(place / LOCK_FILE, os.O_RDWR | os.O_CREAT)
    try:
        _take(fd, folder)
        remove_request(place)
        words = f"process {os.getpid()} on {platform.node() or 'this machine'}"
        holder = Holder(words, secrets.token_hex(8), place)
        _write(fd, place / LOCK_FILE, f"{holder.words}\n{holder.token}\n")
        try:
            yield holder
        finally:
            remove_request(place)
    finally:
        os.close(fd)


def holder_of(folder: Path) -> Holder | None:
    """Return who runs the tournament in this folder now; None when nobody does.

    Raises StoreError when the lock cannot be read.
    """
    place = _place(folder)
    path = place / LOCK_FILE
    if not path.exists():
        return None
    fd = _open(path, os.O_RDONLY)
    try:
        for _ in range(_TRIES):
            try:
                fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                words, _, token = _read(fd).partition("\n")
                if token:
                    return Holder(words, token, place)
                time.sleep(_BETWEEN_TRIES_SECONDS)  # it is about to write who it is
            except OSError as error:
                raise StoreError(str(path), _no_locks(error)) from error
            else:
                return None
        return Holder("another process", "", place)
    finally:
        os.close(fd)


def _place(folder: Path) -> Path:
    """Return where the lock belongs: beside the database itself, not beside a link to it."""
    file = folder / FILE_NAME
    return file.resolve().parent if file.is_symlink() else folder


def _open(path: Path, flags: int) -> int:
    try:
        # O_NONBLOCK: a pipe of that name must not hold the program up.
        fd = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
    except IsADirectoryError as error:
        raise StoreError(str(path), "it is no file; move it away") from error
    except OSError as error:
        raise StoreError(str(path), why_not_written(error)) from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise StoreError(str(path), "it is no file; move it away")
    return fd


def _take(fd: int, folder: Path) -> None:
    # `loa stop` holds the lock for an instant when it looks whether somebody holds it.
    for left in reversed(range(_TRIES)):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if left:
                time.sleep(_BETWEEN_TRIES_SECONDS)
                continue
            words = _read(fd).partition("\n")[0] or "another process"
            raise InUseError(str(folder), words) from None
        except OSError as error:
            raise StoreError(str(folder), _no_locks(error)) from error
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


def _read(fd: int) -> str:
    text = os.pread(fd, _MAX_BYTES, 0).decode("ascii", "replace").strip()
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)
