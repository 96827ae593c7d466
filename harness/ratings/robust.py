"""Cluster-robust covariance: errors that hold although games with an opening are alike.

The sandwich V = B (sum over clusters of g g') B G / (G - 1): B is the inverse of minus the
Hessian of the fit, g the score vector of one cluster of real games (Liang and Zeger 1986).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

import numpy as np

from harness.ratings.counts import FloatArray, IntArray
from harness.ratings.davidson import DavidsonFit, outcome_chances
from harness.ratings.distinct import distinct, pairings
from harness.ratings.results import OpeningRows

FEWEST_OPENINGS: Final = 20
"""With fewer openings a cluster is an opening in one pairing, if pairings share openings."""
FEWEST_CLUSTERS: Final = 5
"""With fewer clusters games are taken as independent."""


class ClusterUnit(Enum):
    """What is taken as independent when errors are reckoned."""

    OPENING = "opening"
    """All games that began from one opening, over all pairings."""
    PAIRING_OPENING = "pairing x opening"
    """The games of two bots from one opening: the errors hold for these openings."""
    GAME = "game"
    """Every game by itself: the model's own errors."""


class Clusters(NamedTuple):
    """The cluster of every row (from 0 to ``number`` - 1), and of which kind they are."""

    unit: ClusterUnit
    of_row: IntArray
    number: int


def cluster_rows(rows: OpeningRows, unit: ClusterUnit) -> Clusters:
    """Return the clusters of the rows; ``GAME`` is none of rows, and a ValueError."""
    if unit is ClusterUnit.GAME:
        raise ValueError("games are no clusters of rows")
    keys = rows.opening
    if unit is ClusterUnit.PAIRING_OPENING:
        openings = int(rows.opening.max(initial=0)) + 1
        keys = pairings(rows.first, rows.second).of_row * openings + rows.opening
    clusters, of_row = distinct(keys)
    return Clusters(unit, of_row, len(clusters))


def choose_clusters(rows: OpeningRows) -> Clusters | None:
    """Return the clusters to reckon with; None: too few, take games as independent.

    Openings from 20 on; below, the openings of each pairing, unless no pairings share any, when
    that is the same.
    """
    openings = cluster_rows(rows, ClusterUnit.OPENING)
    if openings.number >= FEWEST_OPENINGS:
        return openings
    of_pairings = cluster_rows(rows, ClusterUnit.PAIRING_OPENING)
    chosen = openings if of_pairings.number == openings.number else of_pairings
    return chosen if chosen.number >= FEWEST_CLUSTERS else None


def clustered_covariance(fit: DavidsonFit, rows: OpeningRows, clusters: Clusters) -> FloatArray:
    """Return the covariance of (ratings, advantage, log nu) in natural units.

    Shape (bots + 2, bots + 2), the mean of the ratings held at zero, as ``fit.covariance``.
    There must be two clusters or more.
    """
    by_difference, by_log_nu = row_scores(fit, rows)
    bots = len(fit.ratings)
    parts = (
        (rows.first, by_difference),
        (rows.second, -by_difference),
        (np.full_like(rows.first, bots), by_difference),
        (np.full_like(rows.first, bots + 1), by_log_nu),
    )
    # A row a cluster; what meets in a cell is added up.
    shape = clusters.number, bots + 2
    if math.prod(shape) <= len(rows.first):
        cells = clusters.of_row * shape[1]
        sums = [np.bincount(cells + columns, values, math.prod(shape)) for columns, values in parts]
        scores = np.sum(sums, axis=0).reshape(shape)
        middle = scores.T @ scores
    else:
        middle = _sparse_square(parts, clusters, shape)
    factor = clusters.number / (clusters.number - 1)
    return np.asarray(factor * fit.covariance @ middle @ fit.covariance, dtype=np.float64)


def advantage_influences(fit: DavidsonFit, rows: OpeningRows, clusters: Clusters) -> FloatArray:
    """Return by how much each cluster moves the advantage: shape (clusters,), natural units.

    Their squares add up, times G / (G - 1), to the clustered variance of the advantage.
    """
    by_difference, by_log_nu = row_scores(fit, rows)
    weights = fit.covariance[-2]
    by_row = by_difference * (weights[rows.first] - weights[rows.second] + weights[-2])
    influences = np.bincount(clusters.of_row, by_row + by_log_nu * weights[-1], clusters.number)
    return np.asarray(influences, dtype=np.float64)


def row_scores(fit: DavidsonFit, rows: OpeningRows) -> tuple[FloatArray, FloatArray]:
    """Return the derivatives of the log likelihood by each row's rating difference and log nu.

    The first is also what the first mover scored above what the model expected, in points.
    """
    counts = rows.wins, rows.draws, rows.losses
    expected = outcome_chances(fit, rows.first, rows.second)
    return expected.surplus(*counts), expected.draw_surplus(*counts)


def _sparse_square(
    parts: Sequence[tuple[IntArray, FloatArray]], clusters: Clusters, shape: tuple[int, int]
) -> FloatArray:
    """Return S' S of the clusters' scores S where nearly all of S is zero."""
    from scipy.sparse import csr_array

    columns, values = map(np.concatenate, zip(*parts, strict=True))
    scores = csr_array((values, (np.tile(clusters.of_row, len(parts)), columns)), shape=shape)
    return np.asarray((scores.T @ scores).toarray(), dtype=np.float64)
