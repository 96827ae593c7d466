"""How ratings settle: the same model on the first games of the schedule, more and more of them."""

from __future__ import annotations

from typing import Final

import numpy as np

from harness.ratings.components import pools, strong_components
from harness.ratings.counts import FloatArray
from harness.ratings.davidson import Model, fit
from harness.ratings.estimate import Gauge, estimate_group
from harness.ratings.groups import Group
from harness.ratings.observations import MOST_WITH_INTERVALS, RatingHistory
from harness.ratings.results import GameResults
from harness.ratings.types import Bound, RatingTable
from harness.ratings.uncertainty import clustered_uncertainty

MOST_CHECKPOINTS: Final = 24
_LATE_INTERVALS: Final = "Intervals are known from the first {} games on, when all have a rating."


def rating_history(
    results: GameResults, table: RatingTable, model: Model = Model.DAVIDSON
) -> RatingHistory:
    """Rate the bots of a table again after every few game pairs of the schedule.

    ``results`` are the games of the table's pool. A bot has no number until it has both won and
    lost points against others that have one. Zero is that of the table: its anchor, or else at
    each checkpoint the mean of the bots rated there is what the table has for them. Errors are
    given from the checkpoint on from which all have a rating: before, they would be those of
    differences to a few bots that are taken to be where they end.
    """
    names = table.rated
    pairs = np.unique(results.pair)
    places = np.unique(np.linspace(0, len(pairs), MOST_CHECKPOINTS + 1)[1:].astype(np.int64))
    games, elo, errors = [], [], []
    for place in places[places > 0].tolist():
        first = results.where(results.pair <= pairs[place - 1])
        ratings, half_widths = _ratings(first, table, model)
        games.append(first.total)
        elo.append(ratings)
        errors.append(half_widths)
    all_elo = np.array(elo).reshape(-1, len(names))
    error = np.array(errors).reshape(-1, len(names))
    partial, _ = np.nonzero(np.isnan(all_elo))
    early = int(partial.max(initial=-1)) + 1
    error[:early] = np.nan
    caption = table.scale
    if 0 < early < len(games) and len(names) <= MOST_WITH_INTERVALS:
        caption = f"{caption} {_LATE_INTERVALS.format(games[early])}"
    return RatingHistory(
        names=names,
        games=np.array(games, dtype=np.int64),
        elo=all_elo,
        error=error,
        caption=caption,
    )


def _ratings(
    results: GameResults, table: RatingTable, model: Model
) -> tuple[FloatArray, FloatArray]:
    """Return Elo and half widths of the rated bots, nan where one has none yet."""
    names = table.rated
    final = {row.name: row.elo for row in table.rows if row.bound is Bound.EXACT}
    elo, errors = np.full(len(names), np.nan), np.full(len(names), np.nan)
    for bots in pools(results.counts()):
        inside = results.among(bots)
        counts = inside.counts()
        fitted = fit(counts, model=model)
        core = strong_components(counts)[0]
        rated = [bot for bot in core.tolist() if counts.names[bot] in final]
        if fitted is None or len(core) < 2 or len(rated) < 2:
            continue
        zeros = [bot for bot in rated if counts.names[bot] == table.anchor] or rated
        weights = np.zeros(len(counts.names))
        weights[zeros] = 1 / len(zeros)
        base = float(np.mean([final[counts.names[bot]] for bot in zeros]))
        estimate = estimate_group(
            fitted,
            Group(np.array(rated)),
            Gauge(weights, fitted.elo_scale, base, table.zero),
            clustered_uncertainty(fitted, inside.opening_rows()),
            None,
            seed=0,
            is_quick=True,
        )
        places = [names.index(counts.names[bot]) for bot in estimate.ranked]
        elo[places], errors[places] = estimate.elo, estimate.errors
        break  # the largest pool: others have a zero of their own
    return elo, errors
