"""How sure the order of a table is: probabilities of ranks, from draws of all ratings at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from harness.ratings.counts import FloatArray, IntArray

DRAWS: Final = 20_000
"""Draws from the joint normal distribution; an error of half a percent at most."""


@dataclass(frozen=True, slots=True, eq=False)
class RankChances:
    """What draws say of each bot's rank among the rated ones (from 1), in the given order.

    ``best`` is the share of draws in which the bot is first; ``low`` and ``high`` bound the
    middle 95 % of its ranks. Nothing is corrected for choosing the winner after the fact.
    """

    best: FloatArray
    low: IntArray
    high: IntArray


def draw_ratings(elo: FloatArray, covariance: FloatArray, seed: int) -> FloatArray:
    """Draw ratings from their joint normal distribution, of shape (draws, bots)."""
    chance = np.random.default_rng(seed)
    return chance.multivariate_normal(
        elo, covariance, size=DRAWS, method="eigh", check_valid="ignore"
    )


def rank_chances(draws: FloatArray) -> RankChances:
    """Count the ranks in draws of shape (draws, bots)."""
    count, bots = draws.shape
    order = np.argsort(-draws, axis=1, kind="stable")
    cells = order * bots + np.arange(bots)  # of a square: the bot, and its rank from 0
    counts = np.bincount(cells.ravel(), minlength=bots * bots).reshape(bots, bots)
    at_most = counts.cumsum(axis=1)

    def quantile(probability: float) -> IntArray:
        place = round((count - 1) * probability)  # the nearest of the sorted ranks, from 0
        return np.asarray((at_most <= place).sum(axis=1) + 1, dtype=np.int64)

    return RankChances(counts[:, 0] / count, quantile(0.025), quantile(0.975))
