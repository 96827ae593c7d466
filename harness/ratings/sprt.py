"""Sequential tests between two bots: log likelihood ratios, bounds, verdicts and their design.

The generalized sequential probability ratio test compares the likeliest law of the unit scores
under either hypothesis (Van den Bergh, "A practical introduction to the GSPRT"; the same as in
fishtest and fastchess). Counts are of units by score in ascending order: (losses, draws, wins)
of games or (LL, LD, DD + WL, WD, WW) of pairs; empty ones stand for 0.001.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

import numpy as np

from harness.ratings.counts import FloatArray
from harness.ratings.davidson import ELO
from harness.ratings.match import (
    NELO,
    elo_to_score,
    pentanomial_counts,
    regularised,
    unit_statistics,
)

LARGEST_ELO: Final = 2000.0
"""Hypotheses beyond this are refused: no match has such effects, and laws run out of digits."""

_LAW_CONVERGED: Final = 1e-9
_MOST_LAWS: Final = 1000
_LEVEL: Final = 1e-100
"""Slopes below this bound no tilt, and would overflow its bounds."""
_SAME_DRIFT: Final = 1e-8
"""Drift over the width of the bounds, in nats, below which it is lost in rounding."""


class EloModel(Enum):
    """What the Elo numbers of the hypotheses mean."""

    NORMALIZED = "normalized"
    """Distance of the score from 1/2 in standard deviations of a game's score."""
    LOGISTIC = "logistic"
    """The logistic score curve."""
    BAYESIAN = "bayesian"
    """The scale of BayesElo at the share of draws that was seen; single games only."""


class Verdict(Enum):
    """What a sequential test says."""

    H0 = "H0"
    H1 = "H1"
    CONTINUE = "continue"


class WaldBounds(NamedTuple):
    """Log likelihood ratios at which H0 and H1 are accepted."""

    lower: float
    upper: float

    def verdict(self, llr: float) -> Verdict:
        """Return what a log likelihood ratio decides."""
        if llr >= self.upper:
            return Verdict.H1
        return Verdict.H0 if llr <= self.lower else Verdict.CONTINUE


