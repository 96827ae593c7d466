"""Bootstrap of the ratings: whole clusters drawn again, the model fitted anew each time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from harness.ratings.counts import FloatArray, GameCounts, IntArray
from harness.ratings.davidson import (
    VIRTUAL_DRAWS,
    DavidsonFit,
    Model,
    PoolRows,
    elo_scale,
    pool_rows,
    solve,
)
from harness.ratings.distinct import pairings
from harness.ratings.results import OpeningRows
from harness.ratings.robust import Clusters, ClusterUnit

_ENOUGH: Final = 1e-8
"""Gain in log likelihood: a refit is then within a ten-thousandth of a standard error."""


@dataclass(frozen=True, slots=True, eq=False)
class Refits:
    """Refits of one pool, in natural units.

    ``ratings`` is of shape (refits, bots), each with mean zero; ``advantages`` and ``nus`` of
    shape (refits,). ``still`` are pairings (two bots) that were always drawn as they are, as
    they have one cluster only.
    """

    ratings: FloatArray
    advantages: FloatArray
    nus: FloatArray
    still: tuple[tuple[int, int], ...]

    @property
    def elo_scales(self) -> FloatArray:
        """Reported Elo a natural unit in each refit."""
        return elo_scale(self.nus)


def refit(
    fit: DavidsonFit,
    counts: GameCounts,
    rows: OpeningRows,
    clusters: Clusters,
    *,
    refits: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
    is_stretched: bool = True,
) -> Refits:
    """Draw the clusters again and fit anew, ``refits`` times; ``progress`` is told each one.

    Openings are drawn for all pairings together; openings of pairings within each pairing. As m
    clusters are drawn from a sample and not from where it came from, what is drawn beyond one of
    each is stretched by sqrt(m / (m - 1)), unless ``is_stretched`` is False.
    """
    chance = np.random.default_rng(seed)
    bots = len(counts.names)
    base = pool_rows(counts, VIRTUAL_DRAWS, fit.model)
    resampled = _Resampling(base, counts, rows, clusters, fit.model)
    strata, still = _strata(rows, clusters)
    stretch = np.sqrt(strata.sizes / np.maximum(strata.sizes - 1, 1)) if is_stretched else 1.0
    start = np.concatenate([fit.ratings, [fit.advantage], np.log([max(fit.nu, 1e-300)])])
    found = np.empty((refits, bots + 2))
    for number in range(refits):
        weights = 1 + stretch * (strata.draw(chance) - 1)
        solution = solve(resampled.rows(weights), fit.free, start, enough=_ENOUGH)
        found[number] = solution.at
        progress(number + 1)
    ratings = found[:, :bots] - found[:, :bots].mean(axis=1, keepdims=True)
    nus = np.exp(found[:, -1]) if fit.nu > 0 else np.zeros(refits)
    return Refits(ratings, found[:, bots], nus, still)


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


class _Strata(NamedTuple):
    """Sets of clusters that are drawn from by themselves.

    ``order`` has the clusters of one stratum next to each other; ``starts`` and ``lengths`` are
    those of the stratum at each place of it. ``sizes`` has the clusters in each cluster's own.
    """

    order: IntArray
    starts: IntArray
    lengths: IntArray
    sizes: IntArray

    def draw(self, chance: np.random.Generator) -> FloatArray:
        """Draw how often each cluster is taken."""
        size = len(self.order)
        taken = self.order[self.starts + (chance.random(size) * self.lengths).astype(np.int64)]
        return np.bincount(taken, minlength=size).astype(np.float64)


def _strata(rows: OpeningRows, clusters: Clusters) -> tuple[_Strata, tuple[tuple[int, int], ...]]:
    """Return what is drawn from, and the pairings of which nothing can be drawn."""
    stratum = np.zeros(clusters.number, dtype=np.int64)
    still: tuple[tuple[int, int], ...] = ()
    if clusters.unit is ClusterUnit.PAIRING_OPENING:
        met = pairings(rows.first, rows.second)
        stratum[clusters.of_row] = met.of_row
        alone = np.bincount(stratum) == 1
        still = tuple(zip(met.one[alone].tolist(), met.other[alone].tolist(), strict=True))
    order = np.argsort(stratum, kind="stable")
    counted = np.bincount(stratum)
    ends = np.cumsum(counted)
    lengths = counted[stratum[order]]
    starts = (ends - counted)[stratum[order]]
    return _Strata(order, starts, lengths, counted[stratum]), still
