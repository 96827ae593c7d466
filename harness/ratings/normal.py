"""The normal distribution, and Student's in its place where there are few units."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from harness.ratings.counts import FloatArray

Z95: Final = 1.959963984540054
"""Half the width of a 95 % interval in standard errors."""

FEWEST_LARGE: Final = 30
"""From so many units or clusters on a variance may be taken as known for a probability."""


def normal_cdf(z: float) -> float:
    """Return the chance that a standard normal number is below z."""
    from scipy.special import ndtr

    return float(ndtr(z))


def normal_quantile(chance: float) -> float:
    """Return the z below which a standard normal number is with this chance."""
    from scipy.special import ndtri

    return float(ndtri(chance))


def superiority_chance(ratio: FloatArray | float, degrees: float = math.inf) -> FloatArray:
    """Return the chance that a true lead is above zero; ``ratio`` is the lead in standard errors.

    The one rule of every likelihood of superiority: from 30 units or clusters (29 degrees of
    freedom) on the normal distribution, below Student's t, as the variance is then not known
    well. Intervals and marks have Student's quantiles throughout.
    """
    from scipy.special import ndtr, stdtr

    is_large = degrees >= FEWEST_LARGE - 1
    return np.asarray(ndtr(ratio) if is_large else stdtr(degrees, ratio), dtype=np.float64)
