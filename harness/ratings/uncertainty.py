"""How sure a fit is: which covariance, with how many degrees of freedom, by which clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass

from harness.ratings.counts import FloatArray
from harness.ratings.davidson import DavidsonFit
from harness.ratings.results import OpeningRows
from harness.ratings.robust import (
    FEWEST_CLUSTERS,
    Clusters,
    ClusterUnit,
    choose_clusters,
    cluster_rows,
    clustered_covariance,
)


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """The covariance of a fit in natural units, and what it rests on.

    ``covariance`` is that of (ratings, advantage, log nu). ``degrees`` are those of Student's t
    for intervals, infinite for the model's own. ``openings`` counts the openings of the pool, 0
    where they are not known; ``clusters`` is None where games are taken as independent.
    ``advantage_variance`` always goes by openings; None: there are too few.
    """

    covariance: FloatArray
    degrees: float
    openings: int
    clusters: Clusters | None
    advantage_variance: float | None
    advantage_degrees: float

    @property
    def unit(self) -> ClusterUnit:
        """What is taken as independent."""
        return ClusterUnit.GAME if self.clusters is None else self.clusters.unit

    @property
    def is_conditional(self) -> bool:
        """Whether the errors hold for this list of openings only."""
        return self.unit is ClusterUnit.PAIRING_OPENING


def model_uncertainty(fit: DavidsonFit) -> Uncertainty:
    """Return what the model says by itself, every game taken as independent."""
    return Uncertainty(fit.covariance, math.inf, 0, None, float(fit.covariance[-2, -2]), math.inf)


def clustered_uncertainty(fit: DavidsonFit, rows: OpeningRows) -> Uncertainty:
    """Return the cluster-robust errors, or the model's where there are too few clusters."""
    openings = cluster_rows(rows, ClusterUnit.OPENING)
    clusters = choose_clusters(rows)
    covariance, degrees = fit.covariance, math.inf
    if clusters is not None:
        covariance, degrees = clustered_covariance(fit, rows, clusters), clusters.number - 1
    advantage_variance = None
    if openings.number >= FEWEST_CLUSTERS:
        by_opening = covariance
        if clusters is None or clusters.unit is not ClusterUnit.OPENING:
            by_opening = clustered_covariance(fit, rows, openings)
        advantage_variance = float(by_opening[-2, -2])
    return Uncertainty(
        covariance, degrees, openings.number, clusters, advantage_variance, openings.number - 1
    )
