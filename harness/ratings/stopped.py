"""The estimate after a sequential test, corrected for where the test stopped.

A test stops when the score looks extreme, so the plain score of a decided test is too far out.
Outcomes are ordered from "H0 at once" over "undecided" to "H1 at once"; the estimate is the
effect for which a worse outcome has a chance of one half, and likewise for the limits. The law
of the outcomes is that of Brownian motion between two absorbing bounds (as in fishtest); good
for effects that are not large.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np

from harness.ratings.match import (
    FEWEST_NORMAL_UNITS,
    exact_elo_interval,
    los_of_beta,
    regularised,
    score_to_elo,
    unit_statistics,
)
from harness.ratings.sprt import SequentialTest, WaldBounds, hypothesis_effects

LARGEST_NELO: Final = 200.0
"""Beyond this the Brownian interval covers less than it says."""

_WAVES: Final = np.arange(1, 41)
_SHORT_TIME: Final = 0.01
_STRONG_DRIFT: Final = 15.0


class Correction(Enum):
    """Where the numbers come from."""

    SEQUENTIAL = "sequential"
    """Median unbiased, corrected for the stop."""
    EXACT = "exact"
    """Not corrected: plain score, Clopper and Pearson.

    For large effects, few units, no variance, or a corrected score that leaves 0 to 1.
    """
    NONE = "none"
    """There are no units."""


@dataclass(frozen=True, slots=True)
class StoppedEstimate:
    """Elo on the logistic score curve with its 95 % interval; None: infinite, or no units.

    ``los`` is the probability that the bot is the better one.
    """

    elo: float | None
    elo_low: float | None
    elo_high: float | None
    los: float | None
    correction: Correction


def stopped_estimate(test: SequentialTest, counts: Sequence[float]) -> StoppedEstimate:
    """Estimate from the counts at the stop, or at any moment before it."""
    moments = unit_statistics(counts, (len(counts) - 1) // 2)
    if moments is None:
        return StoppedEstimate(None, None, None, None, Correction.NONE)
    if (
        moments.variance > 0
        and moments.units >= FEWEST_NORMAL_UNITS
        and abs(moments.nelo) <= LARGEST_NELO
    ):
        outcome = brownian_outcome(test, counts)
        elo, low, high = (outcome.elo_at(chance) for chance in (0.5, 0.975, 0.025))
        if math.isfinite(low) and math.isfinite(high):
            los = outcome.chance_of_worse(0.0)
            return StoppedEstimate(elo, low, high, los, Correction.SEQUENTIAL)
    points = round(moments.score * moments.units, 9)
    return StoppedEstimate(
        moments.elo if math.isfinite(moments.elo) else None,
        *exact_elo_interval(points, moments.units),
        los_of_beta(points, moments.units),
        Correction.EXACT,
    )


@dataclass(frozen=True, slots=True)
class BrownianOutcome:
    """Where the motion ended: at a bound, or at ``height`` between them when time was up.

    ``time`` is in units and ends at the bound. Effects are in standard deviations of a unit's
    score, and ``deviation`` is one of them.
    """

    deviation: float
    effect0: float
    effect1: float
    bounds: WaldBounds
    time: float
    height: float

    def elo_at(self, chance: float) -> float:
        """Return the Elo for which a worse outcome has this chance; it may be infinite."""
        return score_to_elo(0.5 + self.effect_at(chance) * self.deviation)

    def effect_at(self, chance: float) -> float:
        """Return the effect for which a worse outcome has this chance."""
        from scipy.optimize import brentq

        rise = self.effect1 - self.effect0
        middle = (self.effect0 + self.effect1) / 2 + self.height / (self.time * rise)
        step = 1 / math.sqrt(self.time)
        while self.chance_of_worse(middle - step) < chance:
            step *= 2
        low = middle - step
        step = 1 / math.sqrt(self.time)
        while self.chance_of_worse(middle + step) > chance:
            step *= 2
        return brentq(
            lambda effect: self.chance_of_worse(effect) - chance, low, middle + step, xtol=1e-13
        )

    def chance_of_worse(self, effect: float) -> float:
        """Return the chance of an outcome nearer to "H0 at once" if this is the true effect."""
        rise = self.effect1 - self.effect0
        drift = (effect - (self.effect0 + self.effect1) / 2) * rise
        tilt, spread = drift / rise**2, rise**2 * self.time
        width = self.bounds.upper - self.bounds.lower
        if spread < _SHORT_TIME * width**2 or abs(tilt * width) > _STRONG_DRIFT:
            chance = self._by_images(drift * self.time, tilt, math.sqrt(spread))
        else:
            chance = self._by_waves(tilt, spread)
        return min(1.0, max(0.0, chance))

    def _by_images(self, shift: float, tilt: float, spread: float) -> float:
        """Reflect the motion once at either bound: both are not met in so short a time."""
        from scipy.special import log_ndtr

        lower, upper = self.bounds

        def mirrored(exponent: float, height: float) -> float:
            return math.exp(min(0.0, exponent + float(log_ndtr(height / spread))))

        return (
            mirrored(0.0, self.height - shift)
            + mirrored(2 * tilt * lower, 2 * lower - self.height + shift)
            - mirrored(2 * tilt * upper, self.height - 2 * upper - shift)
        )

    def _by_waves(self, tilt: float, spread: float) -> float:
        """Expand in the eigenfunctions between the bounds (Fourier)."""
        width = self.bounds.upper - self.bounds.lower
        start, height = -self.bounds.lower, self.height - self.bounds.lower
        waves = _WAVES * math.pi / width
        terms = (
            np.exp(-(waves**2 + tilt**2) * spread / 2)
            * (tilt * np.sin(waves * height) - waves * np.cos(waves * height))
            / (waves**2 + tilt**2)
            * np.sin(waves * start)
        )
        inside = math.exp(tilt * (height - start)) * 2 / width * float(terms.sum())
        if tilt == 0:
            return (width - start) / width + inside
        ruin = math.expm1(2 * tilt * (width - start)) / math.expm1(2 * tilt * width)
        return ruin + inside


def brownian_outcome(test: SequentialTest, counts: Sequence[float]) -> BrownianOutcome:
    """Put counted units on the scale of the motion.

    The height is the quadratic form, whose law is known, not the exact log likelihood ratio; a
    height beyond a bound is brought back to the moment at which it was reached.
    """
    moments = unit_statistics(regularised(counts), (len(counts) - 1) // 2)
    assert moments is not None
    effect0, effect1 = hypothesis_effects(test, counts)
    deviation, bounds, time = math.sqrt(moments.variance), test.bounds, moments.units
    lead = (moments.score - 0.5) / deviation
    height = time * (lead - (effect0 + effect1) / 2) * (effect1 - effect0)
    for bound in bounds:
        if height / bound > 1:
            time, height = time * bound / height, bound
    return BrownianOutcome(deviation, effect0, effect1, bounds, time, height)
