"""Rating tables and cross tables of bots that were never played."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ratings.counts import PairingCount
from harness.ratings.crosstable import CrossTable, cross_table
from harness.ratings.table import RatingTable, rate


def rows(names: Sequence[str], games: int = 20) -> list[PairingCount]:
    """A round-robin in which earlier names are better, by a share that grows with distance."""
    found = []
    for place, first in enumerate(names):
        for other, second in enumerate(names):
            if place != other:
                ahead = (other - place) / len(names)
                wins = max(1, min(games - 2, round(games * (0.5 + ahead * 0.4))))
                found.append(PairingCount(first, second, wins, 1, games - wins - 1))
    return found


def rated(
    results: Sequence[PairingCount], idle: Sequence[str] = ()
) -> tuple[tuple[RatingTable, ...], CrossTable]:
    tables = rate(results, names=idle)
    return tables, cross_table(results, [row.name for table in tables for row in table.rows])
