"""Where stored games stand in the schedule, and of which schedule that is said."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from harness.tournament.index_runs import IndexRuns

_NOWHERE: Final = -1

_ALL_GAMES: Final = "SELECT number, id, schedule_index FROM games"

_GAMES_FROM: Final = f"""
    {_ALL_GAMES} WHERE schedule_index IS NULL
    UNION ALL {_ALL_GAMES} WHERE schedule_index >= ?
"""
"""Each half is a stretch of the index ``games_schedule``, which holds all three columns."""

_PLACES: Final = """
    SELECT schedule_index FROM games WHERE schedule_index IS NOT NULL ORDER BY schedule_index
"""


def read_places(connection: sqlite3.Connection) -> IndexRuns:
    """Read the places of all games that have one, in their order, from an index.

    Raises ValueError or TypeError when a place is none.
    """
    return IndexRuns(place for (place,) in connection.execute(_PLACES))


def write_places(
    connection: sqlite3.Connection,
    sensible: Callable[[str], AbstractContextManager[None]],
    index_of: Callable[[str], int | None],
    extent: str,
    unchanged: int,
) -> int:
    """Write the places that have changed and their extent; returns how many games have none.

    The caller holds the transaction. ``sensible`` makes a senseless row an error of the store;
    what ``index_of`` raises is none.
    """
    if unchanged > 0:
        rows = connection.execute(_GAMES_FROM, [unchanged])
    else:
        rows = connection.execute(_ALL_GAMES)
    changed, places = array("q"), array("q")  # a million of them, if a bot is new
    surplus = 0
    for number, game_id, before in rows:
        if type(game_id) is not str:
            with sensible("the id of a game"):
                raise TypeError(f"{game_id!r:.80} is no text")
        now = index_of(game_id)
        if now is None:
            surplus += 1
        if now != before:
            changed.append(number)
            places.append(_NOWHERE if now is None else now)
    connection.executemany(
        "UPDATE games SET schedule_index = ? WHERE number = ?",
        (
            (None if place == _NOWHERE else place, number)
            for number, place in zip(changed, places, strict=True)
        ),
    )
    _write_extent(connection, extent)
    return surplus


def _write_extent(connection: sqlite3.Connection, extent: str) -> None:
    """Say of which schedule the places are; nothing is written when that is said already."""
    if not extent:
        connection.execute("DELETE FROM schedule")
        return
    connection.execute(
        "INSERT INTO schedule (one, extent) VALUES (1, ?)"
        " ON CONFLICT (one) DO UPDATE SET extent = excluded.extent"
        " WHERE extent IS NOT excluded.extent",
        [extent],
    )
