"""A match between two bots: score, Elo, normalized Elo and likelihood of superiority.

A unit is what chance deals out independently: a game, or better an opening, whose two games with
sides swapped share its luck. Units score 0 to 1. Two views of the same numbers are kept apart:
``UnitStatistics`` are the plain formulas that other match runners print, infinities included;
``MatchEstimate`` is the row for people, with an interval that holds for few and for one-sided
units as well, and None for what is not known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np

from harness.ratings.counts import FloatArray
from harness.ratings.davidson import ELO
from harness.ratings.normal import FEWEST_LARGE, Z95, normal_cdf, superiority_chance

NELO: Final = 2 * ELO
"""Normalized Elo in one standard deviation of a game's score."""

EMPTY_COUNT: Final = 1e-3
"""What stands for an empty count where a law needs all of them (as in fishtest)."""

FEWEST_NORMAL_UNITS: Final = 10
"""From so many units on the mean may be taken as normally distributed."""

_TAIL: Final = 0.025
_SAME: Final = 1e-9
"""Scores closer than this are the same, apart from rounding."""
_SMALLEST_SCORE: Final = 1e-300


def score_to_elo(score: float) -> float:
    """Return the Elo difference of an expected score; infinite from 0 down and from 1 up."""
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return ELO * (math.log(score) - math.log1p(-score))


def elo_to_score(elo: float) -> float:
    """Return the expected score of an Elo difference."""
    return (1 + math.tanh(elo / (2 * ELO))) / 2


def regularised(counts: Sequence[float]) -> tuple[float, ...]:
    """Return the counts with 0.001 in place of every empty one (fishtest)."""
    return tuple(float(count) if count > 0 else EMPTY_COUNT for count in counts)


@dataclass(frozen=True, slots=True)
class UnitStatistics:
    """Moments of the unit scores and the plain formulas on them, as fastchess and fishtest have.

    Not for people: numbers are infinite where the score is 0 or 1, and nan where a formula
    divides nothing by nothing (no variance). ``variance`` is that of one unit's score.
    """

    units: float
    score: float
    variance: float
    games_per_unit: int

    @property
    def games(self) -> float:
        """Number of games."""
        return self.units * self.games_per_unit

    @property
    def standard_error(self) -> float:
        """Standard error of the score."""
        return math.sqrt(self.variance / self.units)

    @property
    def elo(self) -> float:
        """Elo difference on the logistic score curve."""
        return score_to_elo(self.score)

    @property
    def elo_low(self) -> float:
        """Lower end of the 95 % interval."""
        return score_to_elo(self.score - Z95 * self.standard_error)

    @property
    def elo_high(self) -> float:
        """Upper end of the 95 % interval."""
        return score_to_elo(self.score + Z95 * self.standard_error)

    @property
    def elo_margin(self) -> float:
        """Half the width of the 95 % interval."""
        if math.isinf(self.elo_low) or math.isinf(self.elo_high):
            return math.inf
        return (self.elo_high - self.elo_low) / 2

    @property
    def nelo(self) -> float:
        """Normalized Elo: the distance from 1/2 in deviations of a game's score."""
        lead = self.score - 0.5
        if self.variance == 0:
            return math.copysign(math.inf, lead) if lead else math.nan
        return NELO * lead / math.sqrt(self.games_per_unit * self.variance)

    @property
    def nelo_margin(self) -> float:
        """Half the width of the 95 % interval of the normalized Elo."""
        return Z95 * NELO / math.sqrt(self.games) if self.variance > 0 else math.nan

    @property
    def los(self) -> float:
        """Likelihood of superiority, by the normal distribution."""
        lead = self.score - 0.5
        if self.variance == 0:
            return 0.5 if lead == 0 else float(lead > 0)
        return normal_cdf(lead / self.standard_error)


def unit_statistics(counts: Sequence[float], games_per_unit: int) -> UnitStatistics | None:
    """Return the moments of counted units; None: there are no units.

    ``counts`` are of the possible scores in ascending order: (losses, draws, wins) of games, or
    (LL, LD, DD + WL, WD, WW) of pairs. The k-th of n scores is k / (n - 1).
    """
    weights = np.asarray(counts, dtype=np.float64)
    units = float(weights.sum())
    if units == 0:
        return None
    scores = np.linspace(0.0, 1.0, len(weights))
    mean = float(weights @ scores) / units
    variance = float(weights @ (scores - mean) ** 2) / units
    return UnitStatistics(units, mean, variance, games_per_unit)


def pentanomial_counts(pair_scores: FloatArray) -> tuple[int, int, int, int, int]:
    """Count pairs by their score 0, 1/4, 1/2, 3/4, 1; ValueError for any other score."""
    quarters = 4 * np.asarray(pair_scores, dtype=np.float64)
    cells = np.rint(quarters)
    if not (np.abs(quarters - cells) < _SAME).all() or not ((cells >= 0) & (cells <= 4)).all():
        raise ValueError("a pair scores 0, 1/4, 1/2, 3/4 or 1")
    lost, behind, even, ahead, won = np.bincount(cells.astype(np.int64), minlength=5).tolist()
    return lost, behind, even, ahead, won


