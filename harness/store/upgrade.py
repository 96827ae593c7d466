"""Bringing a database of an earlier version up to the present tables."""

from __future__ import annotations

import sqlite3
from types import NoneType
from typing import Final

from harness.store.game_rows import of_types, unpack_plies
from harness.store.records import is_black_first, moves_hash, result_hash, times_by_side
from harness.store.schema import INDICES_OF_REPORTS, LOGS, SCHEDULE, SCHEMA_VERSION

_ADDED_IN_2: Final = (
    "moves_hash",
    "black_moves",
    "white_moves",
    "black_time_ns",
    "white_time_ns",
)

_GAMES: Final = """
    SELECT g.number, g.moves, d.plies, o.start, o.moves
    FROM games g
    LEFT JOIN details d ON d.game = g.number
    LEFT JOIN openings o ON o.number = g.opening
    WHERE g.number > ? ORDER BY g.number LIMIT 1000
"""

_RESULTS: Final = """
    SELECT g.number, g.id, b.name, b.identity, w.name, w.identity, o.content_id,
           g.cause, g.winner, g.moves
    FROM games g
    LEFT JOIN bots b ON b.number = g.black
    LEFT JOIN bots w ON w.number = g.white
    LEFT JOIN openings o ON o.number = g.opening
    WHERE g.number > ? ORDER BY g.number LIMIT 1000
"""
_RESULT_TYPES: Final = (int, *(str,) * 7, (str, NoneType), str)


def upgrade(connection: sqlite3.Connection, version: int) -> None:
    """Add what later versions have; call it inside a transaction, which it does not end.

    Raises ValueError, TypeError, LookupError or zlib.error when a stored game
    makes no sense or a part of it is missing.
    """
    if version < 2:
        _from_1_to_2(connection)
    if version < 3:
        _from_2_to_3(connection)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION:d}")


def _from_1_to_2(connection: sqlite3.Connection) -> None:
    """Store a hash of the moves and the time of each side beside the results."""
    for column in _ADDED_IN_2:
        connection.execute(f"ALTER TABLE games ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
    assignments = ", ".join(f"{column} = :{column}" for column in _ADDED_IN_2)
    update = f"UPDATE games SET {assignments} WHERE number = :number"  # noqa: S608  our own words
    number = 0
    while rows := connection.execute(_GAMES, [number]).fetchall():
        for number, moves, plies, start, opening_moves in of_types(rows, int, str, bytes, str, str):
            values = times_by_side(
                [ply.elapsed_ns for ply in unpack_plies(plies)],
                is_black_first=is_black_first(start, opening_moves),
            )
            values |= {"moves_hash": moves_hash(moves), "number": number}
            connection.execute(update, values)
    connection.execute("DROP INDEX games_results")
    for statement in INDICES_OF_REPORTS:
        connection.execute(statement)


def _from_2_to_3(connection: sqlite3.Connection) -> None:
    """Make room for protocol lines, and store a hash of what decides each result."""
    connection.execute(LOGS)
    connection.execute(SCHEDULE)
    connection.execute("ALTER TABLE games ADD COLUMN result_hash INTEGER NOT NULL DEFAULT 0")
    number = 0
    while rows := connection.execute(_RESULTS, [number]).fetchall():
        hashes = []
        for number, game_id, *bots, opening, cause, winner, moves in of_types(rows, *_RESULT_TYPES):
            value = result_hash(
                game_id=game_id,
                black=(bots[0], bots[1]),
                white=(bots[2], bots[3]),
                opening=opening,
                cause=cause,
                winner=winner,
                moves=moves,
            )
            hashes.append((value, number))
        connection.executemany("UPDATE games SET result_hash = ? WHERE number = ?", hashes)
