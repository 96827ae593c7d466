"""Bounds instead of ratings for bots that won everything, or lost everything.

The likelihood of such a record grows for ever, so a fitted rating is the prior's. What the
games do say is a bound: the rating at which so extreme a record would have a chance of 5 %.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Final, NamedTuple

import numpy as np

from harness.ratings.counts import FloatArray, GameCounts, IntArray
from harness.ratings.davidson import DavidsonFit, outcome_logs

BOUND_CHANCE: Final = 0.05
MEDIAN_CHANCE: Final = 0.5


class Side(Enum):
    """On which side of its opponents something stands: it won, or lost, every game."""

    ABOVE = "above"
    BELOW = "below"


class Bounds(NamedTuple):
    """Ratings in natural units at which the record has a chance of 5 % and of 50 %."""

    side: Side
    bound: float
    median: float


def saturation_rating(
    gaps: FloatArray, games: FloatArray, nu: float, side: Side, chance: float
) -> float:
    """Return the rating at which all these games are won (ABOVE) or lost (BELOW) by this chance.

    ``gaps`` are the opponents' ratings, minus the first-move advantage where the bot itself
    moves first, plus it where it moves second. Natural units throughout.
    """
    from scipy.optimize import brentq

    log_chance, log_nu = math.log(chance), math.log(nu) if nu > 0 else -math.inf
    sign = 1.0 if side is Side.ABOVE else -1.0
    farthest = float((sign * gaps).max())

    def log_record(lead: float) -> float:
        won, _, _ = outcome_logs(farthest + lead - sign * gaps, log_nu)
        return float(games @ won)

    width = 1.0
    while log_record(-width) > log_chance or log_record(width) < log_chance:
        width *= 2
    lead = brentq(lambda lead: log_record(lead) - log_chance, -width, width, xtol=1e-13)
    return sign * (farthest + float(lead))


def record_bounds(
    counts: GameCounts,
    fit: DavidsonFit,
    bots: IntArray,
    opponents: IntArray,
    *,
    own: FloatArray,
    at_bound: FloatArray,
    at_median: FloatArray,
) -> Bounds | None:
    """Bound the common shift of the bots, which won or lost every game against the opponents.

    ``own`` are the bots' ratings before the shift, ``at_bound`` and ``at_median`` what the
    opponents' are taken to be; arrays over all bots, natural units. None: they never met.
    """
    as_first = np.isin(counts.first, bots) & np.isin(counts.second, opponents)
    as_second = np.isin(counts.second, bots) & np.isin(counts.first, opponents)
    games = np.concatenate([counts.games[as_first], counts.games[as_second]])
    if not len(games):
        return None
    has_won = counts.wins[as_first].sum() + counts.losses[as_second].sum() > 0
    side = Side.ABOVE if has_won else Side.BELOW

    def rating(against: FloatArray, chance: float) -> float:
        first = against[counts.second[as_first]] - own[counts.first[as_first]]
        second = against[counts.first[as_second]] - own[counts.second[as_second]]
        gaps = np.concatenate([first - fit.advantage, second + fit.advantage])
        return saturation_rating(gaps, games, fit.nu, side, chance)

    return Bounds(side, rating(at_bound, BOUND_CHANCE), rating(at_median, MEDIAN_CHANCE))
