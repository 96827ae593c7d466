"""How sure a fit is: which covariance, with how many degrees of freedom, by which clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from harness.ratings.counts import FloatArray
from harness.ratings.davidson import DavidsonFit
from harness.ratings.results import OpeningRows
from harness.ratings.robust import (
    FEWEST_CLUSTERS,
    Clusters,
    ClusterUnit,
    advantage_influences,
    choose_clusters,
    cluster_rows,
    clustered_covariance,
)

DEGENERATE: Final = 1e-6
"""Share of the model's variance below which a clustered one is an accident of few games."""
_ALIKE: Final = 0.01
"""Share of the model's variance below which the openings do not vary in the first move's worth."""


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """The covariance of a fit in natural units, and what it rests on.

    ``covariance`` is that of (ratings, advantage, log nu). ``degrees`` are those of Student's t
    for intervals, infinite for the model's own. ``openings`` counts the openings of the pool, 0
    where they are not known; ``clusters`` is None where games are taken as independent.
    ``advantage_variance`` goes by openings, as ``advantage_unit`` says, or by games where openings
    are not known or all say the same; None: there are too few.
    """

    covariance: FloatArray
    degrees: float
    openings: int
    clusters: Clusters | None
    advantage_variance: float | None
    advantage_degrees: float
    advantage_unit: ClusterUnit

    @property
    def unit(self) -> ClusterUnit:
        """What is taken as independent."""
        return ClusterUnit.GAME if self.clusters is None else self.clusters.unit


def model_uncertainty(fit: DavidsonFit) -> Uncertainty:
    """Return what the model says by itself, every game taken as independent."""
    return Uncertainty(fit.covariance, math.inf, 0, None, *_advantage_by_model(fit))


def clustered_uncertainty(fit: DavidsonFit, rows: OpeningRows) -> Uncertainty:
    """Return the cluster-robust errors, or the model's where there are too few clusters."""
    openings = cluster_rows(rows, ClusterUnit.OPENING)
    clusters = choose_clusters(rows)
    covariance, degrees = fit.covariance, math.inf
    if clusters is not None:
        covariance, degrees = clustered_covariance(fit, rows, clusters), clusters.number - 1
    advantage = _advantage(fit, rows, openings)
    return Uncertainty(covariance, degrees, openings.number, clusters, *advantage)


def _advantage(
    fit: DavidsonFit, rows: OpeningRows, openings: Clusters
) -> tuple[float | None, float, ClusterUnit]:
    """Return variance, degrees of freedom and unit of the advantage.

    Where the first mover always does the same, every opening stands off what the fit expects by
    its share of the virtual draws, and by nothing else: that is no spread between openings.
    """
    size = openings.number
    if size < FEWEST_CLUSTERS:
        return None, size - 1, ClusterUnit.OPENING
    influences = advantage_influences(fit, rows, openings)
    played = np.bincount(openings.of_row, rows.wins + rows.draws + rows.losses)
    spread = influences - influences.sum() * played / played.sum()
    if spread @ spread < _ALIKE * fit.covariance[-2, -2]:
        return _advantage_by_model(fit)
    variance = float(influences @ influences) * size / (size - 1)
    return variance, size - 1, ClusterUnit.OPENING


def _advantage_by_model(fit: DavidsonFit) -> tuple[float, float, ClusterUnit]:
    return float(fit.covariance[-2, -2]), math.inf, ClusterUnit.GAME
