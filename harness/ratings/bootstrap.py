"""Bootstrap of the ratings: whole clusters drawn again, the model fitted anew each time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from harness.ratings.counts import FloatArray, GameCounts
from harness.ratings.davidson import (
    VIRTUAL_DRAWS,
    DavidsonFit,
    Model,
    PoolRows,
    pool_rows,
    solve,
)
from harness.ratings.results import OpeningRows
from harness.ratings.robust import Clusters, ClusterUnit

_ENOUGH: Final = 1e-8
"""Gain in log likelihood: a refit is then within a ten-thousandth of a standard error."""


@dataclass(frozen=True, slots=True, eq=False)
class Refits:
    """Refits of one pool, in natural units.

    ``ratings`` is of shape (refits, bots), each with mean zero; ``advantages`` and ``nus`` of
    shape (refits,). ``spread`` is what a standard deviation is to be multiplied by, as clusters
    were drawn from the sample and not from where it came from.
    """

    ratings: FloatArray
    advantages: FloatArray
    nus: FloatArray
    spread: float


def refit(
    fit: DavidsonFit,
    counts: GameCounts,
    rows: OpeningRows,
    clusters: Clusters,
    *,
    refits: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> Refits:
    """Draw the clusters again and fit anew, ``refits`` times; ``progress`` is told each one.

    Openings are drawn for all pairings together; openings of pairings within each pairing.
    """
    chance = np.random.default_rng(seed)
    bots = len(counts.names)
    base = pool_rows(counts, VIRTUAL_DRAWS, fit.model)
    resampled = _Resampling(base, counts, rows, clusters, fit.model)
    draw = _cluster_weights(rows, clusters)
    start = np.concatenate([fit.ratings, [fit.advantage], np.log([max(fit.nu, 1e-300)])])
    found = np.empty((refits, bots + 2))
    for number in range(refits):
        solution = solve(resampled.rows(draw(chance)), fit.free, start, enough=_ENOUGH)
        found[number] = solution.at
        progress(number + 1)
    ratings = found[:, :bots] - found[:, :bots].mean(axis=1, keepdims=True)
    nus = np.exp(found[:, -1]) if fit.nu > 0 else np.zeros(refits)
    size = clusters.number
    return Refits(ratings, found[:, bots], nus, math.sqrt(size / max(size - 1, 1)))


class _Resampling:
    """Turns cluster weights into the rows of a fit, by one sparse product."""

    def __init__(
        self,
        base: PoolRows,
        counts: GameCounts,
        rows: OpeningRows,
        clusters: Clusters,
        model: Model,
    ) -> None:
        from scipy.sparse import csr_array

        bots = len(counts.names)
        keys = base.first * bots + base.second
        self._base = base
        self._size = len(keys)
        wins, draws, losses = rows.wins, rows.draws, rows.losses
        if model is Model.SCORE:
            wins, draws, losses = wins + draws / 2, np.zeros_like(draws), losses + draws / 2
        place = np.searchsorted(keys, rows.first * bots + rows.second)
        self._sums = csr_array(
            (
                np.concatenate([wins, draws, losses]),
                (
                    np.concatenate([place, place + self._size, place + 2 * self._size]),
                    np.tile(clusters.of_row, 3),
                ),
            ),
            shape=(3 * self._size, clusters.number),
        )
        self._sums.eliminate_zeros()
        real = (self._sums @ np.ones(clusters.number)).reshape(3, self._size)
        self._virtual = np.stack([base.wins, base.draws, base.losses]) - real

    def rows(self, weights: FloatArray) -> PoolRows:
        """Return the rows in which every cluster counts as often as its weight says."""
        sums = (self._sums @ weights).reshape(3, self._size) + self._virtual
        return PoolRows(self._base.first, self._base.second, *np.maximum(sums, 0.0))


def _cluster_weights(
    rows: OpeningRows, clusters: Clusters
) -> Callable[[np.random.Generator], FloatArray]:
    """Return a function that draws how often each cluster is taken."""
    size = clusters.number
    if clusters.unit is ClusterUnit.OPENING:
        return lambda chance: np.bincount(chance.integers(0, size, size), minlength=size).astype(
            np.float64
        )
    bots = int(max(rows.first.max(), rows.second.max())) + 1
    low, high = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
    pairing = np.empty(size, dtype=np.int64)
    pairing[clusters.of_row] = low * bots + high
    order = np.argsort(pairing, kind="stable")
    _, starts, lengths = np.unique(pairing[order], return_index=True, return_counts=True)
    start, length = np.repeat(starts, lengths), np.repeat(lengths, lengths)

    def draw(chance: np.random.Generator) -> FloatArray:
        taken = order[start + (chance.random(size) * length).astype(np.int64)]
        return np.bincount(taken, minlength=size).astype(np.float64)

    return draw
