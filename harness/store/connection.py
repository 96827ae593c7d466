"""Opening the database file, for writing and for reading, and its errors in plain words."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from harness.errors import NoSuchTournamentError, StoreError
from harness.store.schema import APPLICATION_ID, FILE_NAME, SCHEMA_VERSION, STATEMENTS
from harness.store.upgrade import upgrade

BUSY_TIMEOUT_MS: Final = 30_000

SENSELESS: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    zlib.error,
)
"""What reading raises when stored content is not what this program writes."""

_KEPT = "every game that was stored before is kept"
_CANNOT_WRITE: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)


def open_for_writing(folder: Path, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> sqlite3.Connection:
    """Open the database of this folder, making folder, file and tables where they are missing.

    Raises StoreError.
    """
    file = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(str(folder), f"the folder cannot be made: {error.strerror}") from error
    with plain_errors(file):
        connection = _connect(file, "mode=rwc", busy_timeout_ms)
        try:
            _prepare(connection, file)
        except BaseException:
            connection.close()
            raise
    return connection


def open_for_reading(folder: Path, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> sqlite3.Connection:
    """Open the database of this folder so that nothing can be written through the connection.

    Tables of an earlier version are brought up to date first. Works while another process
    writes, after it was killed, and in a folder that cannot be written. Raises
    NoSuchTournamentError when there is no file or an empty one, StoreError.
    """
    file = folder / FILE_NAME
    with plain_errors(file):
        if not file.exists():
            raise NoSuchTournamentError(str(folder))
        if not file.is_file():
            raise StoreError(str(file), "it cannot be opened: it is no file")
        try:
            # Not mode=ro: such a connection leaves its -shm and -wal files behind.
            return _open_checked(file, "mode=rw", busy_timeout_ms)
        except sqlite3.OperationalError as error:
            if _primary_code(error) not in _CANNOT_WRITE:
                raise
            log = file.with_name(file.name + "-wal")
            if log.is_file() and log.stat().st_size > 0:
                raise StoreError(
                    str(file),
                    "its newest games are still in the -wal file beside it and the folder cannot "
                    "be written; copy the whole folder to a place that can be, and read it there",
                ) from error
            return _open_checked(file, "mode=ro&immutable=1", busy_timeout_ms)


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system raise into StoreError, saying what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(str(path), _words(error)) from error
    except UnicodeDecodeError as error:  # SQLite quotes a damaged text in its own message
        raise StoreError(
            str(path), f"a text in it is damaged ({error}); put a copy back"
        ) from error
    except OSError as error:
        raise StoreError(str(path), error.strerror or str(error)) from error


@contextmanager
def sensible(path: Path, what: str) -> Iterator[None]:
    """Turn what senseless content raises into StoreError; only reading belongs inside."""
    try:
        yield
    except SENSELESS as error:
        raise senseless(path, what, error) from error


def senseless(path: Path, what: str, error: BaseException) -> StoreError:
    """Return the error that names what of the database makes no sense, and why."""
    why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
    return StoreError(str(path), f"{what} makes no sense: {why}; put a copy back")


def _open_checked(file: Path, mode: str, busy_timeout_ms: int) -> sqlite3.Connection:
    connection = _connect(file, mode, busy_timeout_ms)
    try:
        connection.execute("PRAGMA query_only = ON")
        empty = _is_empty(connection, file)
        is_earlier = not empty and _version(connection) < SCHEMA_VERSION
    except BaseException:
        connection.close()
        raise
    if is_earlier:
        connection.close()
        return _open_upgraded(file, mode, busy_timeout_ms)
    if empty:
        connection.close()
        raise NoSuchTournamentError(str(file.parent))
    return connection


def _open_upgraded(file: Path, mode: str, busy_timeout_ms: int) -> sqlite3.Connection:
    try:
        open_for_writing(file.parent, busy_timeout_ms).close()
    except StoreError as error:
        if _primary_code(error.__cause__) not in _CANNOT_WRITE:
            raise
        raise StoreError(
            str(file),
            "its tables are of an earlier version and cannot be brought up to date here "
            f"({error.why}); copy the folder to a place that can be written, and read it there",
        ) from error
    return _open_checked(file, mode, busy_timeout_ms)


def _connect(file: Path, mode: str, busy_timeout_ms: int) -> sqlite3.Connection:
    address = f"{file.absolute().as_uri()}?{mode}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    connection.execute(f"PRAGMA busy_timeout = {busy_timeout_ms:d}")
    return connection


def _prepare(connection: sqlite3.Connection, file: Path) -> None:
    is_present = not _is_empty(connection, file) and _version(connection) == SCHEMA_VERSION
    _use_write_ahead_log(connection, file)
    if is_present:
        return
    connection.execute("BEGIN IMMEDIATE")
    if _is_empty(connection, file):  # another process may have been faster
        for statement in STATEMENTS:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION:d}")
    elif _version(connection) < SCHEMA_VERSION:
        with sensible(file, "a game in it"):
            upgrade(connection, _version(connection))
    connection.execute("COMMIT")


def _use_write_ahead_log(connection: sqlite3.Connection, file: Path) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise StoreError(
            str(file),
            "this file system does not allow SQLite's write-ahead log; "
            "use --results with a folder on a local disk",
        )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _is_empty(connection: sqlite3.Connection, file: Path) -> bool:
    """Whether nothing is in the file yet; StoreError when what is in it is not ours."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    version = _version(connection)
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application == 0 and version == 0 and tables == 0:
        return True
    if application != APPLICATION_ID:
        raise StoreError(
            str(file), "this is the database of another program; choose another folder"
        )
    if version > SCHEMA_VERSION:
        raise StoreError(
            str(file),
            f"it was written by a newer version of loa-harness (its tables are version {version}, "
            f"this one knows {SCHEMA_VERSION}); update loa-harness to use it",
        )
    return False


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _primary_code(error: BaseException | None) -> int:
    """SQLite's result code without its extension; 0 where the error has none."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _words(error: sqlite3.Error) -> str:
    match _primary_code(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return (
                "another process has been writing to it for too long; "
                f"wait for it or stop it, then run the same again: {_KEPT}"
            )
        case sqlite3.SQLITE_FULL:
            return f"the disk is full; make room, then run the same again: {_KEPT}"
        case sqlite3.SQLITE_NOTADB:
            return (
                "this is no SQLite database, or it is damaged from its first byte on; "
                "put a copy back, or move it away and play again"
            )
        case sqlite3.SQLITE_CORRUPT:
            return (
                f"the database is damaged ({error}); put a copy back, or save what can be saved "
                "with the sqlite3 command .recover"
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return f"it cannot be written ({error}); look at the rights of the folder and its files"
        case sqlite3.SQLITE_CANTOPEN:
            return (
                f"it cannot be opened ({error}); it must be a file, "
                "in a folder that may be read and written"
            )
        case sqlite3.SQLITE_IOERR:
            return f"the disk failed or is full ({error}); look at the disk: {_KEPT}"
        case _ if str(error).startswith("Could not decode"):
            return f"a text in it is damaged ({error}); put a copy back"
        case _:
            return f"the database refuses: {error}"
