"""What ratings and reports are made of, read from indices: results, endings, lengths, times."""

from __future__ import annotations

import random
import sqlite3
from array import array
from collections.abc import Collection, Set
from itertools import pairwise
from types import NoneType
from typing import TYPE_CHECKING, Final

from harness.play.types import Cause
from harness.rules.types import Color
from harness.store import queries
from harness.store.game_rows import of_types, unpack_plies
from harness.store.records import is_black_first
from harness.store.rows import EndingRow, LengthRow, PairingCount, PlyTimes, ResultColumns
from harness.store.selection import Selection, Where, where

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SEED: Final = 1
"""The same games are sampled every time: the same store gives the same report."""


def pairing_counts(connection: sqlite3.Connection) -> list[PairingCount]:
    """Count Black's wins, draws and losses for every two bots on their sides, by name."""
    bots = _bots(connection)
    return sorted(
        PairingCount(bots[black][0], bots[white][0], bots[black][1], bots[white][1], *results)
        for black, white, *results in connection.execute(queries.PAIRINGS)
    )


def result_columns(connection: sqlite3.Connection, selection: Selection) -> ResultColumns:
    """Read the results of the selected games; never their moves."""
    import numpy as np

    condition = _where(connection, selection)
    bots = _bots(connection)
    in_use = connection.execute("SELECT number, content_id FROM openings")
    openings: dict[int, str] = dict(of_types(in_use, int, str))
    cursor = connection.execute(queries.RESULTS.format(where=condition.text), condition.parameters)
    rows = list(of_types(cursor, *(int, int, int), *(str, str, str)))
    games = np.array([row[2] for row in rows], dtype=np.int64)

    def bot(place: int) -> NDArray[np.int64]:
        numbers = [row[place] for row in rows]
        _require(set(numbers), bots, "bot")
        return np.repeat(np.array(numbers, dtype=np.int64), games)

    def listed(place: int) -> NDArray[np.int64]:
        # Read as one text: made one by one, the numbers would take longer than all the rest.
        texts = ",".join([row[place] for row in rows])
        numbers = np.fromstring(texts, dtype=np.int64, sep=",")
        if len(numbers) != games.sum():
            raise ValueError(f"{len(numbers)} values belong to {games.sum()} games")
        return numbers

    opening, half_points = np.divmod(listed(3), 4)
    _require(set(np.unique(opening).tolist()), openings, "opening")
    columns = (bot(0), bot(1), opening, half_points, listed(4), listed(5))
    return ResultColumns(bots, openings, *(array("q", column.tobytes()) for column in columns))


def ending_rows(connection: sqlite3.Connection, selection: Selection) -> list[EndingRow]:
    """Count the selected games by bots, cause and winner."""
    condition = _where(connection, selection)
    bots = _bots(connection)
    rows = connection.execute(queries.ENDINGS.format(where=condition.text), condition.parameters)
    return [
        EndingRow(
            bots[black][0],
            bots[white][0],
            bots[black][1],
            bots[white][1],
            Cause(cause),
            None if winner is None else Color[winner.upper()],
            *sums,
        )
        for black, white, cause, winner, *sums in of_types(
            rows, int, int, str, (str, NoneType), *(int,) * 6
        )
    ]


def length_rows(connection: sqlite3.Connection, selection: Selection) -> list[LengthRow]:
    """Count the selected games by length."""
    condition = _where(connection, selection)
    rows = connection.execute(queries.LENGTHS.format(where=condition.text), condition.parameters)
    return [
        LengthRow(plies, bool(is_drawn), games)
        for plies, is_drawn, games in of_types(rows, int, int, int)
    ]


def ply_times(
    connection: sqlite3.Connection, selection: Selection, most: int
) -> tuple[list[PlyTimes], int]:
    """Read the times of at most so many selected games, evenly over all; and how many there are.

    Raises ValueError, TypeError, LookupError or zlib.error when a stored game makes no sense.
    """
    condition = _where(connection, selection)
    rows = connection.execute(
        queries.TIMED_GAMES.format(where=condition.text), condition.parameters
    )
    numbers = [number for (number,) in rows]
    bots = _bots(connection)
    times: list[PlyTimes] = []
    for number in _sample(numbers, most):
        rows = connection.execute(queries.PLY_TIMES, [number])
        for black, white, plies, start, opening_moves in of_types(rows, int, int, bytes, str, str):
            elapsed_ns = tuple(ply.elapsed_ns for ply in unpack_plies(plies))
            sides = (black, white) if is_black_first(start, opening_moves) else (white, black)
            times += [
                PlyTimes(*bots[side], elapsed_ns[place::2]) for place, side in enumerate(sides)
            ]
    return times, len(numbers)


def _sample(numbers: list[int], most: int) -> list[int]:
    """Return one of each of as many equal stretches as are wanted, by chance.

    Games are stored in rounds: every so-manieth one would be of the same two bots.
    """
    count = min(most, len(numbers))
    ends = [place * len(numbers) // count for place in range(count + 1)] if count > 0 else []
    chance = random.Random(_SEED)  # noqa: S311  no secret
    return [numbers[chance.randrange(*stretch)] for stretch in pairwise(ends)]


def _require(numbers: Set[int], known: Collection[int], what: str) -> None:
    missing = numbers - set(known)
    if missing:
        raise ValueError(f"{what} {min(missing)} is missing")


def _bots(connection: sqlite3.Connection) -> dict[int, tuple[str, str]]:
    rows = connection.execute("SELECT number, name, identity FROM bots")
    return {number: (name, identity) for number, name, identity in of_types(rows, int, str, str)}


def _where(connection: sqlite3.Connection, selection: Selection) -> Where:
    bots = [(number, *bot) for number, bot in _bots(connection).items()]
    settings = connection.execute("SELECT number, black_time, white_time FROM settings")
    return where(selection, bots, of_types(settings, int, str, str))
