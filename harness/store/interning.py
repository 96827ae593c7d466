"""Numbers for what many games share: bots, openings, settings."""

from __future__ import annotations

import sqlite3
from typing import Final

from harness.store.records import Value

_FIND_BOT: Final = "SELECT number FROM bots WHERE name = ? AND identity = ?"
_ADD_BOT: Final = "INSERT INTO bots (name, identity, first_used_at) VALUES (?, ?, ?)"
_FIND_OPENING: Final = "SELECT number FROM openings WHERE content_id = ?"
_ADD_OPENING: Final = "INSERT INTO openings (content_id, start, moves) VALUES (?, ?, ?)"
_FIND_SETTINGS: Final = """
    SELECT number FROM settings WHERE rules = ? AND black_time = ? AND white_time = ?
    AND margin_ns = ? AND max_think_ns = ? AND seed = ?
"""
_ADD_SETTINGS: Final = """
    INSERT INTO settings (rules, black_time, white_time, margin_ns, max_think_ns, seed)
    VALUES (?, ?, ?, ?, ?, ?)
"""

_Key = tuple[Value, ...]


class Interning:
    """Looks shared values up, adds what is new, and remembers the numbers of this connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[str, dict[_Key, int]] = {
            find: {} for find in (_FIND_BOT, _FIND_OPENING, _FIND_SETTINGS)
        }

    def forget(self) -> None:
        """Forget all numbers: a transaction that may have made some was undone."""
        for numbers in self._known.values():
            numbers.clear()

    def bot(self, bot: tuple[str, str], now: str) -> int:
        """Return the number of a bot, given as (name, identity)."""
        return self._number(_FIND_BOT, bot, _ADD_BOT, (*bot, now))

    def opening(self, opening: tuple[str, str, str]) -> int:
        """Return the number of an opening, given as (content id, start, moves)."""
        return self._number(_FIND_OPENING, opening[:1], _ADD_OPENING, opening)

    def settings(self, settings: tuple[Value, ...]) -> int:
        """Return the number of settings, given as the columns of their table."""
        return self._number(_FIND_SETTINGS, settings, _ADD_SETTINGS, settings)

    def _number(self, find: str, key: _Key, add: str, values: _Key) -> int:
        known = self._known[find].get(key)
        if known is not None:
            return known
        row = self._connection.execute(find, key).fetchone()
        if row is None:
            row = (self._connection.execute(add, values).lastrowid,)
        number = int(row[0])
        self._known[find][key] = number
        return number
