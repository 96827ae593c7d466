"""The numbers of one group of bots on one scale: Elo, joint covariance, and what follows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from harness.ratings.bootstrap import Refits
from harness.ratings.comparisons import (
    alike_groups,
    difference_variances,
    group_labels,
    los_matrix,
    quantile,
    tukey_marks,
)
from harness.ratings.counts import BoolArray, FloatArray
from harness.ratings.davidson import ELO, DavidsonFit
from harness.ratings.groups import Group
from harness.ratings.ranking import RankChances, draw_ratings, rank_chances
from harness.ratings.uncertainty import Uncertainty, model_uncertainty

_DEGENERATE = 1e-6
"""Share of the model's variance below which a clustered one is an accident of few games."""


@dataclass(frozen=True, slots=True, eq=False)
class Gauge:
    """What zero is: Elo = ``scale`` x (rating - ``weights`` . rating) + ``base``."""

    weights: FloatArray
    scale: float
    base: float
    zero: str

    def elo(self, ratings: FloatArray) -> FloatArray:
        """Return Elo for ratings in natural units; the last axis is the bots."""
        zeros = ratings @ self.weights
        return np.asarray(self.scale * (ratings - zeros[..., None]) + self.base)


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """One group, in rank order.

    ``ranked`` are the bots as indices of the pool; ``elo``, ``covariance``, ``los``, ``differ``,
    ``groups`` and ``chances`` are in that order. ``errors`` are half widths of 95 % intervals
    (zero for an anchor), ``model_errors`` those with every game taken as independent,
    ``bootstrap_errors`` those of refits. ``uncertainty`` is what the errors rest on. A quick
    estimate has no ``chances``, nothing in ``differ`` and empty ``groups``.
    """

    ranked: tuple[int, ...]
    elo: FloatArray
    covariance: FloatArray
    errors: FloatArray
    model_errors: FloatArray
    bootstrap_errors: FloatArray | None
    los: FloatArray
    differ: BoolArray
    groups: tuple[str, ...]
    chances: RankChances | None
    uncertainty: Uncertainty


def estimate_group(
    fit: DavidsonFit,
    group: Group,
    gauge: Gauge,
    uncertainty: Uncertainty,
    refits: Refits | None,
    *,
    seed: int,
    is_quick: bool,
) -> Estimate:
    """Put a group on its scale.

    Where the clustered covariance says that a difference is known exactly, by the accident of
    few games, the model's own takes its place.
    """
    all_elo = gauge.elo(fit.ratings)
    ranked = sorted(group.bots.tolist(), key=lambda bot: (-all_elo[bot], bot))
    elo = all_elo[ranked]
    by_model = _transformed(fit.covariance, gauge, ranked)
    covariance = _transformed(uncertainty.covariance, gauge, ranked)
    if (difference_variances(covariance) < _DEGENERATE * difference_variances(by_model)).any():
        uncertainty, covariance = model_uncertainty(fit), by_model
    degrees = uncertainty.degrees
    bootstrap_errors = None
    draws = None if is_quick else draw_ratings(elo, covariance, seed)
    if refits is not None:
        draws = _refitted_elo(refits, gauge, ranked)
        deviation = draws.std(axis=0, ddof=1) * refits.spread
        bootstrap_errors = quantile(degrees) * np.asarray(deviation, dtype=np.float64)
    differ = np.zeros((len(elo), len(elo)), dtype=np.bool_)
    if not is_quick:
        differ = tukey_marks(elo, covariance, degrees)
    return Estimate(
        ranked=tuple(ranked),
        elo=elo,
        covariance=covariance,
        errors=quantile(degrees) * _deviations(covariance),
        model_errors=quantile(math.inf) * _deviations(by_model),
        bootstrap_errors=bootstrap_errors,
        los=los_matrix(elo, covariance, degrees),
        differ=differ,
        groups=("",) * len(elo) if is_quick else group_labels(alike_groups(differ)),
        chances=None if draws is None else rank_chances(draws),
        uncertainty=uncertainty,
    )


def _transformed(covariance: FloatArray, gauge: Gauge, ranked: list[int]) -> FloatArray:
    bots = len(gauge.weights)
    transform = gauge.scale * (np.eye(bots)[ranked] - gauge.weights)
    return np.asarray(transform @ covariance[:bots, :bots] @ transform.T, dtype=np.float64)


def _deviations(covariance: FloatArray) -> FloatArray:
    variances = covariance.diagonal()
    return np.asarray(np.sqrt(np.where(variances > 1e-12, variances, 0.0)), dtype=np.float64)


def _refitted_elo(refits: Refits, gauge: Gauge, ranked: list[int]) -> FloatArray:
    scales = ELO * 2 / (2 + refits.nus)
    shifted = refits.ratings - (refits.ratings @ gauge.weights)[:, None]
    return np.asarray(scales[:, None] * shifted[:, ranked] + gauge.base, dtype=np.float64)
