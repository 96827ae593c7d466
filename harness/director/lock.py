"""One run a tournament at a time: a lock that the kernel gives back when its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.errors import InUseError, StoreError


@contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Hold the tournament in this folder; InUseError when another process does."""
    path = folder / "run.lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(str(folder), f"cannot be written ({error.strerror})") from error
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(fd, 100).decode("ascii", "replace").strip() or "another process"
            raise InUseError(str(folder), holder) from None
        os.ftruncate(fd, 0)
        os.write(fd, f"process {os.getpid()}\n".encode())
        yield
    finally:
        os.close(fd)
