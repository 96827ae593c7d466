"""Rating tables, analyses and results of bots that were never played."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from harness.ratings.analysis import Analysis, analyse
from harness.ratings.counts import PairingCount
from harness.ratings.crosstable import CrossTable, cross_table
from harness.ratings.observations import EndingCount
from harness.ratings.results import GameResults
from harness.ratings.table import DEFAULT_OPTIONS, RatingOptions, rate
from harness.ratings.types import RatingTable

HOSTILE = ("a" * 64, "+cmd", "-x", "b|c", "[red]d[/red]", "e\x1b[31m\n\u202e", "$f_{1}$")
"""Names that are long, formulas, markup, control characters or mathematics."""


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


def played(
    names: Sequence[str], openings: int = 24, *, seed: int = 1, lead: float = 0.5
) -> GameResults:
    """A round-robin by chance: a game pair an opening and pairing, earlier names ahead by ``lead``.

    ``lead`` is in natural units for each place between two bots. One game in twenty is drawn.
    """
    chance = np.random.default_rng(seed)
    ordered = tuple(sorted(names))
    strength = {name: -lead * place for place, name in enumerate(names)}
    columns: list[tuple[int, int, int, int, int]] = []
    for one, other in combinations(range(len(ordered)), 2):
        for opening in range(openings):
            for first, second in ((one, other), (other, one)):
                ahead = strength[ordered[first]] - strength[ordered[second]] + 0.1
                points = 2 if chance.random() < 1 / (1 + np.exp(-ahead)) else 0
                points = 1 if chance.random() < 0.05 else points
                columns.append((first, second, opening, points, opening))
    arrays = np.array(columns, dtype=np.int64).reshape(-1, 5).T
    return GameResults(
        ordered,
        tuple(f"{number:016x}" for number in range(openings)),
        arrays[0],
        arrays[1],
        arrays[2],
        arrays[3].astype(np.int8),
        arrays[4],
        np.arange(len(columns)),
    )


def endings(results: GameResults) -> list[EndingCount]:
    """Endings that fit these results: wins by connection, draws by repetition."""
    found = []
    for row in results.counts().pairing_counts():
        for winner, games in ((row.first, row.wins), (None, row.draws), (row.second, row.losses)):
            if games:
                cause = "repetition" if winner is None else "connection"
                sums = (games, 30 * games, games * 10**9, 2 * games * 10**9, 15 * games, 14 * games)
                found.append(EndingCount(row.first, row.second, cause, winner, *sums))
    return found


def analysed(results: GameResults, options: RatingOptions = DEFAULT_OPTIONS) -> Analysis:
    """The analysis of these results with endings that fit."""
    return analyse(results, endings(results), options)
