"""The rows of a rating table before anything is rated: who played how many games with what."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from harness.ratings.counts import FloatArray, GameCounts, IntArray
from harness.ratings.types import Bound, RatingRow

_FEW_POINTS: Final = 2.0


class Records(NamedTuple):
    """Wins, draws, losses and number of opponents of every bot."""

    wins: FloatArray
    draws: FloatArray
    losses: FloatArray
    opponents: IntArray


def records(counts: GameCounts) -> Records:
    """Add up the record of every bot."""
    met = counts.matrix(counts.games) > 0
    return Records(
        counts.by_bot(counts.wins, counts.losses),
        counts.by_bot(counts.draws, counts.draws),
        counts.by_bot(counts.losses, counts.wins),
        (met | met.T).sum(axis=1),
    )


def bots_with_few_points(counts: GameCounts, bots: IntArray) -> set[str]:
    """Return who of these bots won, or lost, fewer than two points against the others of them.

    Intervals then cover too little, whatever was scored against bots outside the scale.
    """
    record = records(inside := counts.only(bots))
    won, lost = record.wins + record.draws / 2, record.losses + record.draws / 2
    has_few = np.minimum(won, lost) < _FEW_POINTS
    return {name for name, is_one in zip(inside.names, has_few, strict=True) if is_one}


def unrated_row(name: str, record: tuple[int, int, int, int] = (0, 0, 0, 0)) -> RatingRow:
    """Return the row of a bot of which no rating is known; (wins, draws, losses, opponents)."""
    wins, draws, losses, opponents = record
    games = wins + draws + losses
    return RatingRow(
        rank=None,
        name=name,
        elo=None,
        error=None,
        bound=Bound.UNKNOWN,
        median=None,
        games=games,
        wins=wins,
        draws=draws,
        losses=losses,
        score=(wins + draws / 2) / games if games else None,
        los_next=None,
        opponents=opponents,
    )


def unrated_rows(counts: GameCounts) -> list[RatingRow]:
    """Return the unrated rows of a pool, in the order of its names."""
    columns = [column.tolist() for column in records(counts)]
    return [
        unrated_row(name, (int(wins), int(draws), int(losses), opponents))
        for name, wins, draws, losses, opponents in zip(counts.names, *columns, strict=True)
    ]