def wald_bounds(alpha: float, beta: float) -> WaldBounds:
    """Return the bounds for the error rates alpha (H1 by mistake) and beta (H0 by mistake)."""
    return WaldBounds(math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha))


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """H0: the difference is ``elo0``, against H1: it is ``elo1``.

    ``alpha`` is the chance to accept H1 where H0 holds, ``beta`` the other way round.
    ValueError unless elo0 < elo1, both within +/- 2000, and the error rates are above 0 and sum
    up to less than 1.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    model: EloModel = EloModel.NORMALIZED

    def __post_init__(self) -> None:
        if not -LARGEST_ELO <= self.elo0 < self.elo1 <= LARGEST_ELO:
            raise ValueError("a sequential test needs elo0 below elo1, both from -2000 to 2000")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise ValueError("error rates are above 0 and sum up to less than 1")

    @property
    def bounds(self) -> WaldBounds:
        """Log likelihood ratios at which the test ends."""
        return wald_bounds(self.alpha, self.beta)


class SequentialState(NamedTuple):
    """Where a test stands after so many units; they are those up to the verdict."""

    verdict: Verdict
    units: int
    llr: float


def follow(test: SequentialTest, pair_scores: FloatArray) -> SequentialState:
    """Return the verdict of the first prefix of pairs that reaches a bound, or the last state.

    ``pair_scores`` are in the order of the schedule; later pairs change nothing. ValueError for
    a score other than 0, 1/4, 1/2, 3/4, 1.
    """
    pentanomial_counts(pair_scores)
    bounds = test.bounds
    counts, llr = [0.0] * 5, 0.0
    for units, cell in enumerate(np.rint(4 * pair_scores).astype(np.int64).tolist(), start=1):
        counts[cell] += 1
        llr = log_likelihood_ratio(test, counts)
        if (verdict := bounds.verdict(llr)) is not Verdict.CONTINUE:
            return SequentialState(verdict, units, llr)
    return SequentialState(Verdict.CONTINUE, len(pair_scores), llr)


def log_likelihood_ratio(test: SequentialTest, counts: Sequence[float]) -> float:
    """Return ln(likelihood under H1 / under H0); 0 without units.

    ValueError for pairs in the Bayesian model.
    """
    if not sum(counts):
        return 0.0
    weights = np.array(regularised(counts))
    law = weights / weights.sum()
    if test.model is EloModel.NORMALIZED:
        scale = _unit_scale(_games_per_unit(counts))
        logs = [_log_law_of_effect(law, scale * elo) for elo in (test.elo0, test.elo1)]
    else:
        logs = [_log_law_of_score(law, score) for score in _hypothesis_scores(test, counts)]
    return float(weights @ (logs[1] - logs[0]))


def approximate_log_likelihood_ratio(test: SequentialTest, counts: Sequence[float]) -> float:
    """Return the closed form for small effects; badly wrong where nearly all units are alike."""
    moments = unit_statistics(regularised(counts), _games_per_unit(counts))
    if moments is None or not sum(counts):
        return 0.0
    if test.model is EloModel.NORMALIZED:
        squares = [((moments.nelo - elo) / NELO) ** 2 for elo in (test.elo0, test.elo1)]
        return moments.games / 2 * (math.log1p(squares[0]) - math.log1p(squares[1]))
    score0, score1 = _hypothesis_scores(test, counts)
    rise = (score1 - score0) * (2 * moments.score - score0 - score1)
    return moments.units * rise / (2 * moments.variance)


def hypothesis_effects(test: SequentialTest, counts: Sequence[float]) -> tuple[float, float]:
    """Return the effects of H0 and H1 in standard deviations of a unit's score."""
    if test.model is EloModel.NORMALIZED:
        scale = _unit_scale(_games_per_unit(counts))
        return scale * test.elo0, scale * test.elo1
    moments = unit_statistics(regularised(counts), _games_per_unit(counts))
    assert moments is not None
    deviation = math.sqrt(moments.variance)
    score0, score1 = _hypothesis_scores(test, counts)
    return (score0 - 0.5) / deviation, (score1 - 0.5) / deviation


def _games_per_unit(counts: Sequence[float]) -> int:
    return (len(counts) - 1) // 2


def _unit_scale(games_per_unit: int) -> float:
    """Return standard deviations of a unit in one normalized Elo."""
    return math.sqrt(games_per_unit) / NELO


def _hypothesis_scores(test: SequentialTest, counts: Sequence[float]) -> tuple[float, float]:
    if test.model is EloModel.LOGISTIC:
        return elo_to_score(test.elo0), elo_to_score(test.elo1)
    draw_elo = fitted_draw_elo(regularised(counts))
    losses0, _, wins0 = bayesian_law(test.elo0, draw_elo)
    losses1, _, wins1 = bayesian_law(test.elo1, draw_elo)
    return (1 + wins0 - losses0) / 2, (1 + wins1 - losses1) / 2


def fitted_draw_elo(counts: Sequence[float]) -> float:
    """Return BayesElo's drawelo of (losses, draws, wins), none of the decisive ones empty."""
    if len(counts) != 3:
        raise ValueError("the Bayesian model is one of single games")
    losses, draws, wins = counts
    return ELO / 2 * (math.log((draws + wins) / losses) + math.log((losses + draws) / wins))


def bayesian_law(elo: float, draw_elo: float) -> tuple[float, float, float]:
    """Return BayesElo's shares of losses, draws and wins (Rao and Kupper's law)."""
    wins, losses = elo_to_score(elo - draw_elo), elo_to_score(-elo - draw_elo)
    return losses, 1 - wins - losses, wins


def bayesian_ratio(counts: Sequence[float], elo0: float, elo1: float, draw_elo: float) -> float:
    """Return ln(likelihood of elo1 / of elo0) of (losses, draws, wins) at a given drawelo."""
    law0, law1 = bayesian_law(elo0, draw_elo), bayesian_law(elo1, draw_elo)
    return float(np.asarray(counts) @ np.log(np.array(law1) / np.array(law0)))


