"""Everything that is reckoned from stored games, put together: tables, matches, diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from harness.ratings.crosstable import CrossTable, cross_table
from harness.ratings.davidson import Model
from harness.ratings.diagnostics import Diagnostics, Effort, diagnose, efforts
from harness.ratings.observations import EndingCount
from harness.ratings.results import GameResults
from harness.ratings.table import DEFAULT_OPTIONS, RatedPool, RatingOptions, rate_games
from harness.ratings.two_bots import MatchReport, match_report
from harness.ratings.types import RatingTable


@dataclass(frozen=True, slots=True, eq=False)
class PoolReport:
    """One pool, bots joined by games: its tables and what is known of it beside them.

    ``match`` is there for two bots only, ``diagnostics`` where the pool has a decisive game.
    """

    bots: tuple[str, ...]
    tables: tuple[RatingTable, ...]
    match: MatchReport | None
    diagnostics: Diagnostics | None
    efforts: tuple[Effort, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """The model, tables (the largest first), pools in the same order, cross table, endings."""

    model: Model
    tables: tuple[RatingTable, ...]
    pools: tuple[PoolReport, ...]
    cross: CrossTable
    endings: tuple[EndingCount, ...]


def analyse(
    results: GameResults,
    endings: Sequence[EndingCount] = (),
    options: RatingOptions = DEFAULT_OPTIONS,
    progress: Callable[[int], None] = lambda _: None,
) -> Analysis:
    """Rate the games and look at them from all sides.

    ``progress`` is called after every bootstrap refit. Raises InputError when the anchor is none
    of the bots.
    """
    tables, pools = rate_games(results, options, progress)
    order = [row.name for table in tables for row in table.rows if row.games]
    return Analysis(
        model=options.model,
        tables=tables,
        pools=tuple(map(_pool_report, pools)),
        cross=cross_table(results.counts().pairing_counts(), order),
        endings=tuple(endings),
    )


def _pool_report(pool: RatedPool) -> PoolReport:
    assert pool.results is not None
    assert pool.rows is not None
    names = [row.name for table in pool.tables for row in table.rows]
    diagnostics = None
    if pool.fit is not None:
        ratios = [ratio for table in pool.tables for ratio in table.error_ratios()]
        diagnostics = diagnose(pool.fit, pool.results, pool.counts, pool.rows, ratios)
    found: tuple[Effort, ...] = ()
    if pool.fit is not None and diagnostics is not None:
        for table in pool.tables:
            superiorities = np.diagonal(table.los, 1).tolist()
            found += efforts(
                pool.fit,
                pool.counts.names,
                table.rated,
                superiorities,
                diagnostics.pair_dispersion,
            )
    return PoolReport(
        bots=tuple(names),
        tables=pool.tables,
        match=match_report(pool.results, names[0], names[1]) if len(names) == 2 else None,
        diagnostics=diagnostics,
        efforts=found,
    )
