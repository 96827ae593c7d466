"""The SQL that reads games: which of them, in which order, with or without the rare parts."""

from __future__ import annotations

from typing import Final

from harness.store.game_rows import DETAIL_COLUMNS, GAME_COLUMNS
from harness.store.records import Value, storable
from harness.store.rows import GameFilter, GameOrder

_TABLES: Final = """
    FROM games g
    JOIN bots b ON b.number = g.black
    JOIN bots w ON w.number = g.white
    JOIN openings o ON o.number = g.opening
    JOIN settings s ON s.number = g.settings
"""
_NUMBERS: Final = "(SELECT number FROM bots WHERE name = ?)"

_ORDER: Final = {
    GameOrder.SCHEDULE: "g.schedule_index NULLS LAST, g.id",
    GameOrder.NEWEST: "g.number DESC",
    GameOrder.LONGEST: "g.plies DESC, g.number",
}

PAIRINGS: Final = """
    SELECT black, white,
           count(*) FILTER (WHERE winner = 'black'),
           count(*) FILTER (WHERE winner IS NULL),
           count(*) FILTER (WHERE winner = 'white')
    FROM games
    GROUP BY black, white
"""
"""Reads the index ``games_results`` alone."""

BOTS_WITH_GAMES: Final = """
    SELECT DISTINCT name FROM bots b
    WHERE EXISTS (SELECT 1 FROM games WHERE black = b.number)
       OR b.number IN (SELECT white FROM games)
    ORDER BY name
"""
"""A look-up a bot; only for one that never played Black an index is read through."""

RESULTS: Final = """
    SELECT black, white, count(*),
           group_concat(
               4 * opening + CASE winner WHEN 'black' THEN 2 WHEN 'white' THEN 0 ELSE 1 END
           ),
           group_concat(pair), group_concat(moves_hash)
    FROM games {where}
    GROUP BY black, white
"""
"""One row a pairing: a row a game would cost more than all the rest. Reads ``games_results``.

The first text holds the opening and, in its last two bits, Black's half points.
"""

ENDINGS: Final = """
    SELECT black, white, cause, winner, count(*), sum(plies),
           sum(black_time_ns), sum(white_time_ns), sum(black_moves), sum(white_moves)
    FROM games {where}
    GROUP BY black, white, cause, winner
"""
"""Reads the index ``games_endings`` alone, as the next one does."""

LENGTHS: Final = """
    SELECT plies, winner IS NULL, count(*) FROM games {where}
    GROUP BY plies, winner IS NULL
"""

TIMED_GAMES: Final = """
    SELECT number FROM games {where} ORDER BY number
"""

PLY_TIMES: Final = """
    SELECT g.black, g.white, d.plies, o.start, o.moves
    FROM games g JOIN details d ON d.game = g.number JOIN openings o ON o.number = g.opening
    WHERE g.number = ?
"""

INSERTED_OF_GAME: Final = (
    *("black", "white", "opening", "settings"),
    *("id", "schedule_index", "batch", "encounter", "pair", "leg", "cause", "winner", "plies"),
    *("moves", "started_at", "duration_ns", "outcome_detail", "moves_hash"),
    *("black_moves", "white_moves", "black_time_ns", "white_time_ns", "result_hash"),
)
"""The columns of a new game as ``INSERT_GAME`` takes them: first the numbers of what is shared."""

INSERTED_OF_DETAILS: Final = (
    *("game", "plies", "final_reply", "black_announced", "white_announced"),
    *("black_stderr", "white_stderr", "black_process_id", "white_process_id", "provenance"),
)
"""The columns of its details in the order of ``INSERT_DETAILS``: first the number of the game."""

INSERT_GAME: Final = (
    f"INSERT INTO games ({', '.join(INSERTED_OF_GAME)})"  # noqa: S608  our own words
    f" VALUES ({', '.join('?' * len(INSERTED_OF_GAME))}) ON CONFLICT (id) DO NOTHING"
)
"""Only a second game of the same id is ignored; every other fault is an error."""

INSERT_DETAILS: Final = (
    f"INSERT INTO details ({', '.join(INSERTED_OF_DETAILS)})"  # noqa: S608  our own words
    f" VALUES ({', '.join('?' * len(INSERTED_OF_DETAILS))})"
)

INSERT_LOG: Final = "INSERT INTO logs (game, text) VALUES (?, ?)"

_DETAILS: Final = " JOIN details d ON d.game = g.number LEFT JOIN logs l ON l.game = g.number"

AUDITED_GAME: Final = f"""
    SELECT {GAME_COLUMNS}, o.moves, g.plies, g.moves_hash, g.result_hash,
           g.black_moves, g.white_moves, g.black_time_ns, g.white_time_ns
    {_TABLES.replace("JOIN", "LEFT JOIN")}
    WHERE g.number = ?
"""
"""A row also where something that it refers to is missing."""

AUDITED_DETAILS: Final = (
    f"SELECT {DETAIL_COLUMNS}"  # noqa: S608  our own words
    " FROM details d LEFT JOIN logs l ON l.game = d.game WHERE d.game = ?"
)


def one_game() -> str:
    """Return the SQL for one game with its details, by id."""
    return _select(details=True) + " WHERE g.id = ?"


def many_games(wanted: GameFilter, *, details: bool) -> tuple[str, list[Value]]:
    """Return the SQL for the games of a filter, and its parameters."""
    conditions, parameters = _where(wanted)
    where = " WHERE " + " AND ".join(conditions) if conditions else ""
    order = " ORDER BY " + _ORDER[wanted.order]
    limit = ""
    if wanted.limit is not None:
        limit = " LIMIT ?"
        parameters.append(max(0, wanted.limit))
    if wanted.order is GameOrder.LONGEST and limit:
        # No index has this order: the few are found in games_endings, which holds all that a
        # filter asks for, before anything else is read of them.
        found = f"SELECT g.number FROM games g{where}{order}{limit}"  # noqa: S608  our own words
        return f"{_select(details=details)} WHERE g.number IN ({found}){order}", parameters
    return _select(details=details) + where + order + limit, parameters


def _select(*, details: bool) -> str:
    columns = f"{GAME_COLUMNS}, {DETAIL_COLUMNS}" if details else GAME_COLUMNS
    tables = _TABLES + _DETAILS if details else _TABLES
    return f"SELECT {columns} {tables}"


def _where(wanted: GameFilter) -> tuple[list[str], list[Value]]:
    conditions: list[str] = []
    parameters: list[Value] = []
    for name in (wanted.bot, wanted.opponent):
        if name is not None:
            conditions.append(f"(g.black IN {_NUMBERS} OR g.white IN {_NUMBERS})")
            parameters += [storable(name)] * 2
    if wanted.cause is not None:
        conditions.append("g.cause = ?")
        parameters.append(wanted.cause.value)
    if wanted.result == "draw":
        conditions.append("g.winner IS NULL")
    elif wanted.result is not None:
        conditions.append("g.winner = ?")
        parameters.append(wanted.result)
    if wanted.won_by is not None:
        conditions.append(
            f"((g.winner = 'black' AND g.black IN {_NUMBERS})"
            f" OR (g.winner = 'white' AND g.white IN {_NUMBERS}))"
        )
        parameters += [storable(wanted.won_by)] * 2
    if wanted.min_plies is not None:
        conditions.append("g.plies >= ?")
        parameters.append(wanted.min_plies)
    if wanted.max_plies is not None:
        conditions.append("g.plies <= ?")
        parameters.append(wanted.max_plies)
    return conditions, parameters