def cutechess_ratio(losses: float, draws: float, wins: float, elo0: float, elo1: float) -> float:
    """Return cutechess's log likelihood ratio: half a game added to each result, logistic Elo."""
    if not losses + draws + wins:
        return 0.0
    counts = losses + 0.5, draws + 0.5, wins + 0.5
    draw_elo = fitted_draw_elo(counts)
    slope = 1 / math.cosh(draw_elo / (2 * ELO)) ** 2
    return bayesian_ratio(counts, elo0 / slope, elo1 / slope, draw_elo)


def _log_law_of_score(law: FloatArray, score: float) -> FloatArray:
    """Return ln(q / law) of the likeliest law q with this mean where ``law`` was seen."""
    return _log_tilt(law, np.linspace(0.0, 1.0, len(law)) - score)


def _log_law_of_effect(law: FloatArray, effect: float) -> FloatArray:
    """Return ln(q / law) of the likeliest law q with mean 1/2 plus ``effect`` deviations.

    Starts from the binomial law that has this effect: then a tilt exists at every step.
    """
    steps = len(law) - 1
    scores = np.linspace(0.0, 1.0, len(law))
    chance = (1 + effect / math.hypot(effect, math.sqrt(steps))) / 2
    likeliest = np.array(
        [math.comb(steps, k) * chance**k * (1 - chance) ** (steps - k) for k in range(len(law))]
    )
    for _ in range(_MOST_LAWS):
        mean = likeliest @ scores
        deviation = np.sqrt(likeliest @ (scores - mean) ** 2)
        pull = 1 + ((scores - mean) / deviation) ** 2
        log_tilt = _log_tilt(law, scores - 0.5 - effect * deviation / 2 * pull)
        before, likeliest = likeliest, law * np.exp(log_tilt)
        if np.abs(likeliest - before).max() < _LAW_CONVERGED:
            break
    return log_tilt


def _log_tilt(law: FloatArray, slopes: FloatArray) -> FloatArray:
    """Return ln(q / law) of q = law / (1 + tilt slopes), in which the mean of the slopes is 0.

    No share of q is above 1, which bounds the tilt on both sides.
    """
    from scipy.optimize import brentq

    rising, falling = slopes > _LEVEL, slopes < -_LEVEL
    lowest = ((law[rising] - 1) / slopes[rising]).max()
    highest = ((law[falling] - 1) / slopes[falling]).min()
    terms = list(zip((law * slopes).tolist(), slopes.tolist(), strict=True))

    def mean_slope(tilt: float) -> float:
        return math.fsum(term / (1 + tilt * slope) for term, slope in terms)

    tilt = brentq(mean_slope, lowest, highest, xtol=1e-15, rtol=1e-14)
    return -np.log1p(tilt * slopes)


class Design(NamedTuple):
    """What a test will cost: the chance to accept H1, and the units it takes on average."""

    chance_of_h1: float
    expected_units: float


def design(test: SequentialTest, nelo: float, *, games_per_unit: int = 2) -> Design:
    """Return the cost of a test in normalized Elo where ``nelo`` is the true difference.

    ValueError for the other models, whose effects depend on the variance.
    """
    if test.model is not EloModel.NORMALIZED:
        raise ValueError("the design of a test is known beforehand in normalized Elo only")
    scale = _unit_scale(games_per_unit)
    return brownian_design(nelo * scale, test.elo0 * scale, test.elo1 * scale, test.bounds)


def brownian_design(effect: float, effect0: float, effect1: float, bounds: WaldBounds) -> Design:
    """Return the design for effects in standard deviations of a unit, by Wald's Brownian motion."""
    lower, upper = bounds
    rise = effect1 - effect0
    drift, width = (effect - (effect0 + effect1) / 2) * rise, upper - lower
    tilt = 2 * drift / rise**2
    if abs(tilt * width) < _SAME_DRIFT:
        return Design(-lower / width, -lower * upper / rise**2)
    if tilt > 0:
        chance = math.expm1(tilt * lower) / math.expm1(-tilt * width)
    else:
        chance = math.exp(tilt * upper) * math.expm1(-tilt * lower) / math.expm1(tilt * width)
    return Design(chance, (chance * upper + (1 - chance) * lower) / drift)
