"""Everything that is stored, read so that one damaged row does not hide the others."""

from __future__ import annotations

import re
import sqlite3
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from harness.store import queries
from harness.store.connection import SENSELESS, open_for_reading
from harness.store.game_rows import (
    GAME_COLUMN_COUNT,
    Row,
    check_types,
    stored_details,
    stored_game,
)
from harness.store.rows import StoredGame
from harness.store.schema import FILE_NAME
from harness.store.sqlite import Store

_NO_TEXT: Final = re.compile("[\udc80-\udcff]")
"""Bytes that are no UTF-8, as ``_lenient`` reads them."""

_NUMBERS: Final = (
    "SELECT number FROM games INDEXED BY games_schedule",
    "SELECT number FROM games INDEXED BY sqlite_autoindex_games_1",
    "SELECT number FROM games NOT INDEXED",
)
"""Each is an own copy of the numbers of all games, in another part of the file."""


class StoredChecks(NamedTuple):
    """What is stored of a game to check it by, and columns that repeat what its moves say."""

    opening_moves: str
    plies: int
    moves_hash: int
    result_hash: int
    black_moves: int
    white_moves: int
    black_time_ns: int
    white_time_ns: int


@dataclass(frozen=True, slots=True)
class AuditedGame:
    """One stored game as far as it can be read, and in ``faults`` why the rest cannot.

    ``name`` is its id, or its number in the table where the id cannot be read. ``game`` has no
    details where these are damaged; ``game`` and ``checks`` are both None or both not.
    """

    name: str
    game: StoredGame | None = None
    checks: StoredChecks | None = None
    faults: tuple[str, ...] = ()


class Audit:
    """Reads a whole store for a check; nothing is written. Use it as a context manager."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.file = folder / FILE_NAME
        self.store = Store(folder, connection)
        self._connection = connection

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the store of this folder, also while another process writes.

        Raises NoSuchTournamentError, StoreError.
        """
        connection = open_for_reading(folder)
        connection.text_factory = _lenient
        return cls(folder, connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.store.close()

    def file_faults(self) -> Iterator[str]:
        """Yield what SQLite finds wrong with the file."""
        with _Told() as faults:
            for (text,) in self._connection.execute("PRAGMA integrity_check"):
                if text != "ok":
                    yield str(text)
        yield from faults

    def reference_faults(self) -> Iterator[str]:
        """Yield what SQLite finds wrong with the references between the tables."""
        with _Told() as faults:
            for table, row, parent, _ in self._connection.execute("PRAGMA foreign_key_check"):
                yield f"row {row} of {table} belongs to a row of {parent} that is missing"
        yield from faults

    def numbers(self) -> tuple[array[int], list[str]]:
        """Return the numbers of all games in the order of storing, and why some may be missing."""
        found: set[int] = set()
        faults: list[str] = []
        for text in _NUMBERS:
            with _Told() as problems:
                for (number,) in self._connection.execute(text):
                    found.add(number)
            faults += problems
        return array("q", sorted(found)), list(dict.fromkeys(faults))

    def game(self, number: int) -> AuditedGame:
        """Read one game by its number in the table."""
        name = f"game number {number}"
        faults: list[str] = []
        game = checks = None
        with _Told() as problems:
            row = self._connection.execute(queries.AUDITED_GAME, [number]).fetchone()
            if row is None:
                return AuditedGame(name, faults=("it is in the indices only, its row is missing",))
            name = row[0] if type(row[0]) is str else name
            _check_texts(row)
            checks = _checks(row[GAME_COLUMN_COUNT:])
            game = stored_game(row[:GAME_COLUMN_COUNT])
        faults += (f"its row cannot be read: {problem}" for problem in problems)
        with _Told() as problems:
            row = self._connection.execute(queries.AUDITED_DETAILS, [number]).fetchone()
            if row is None:
                faults.append("its details (times, error output) are missing")
            else:
                _check_texts(row)
                details = stored_details(row)
                game = None if game is None else replace(game, details=details)
        faults += (f"its details cannot be read: {problem}" for problem in problems)
        if game is None:
            return AuditedGame(name, faults=tuple(faults))
        return AuditedGame(name, game, checks, tuple(faults))


class _Told:
    """Collects, instead of raising, what the reading inside fails with."""

    def __enter__(self) -> list[str]:
        self._problems: list[str] = []
        return self._problems

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if isinstance(error, KeyError):
            self._problems.append(f"{error} is missing")
        elif isinstance(error, (sqlite3.Error, *SENSELESS)):
            self._problems.append(str(error))
        return error is None or bool(self._problems)


def _lenient(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _check_texts(row: Row) -> None:
    for value in row:
        if isinstance(value, str) and not value.isascii() and _NO_TEXT.search(value):
            raise ValueError(f"the text {value!r:.80} is damaged")


def _checks(row: tuple[Any, ...]) -> StoredChecks:
    check_types(row, (str, *(int,) * 7))
    return StoredChecks(*row)