def clopper_pearson(points: float, units: float) -> tuple[float, float]:
    """Return the 95 % interval of the expected score, by Beta quantiles.

    Exact for units that are won or lost, too wide for units that can be drawn.
    """
    low = _beta_low(points, units)
    return low, 1 - _beta_low(units - points, units)


def _beta_low(points: float, units: float) -> float:
    from scipy.special import betaincinv

    return float(betaincinv(points, units - points + 1, _TAIL)) if points > 0 else 0.0


def exact_elo_interval(points: float, units: float) -> tuple[float | None, float | None]:
    """Return the 95 % interval of the Elo difference by Clopper and Pearson; None: no such end."""
    low = _finite_elo(_beta_low(points, units))
    high = _finite_elo(_beta_low(units - points, units))
    return low, None if high is None else -high


def los_of_beta(points: float, units: float) -> float:
    """Return the chance that the expected score is above 1/2, from Jeffreys' prior."""
    from scipy.special import betainc

    return float(betainc(units - points + 0.5, points + 0.5, 0.5))


def los_of_decisive_games(wins: float, losses: float) -> float | None:
    """Return the likelihood of superiority from decisive games alone, by the normal distribution.

    That of cutechess; None: no game was decisive.
    """
    decisive = wins + losses
    return normal_cdf((wins - losses) / math.sqrt(decisive)) if decisive > 0 else None


def exact_los_of_decisive_games(wins: float, losses: float) -> float:
    """Return the likelihood of superiority from decisive games alone, from a uniform prior."""
    from scipy.special import betainc

    return float(betainc(losses + 1, wins + 1, 0.5))


class Interval(Enum):
    """Where the interval of a match comes from."""

    NORMAL = "normal"
    """Score plus and minus 1.96 standard errors."""
    EXACT = "exact"
    """Clopper and Pearson: few units, no variance, or a score too near to 0 or 1."""
    NONE = "none"
    """There are no units."""


@dataclass(frozen=True, slots=True)
class MatchEstimate:
    """What the units of a match say about the first of two bots.

    ``pairs`` is the number of units, ``score`` their mean, ``deviation`` the standard deviation
    of a unit's score. The interval is a 95 % one; an end, or the Elo itself, is None where it is
    infinite, as after nothing but wins. ``nelo`` takes a unit for two games; it is None where
    nothing varies. ``los`` is the probability that the bot is the better one.
    """

    pairs: int
    score: float | None
    deviation: float | None
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    nelo: float | None
    nelo_margin: float | None
    los: float | None
    interval: Interval


_NO_UNITS: Final = MatchEstimate(
    0, None, None, None, None, None, None, None, None, interval=Interval.NONE
)


def match_estimate(unit_scores: FloatArray) -> MatchEstimate:
    """Estimate from the scores of independent units: of openings, each the mean over its pairs.

    ValueError for a score that is not in 0 to 1.
    """
    scores = checked_scores(unit_scores)
    units = len(scores)
    if not units:
        return _NO_UNITS
    points = round(float(scores.sum()), 9)
    score = points / units
    varies = float(np.ptp(scores)) > _SAME
    deviation = float(scores.std()) if varies else 0.0
    low, high, interval = _elo_interval(points, units, deviation)
    nelo = 0.0 if score == 0.5 else None
    return MatchEstimate(
        pairs=units,
        score=score,
        deviation=deviation,
        elo=_finite_elo(score),
        elo_low=low,
        elo_high=high,
        nelo=NELO * (score - 0.5) / (math.sqrt(2) * deviation) if varies else nelo,
        nelo_margin=Z95 * NELO / math.sqrt(2 * units) if varies else None,
        los=_los(points, units, deviation),
        interval=interval,
    )


def checked_scores(unit_scores: FloatArray) -> FloatArray:
    """Return scores as an array; ValueError for one that is not in 0 to 1."""
    scores = np.asarray(unit_scores, dtype=np.float64)
    if scores.ndim != 1 or not ((scores >= 0) & (scores <= 1)).all():
        raise ValueError("unit scores are a list of numbers from 0 to 1")
    return scores


def _elo_interval(
    points: float, units: int, deviation: float
) -> tuple[float | None, float | None, Interval]:
    half = Z95 * deviation / math.sqrt(units)
    low, high = points / units - half, points / units + half
    if units < FEWEST_NORMAL_UNITS or deviation == 0 or low <= 0 or high >= 1:
        return *exact_elo_interval(points, units), Interval.EXACT
    return score_to_elo(low), score_to_elo(high), Interval.NORMAL


def _los(points: float, units: int, deviation: float) -> float:
    lead = points / units - 0.5
    if lead == 0:
        return 0.5
    if deviation == 0:
        return los_of_beta(points, units)
    # below, Student's variance is that of the sample, over units - 1
    divisor = units if units >= FEWEST_LARGE else units - 1
    return float(superiority_chance(lead * math.sqrt(divisor) / deviation, units - 1))


def _finite_elo(score: float) -> float | None:
    return score_to_elo(score) if _SMALLEST_SCORE < score < 1 else None
