"""The tables of ``games.sqlite``: their text, their version, and the mark of the file.

Whatever thousands of games share (a bot's identity, an opening, rules and clocks) is kept once
and referred to by number, so that a game's row holds little more than its moves and the indices
that ratings and reports read hold a few small numbers a game. What is rarely read (time of each
ply, error output, provenance) is in ``details``, protocol lines are in ``logs``. No STRICT
tables: SQLite 3.34, which some systems with Python 3.11 still have, cannot read them; the checks
say the same.
"""

from __future__ import annotations

from typing import Final

FILE_NAME: Final = "games.sqlite"

APPLICATION_ID: Final = 0x4C4F4147
"""``LOAG`` in ASCII: marks the file as ours, as ``file`` and SQLite read it."""

SCHEMA_VERSION: Final = 3
"""Kept in ``PRAGMA user_version``; a file of a higher version is never touched."""

INDICES_OF_REPORTS: Final = (
    """
    CREATE INDEX games_results
    ON games (black, white, opening, winner, settings, pair, moves_hash)
    """,
    """
    CREATE INDEX games_endings
    ON games (black, white, cause, winner, settings, plies,
              black_time_ns, white_time_ns, black_moves, white_moves)
    """,
)
"""What ratings and reports read, so that a million games need no look at their moves."""

LOGS: Final = """
    CREATE TABLE logs (
        game INTEGER PRIMARY KEY REFERENCES games (number),
        text BLOB NOT NULL                              -- zlib of UTF-8: protocol lines
    )
    """
"""Only games of which protocol lines are kept: those that ended by forfeit, or all on demand."""

SCHEDULE: Final = """
    CREATE TABLE schedule (
        one    INTEGER PRIMARY KEY CHECK (one = 1),
        extent TEXT NOT NULL                            -- for which games.schedule_index is right
    )
    """
"""No row: nobody knows for which schedule ``games.schedule_index`` was written."""

STATEMENTS: Final = (
    """
    CREATE TABLE tournament (
        one         INTEGER PRIMARY KEY CHECK (one = 1),
        name        TEXT NOT NULL,
        spec        TEXT NOT NULL,
        conditions  TEXT NOT NULL,                      -- JSON
        created_at  TEXT NOT NULL,                      -- ISO 8601, UTC
        runs        INTEGER NOT NULL                    -- how often it was begun
    )
    """,
    """
    CREATE TABLE bots (
        number        INTEGER PRIMARY KEY,
        name          TEXT NOT NULL,
        identity      TEXT NOT NULL,
        definition    TEXT NOT NULL DEFAULT '{}',       -- JSON, the bot's own conditions
        first_used_at TEXT NOT NULL,
        last_run      INTEGER NOT NULL DEFAULT 0,       -- tournament.runs when last begun
        UNIQUE (name, identity)
    )
    """,
    """
    CREATE TABLE openings (
        number     INTEGER PRIMARY KEY,
        content_id TEXT NOT NULL UNIQUE,
        start      TEXT NOT NULL,                       -- FEN
        moves      TEXT NOT NULL                        -- written form, one space between
    )
    """,
    """
    CREATE TABLE settings (
        number       INTEGER PRIMARY KEY,
        rules        TEXT NOT NULL,                     -- JSON
        black_time   TEXT NOT NULL,
        white_time   TEXT NOT NULL,
        margin_ns    INTEGER NOT NULL,
        max_think_ns INTEGER NOT NULL,
        seed         INTEGER NOT NULL,
        UNIQUE (rules, black_time, white_time, margin_ns, max_think_ns, seed)
    )
    """,
    """
    CREATE TABLE games (
        number         INTEGER PRIMARY KEY,             -- in the order of storing
        id             TEXT NOT NULL UNIQUE,
        schedule_index INTEGER,                         -- NULL: no longer in the schedule
        batch          INTEGER NOT NULL,
        encounter      TEXT NOT NULL,
        pair           INTEGER NOT NULL,
        leg            TEXT NOT NULL,
        black          INTEGER NOT NULL REFERENCES bots (number),
        white          INTEGER NOT NULL REFERENCES bots (number),
        opening        INTEGER NOT NULL REFERENCES openings (number),
        settings       INTEGER NOT NULL REFERENCES settings (number),
        cause          TEXT NOT NULL,
        winner         TEXT CHECK (winner IN ('black', 'white')),
        plies          INTEGER NOT NULL,                -- the opening's included
        moves          TEXT NOT NULL,                   -- the opening's included, written form
        started_at     TEXT NOT NULL,                   -- ISO 8601, UTC
        duration_ns    INTEGER NOT NULL,
        outcome_detail TEXT NOT NULL,
        moves_hash     INTEGER NOT NULL DEFAULT 0,      -- equal moves, equal number (48 bits)
        black_moves    INTEGER NOT NULL DEFAULT 0,      -- asked of Black, the opening's not
        white_moves    INTEGER NOT NULL DEFAULT 0,
        black_time_ns  INTEGER NOT NULL DEFAULT 0,      -- charged to Black for these
        white_time_ns  INTEGER NOT NULL DEFAULT 0,
        result_hash    INTEGER NOT NULL DEFAULT 0       -- of what decides the result (48 bits)
    )
    """,
    """
    CREATE TABLE details (
        game             INTEGER PRIMARY KEY REFERENCES games (number),
        plies            BLOB NOT NULL,                 -- zlib of JSON: elapsed_ns, info
        final_reply      TEXT NOT NULL,
        black_announced  TEXT NOT NULL,
        white_announced  TEXT NOT NULL,
        black_stderr     TEXT NOT NULL,
        white_stderr     TEXT NOT NULL,
        black_process_id INTEGER,
        white_process_id INTEGER,
        provenance       TEXT NOT NULL                  -- JSON
    )
    """,
    LOGS,
    """
    CREATE TABLE incidents (
        number  INTEGER PRIMARY KEY,
        game    TEXT NOT NULL,                          -- an id; empty: none in particular
        attempt INTEGER NOT NULL,
        kind    TEXT NOT NULL,
        bot     TEXT NOT NULL,                          -- a name; empty: none in particular
        why     TEXT NOT NULL,
        at      TEXT NOT NULL                           -- ISO 8601, UTC
    )
    """,
    SCHEDULE,
    "CREATE INDEX games_schedule ON games (schedule_index, id)",
    *INDICES_OF_REPORTS,
)
