"""The quantile of Tukey's studentized range, without the half second that scipy.stats takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from harness.ratings.counts import FloatArray

_LARGEST_NORMAL: Final = 8.5
"""Beyond it lies less of the normal curve than a double can tell."""

_NODES_OF_NORMAL: Final = 240
_NODES_OF_DEVIATION: Final = 64
_TAIL: Final = 1e-13
_RELATIVE_WIDTH: Final = 1e-9
_FEWEST_DEGREES: Final = 20.0
"""With fewer the integrals need far more nodes, where the groups are many: scipy.stats does it."""


def range_quantile(probability: float, groups: int, degrees: float) -> float:
    """Return below which the range of so many normal means is, in standard errors.

    ``groups`` is 2 or more; the standard error has ``degrees`` of freedom, infinity when it is
    known.
    """
    if degrees < _FEWEST_DEGREES:
        from scipy.stats import studentized_range

        return float(studentized_range.ppf(probability, groups, degrees))
    chance = _chances(groups, degrees)

    def missed(at_most: float) -> float:
        return chance(at_most) - probability

    low, high = 0.0, 4.0
    missed_low, missed_high = -probability, missed(high)
    while missed_high < 0:
        low, missed_low = high, missed_high
        high *= 2
        missed_high = missed(high)
    # Where the chord meets zero; an end that stays has its weight halved (the Illinois rule).
    before, kept = math.inf, 0
    while True:
        found = (low * missed_high - high * missed_low) / (missed_high - missed_low)
        if abs(found - before) <= _RELATIVE_WIDTH * found:
            return found
        before, value = found, missed(found)
        if value < 0:
            low, missed_low = found, value
            missed_high /= 1 + (kept < 0)
            kept = -1
        else:
            high, missed_high = found, value
            missed_low /= 1 + (kept > 0)
            kept = 1


def _chances(groups: int, degrees: float) -> Callable[[float], float]:
    """Return the function that gives P(range <= its argument * deviation), over all deviations."""
    from scipy.special import ndtr

    deviations, weights = _deviations(degrees)
    # What is summed up vanishes at both ends: equal steps are as good as any rule.
    z, step = np.linspace(-_LARGEST_NORMAL, _LARGEST_NORMAL, _NODES_OF_NORMAL, retstep=True)
    below = ndtr(z)
    density = step * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)

    def chance(at_most: float) -> float:
        # The least of the means is at z, all others within the range above it.
        within = ndtr(z + at_most * deviations[:, None]) - below
        return float(weights @ (groups * within ** (groups - 1) @ density))

    return chance


def _deviations(degrees: float) -> tuple[FloatArray, FloatArray]:
    """Return values of an estimated standard deviation whose true value is 1, and their weights."""
    from scipy.special import chdtri

    if math.isinf(degrees):
        return np.ones(1), np.ones(1)
    low, high = np.log(chdtri(degrees, [1 - _TAIL, _TAIL]) / degrees) / 2
    # By the logarithm: with few degrees, what decides lies close to zero.
    logarithms = np.linspace(low, high, _NODES_OF_DEVIATION)
    values = np.exp(logarithms)
    weights = np.exp(degrees * (logarithms - (values * values - 1) / 2))
    return values, weights / weights.sum()
