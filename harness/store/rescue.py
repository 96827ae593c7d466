"""A database whose file was deleted or moved while it was open: its content is kept."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import Final

from harness.errors import StoreError
from harness.store.file_watch import FileWatch

_AGAIN: Final = "run the same again"
_COMPANIONS: Final = ("-wal", "-shm")


def rescue(connection: sqlite3.Connection, watch: FileWatch) -> StoreError:
    """Make sure that a file with the whole content has a name, and return what to tell.

    A deleted file is written anew in its place, or beside it where another file is by now, or
    into the system's folder for temporary files. A moved file gets what was still in the
    write-ahead log at its old place.
    """
    file = watch.file
    if not watch.is_deleted and _merge_log(connection):
        place = watch.new_place
        where = "under another name" if place is None else f"now {place}"
        return _error(
            file, f"was moved; it is {where} and holds every game: move it back, then {_AGAIN}"
        )
    what = "was deleted" if watch.is_deleted else "was moved"
    failures = []
    for folder in (file.parent, Path(tempfile.gettempdir())):
        try:
            written = _write_anew(connection, folder / file.name)
        except (OSError, sqlite3.Error) as error:
            failures.append(f"{folder}: {error}")
        else:
            if written == file:
                return _error(file, f"{what}; every game was written anew in its place: {_AGAIN}")
            return _error(file, f"{what}; every game is in {written}: move it back, then {_AGAIN}")
    return _error(file, f"{what}, and its games could not be written ({'; '.join(failures)})")


def _error(file: Path, what: str) -> StoreError:
    return StoreError(str(file), f"while it was open for writing, it {what}")


def _merge_log(connection: sqlite3.Connection) -> bool:
    """Bring everything from the write-ahead log into the file itself; False when it is in use."""
    try:
        (is_busy, *_), *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.Error:
        return False
    return not is_busy


def _write_anew(connection: sqlite3.Connection, file: Path) -> Path:
    """Write the content into a file at this path, or beside it; returns which."""
    file.parent.mkdir(parents=True, exist_ok=True)
    # A folder that nobody else may write: in one for all, a name that is known can be a trap.
    folder = Path(tempfile.mkdtemp(prefix=f".{file.name}.", dir=file.parent))
    temporary = folder / file.name
    try:
        with closing(sqlite3.connect(temporary, isolation_level=None)) as copy:
            connection.backup(copy)
        # They belong to the deleted file: another one at this path must not be read with them.
        for companion in _COMPANIONS:
            _unlink_own(file.with_name(file.name + companion))
        written = _give_name(temporary, file)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    _sync(file.parent)
    return written


def _give_name(temporary: Path, file: Path) -> Path:
    for name in _free_names(file):
        try:
            name.hardlink_to(temporary)
        except FileExistsError:
            continue
        except OSError:  # a file system without second names
            if name.exists():
                continue
            temporary.rename(name)
        return name
    raise AssertionError("names do not end")


def _free_names(file: Path) -> Iterator[Path]:
    yield file
    for number in count(1):
        yield file.with_name(f"{file.stem}-saved-{number}{file.suffix}")


def _unlink_own(path: Path) -> None:
    """Remove a file that this process has open; one that another program made meanwhile stays."""
    with suppress(OSError):
        status = path.stat()
        if any(_is(handle, status) for handle in Path("/proc/self/fd").iterdir()):
            path.unlink()


def _is(path: Path, status: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), status)
    except OSError:
        return False


def _sync(folder: Path) -> None:
    """Make the new name last through a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
