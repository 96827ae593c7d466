"""The numbers of one group of bots on one scale: Elo, joint covariance, and what follows."""

from __future__ import annotations

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
from harness.ratings.davidson import DavidsonFit
from harness.ratings.groups import Group
from harness.ratings.normal import Z95
from harness.ratings.ranking import RankChances, draw_ratings, rank_chances
from harness.ratings.types import NO_VARIANCE
from harness.ratings.uncertainty import DEGENERATE, Uncertainty, model_uncertainty


@dataclass(frozen=True, slots=True, eq=False)
class Gauge:
    """What zero is: Elo = ``scale`` x (rating - ``weights`` . rating) + ``base``."""

    weights: FloatArray
    scale: float
    base: float
    zero: str

    def elo(self, ratings: FloatArray, scales: FloatArray | None = None) -> FloatArray:
        """Return Elo for ratings in natural units; the last axis is the bots.

        ``scales`` are those of ratings that were fitted by themselves, one for each row.
        """
        shifted = ratings - (ratings @ self.weights)[..., None]
        scale = self.scale if scales is None else scales[:, None]
        return np.asarray(scale * shifted + self.base)


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """One group, in rank order.

    ``ranked`` are the bots as indices of the pool; ``elo``, ``covariance``, ``los``, ``differ``,
    ``groups`` and ``chances`` are in that order. ``errors`` are half widths of 95 % intervals
    (zero for an anchor), ``model_errors`` those with every game taken as independent,
    ``bootstrap_errors`` those of refits. ``uncertainty`` is what the errors rest on. A quick
    estimate has no ``chances``, nothing in ``differ`` and empty ``groups``.

    ``pairs_by_model`` (two places each) are bots whose difference, ``bots_by_model`` (places)
    bots whose distance from zero the clusters take for certain, by accident: these have ``los``
    and ``differ``, or ``errors``, from games taken as independent. ``covariance`` is as it was
    found.
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
    pairs_by_model: tuple[tuple[int, int], ...]
    bots_by_model: tuple[int, ...]


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
    few games or because one bot plays under two names, the model's variance of this difference
    takes its place; where it says so of all differences, the model's covariance does.
    """
    all_elo = gauge.elo(fit.ratings)
    ranked = sorted(group.bots.tolist(), key=lambda bot: (-all_elo[bot], bot))
    elo = all_elo[ranked]
    by_model = _transformed(fit.covariance, gauge, ranked)
    covariance = _transformed(uncertainty.covariance, gauge, ranked)
    is_accident = _is_degenerate(difference_variances(covariance), difference_variances(by_model))
    if is_accident.any() and np.array_equal(is_accident, ~np.eye(len(elo), dtype=np.bool_)):
        uncertainty, covariance = model_uncertainty(fit), by_model
        is_accident = np.zeros_like(is_accident)
    variances = np.where(
        is_accident, difference_variances(by_model), difference_variances(covariance)
    )
    is_bot_accident = _is_degenerate(covariance.diagonal(), by_model.diagonal())
    own = np.where(is_bot_accident, by_model.diagonal(), covariance.diagonal())
    degrees = uncertainty.degrees
    draws, bootstrap_errors = None, None
    if refits is not None:
        draws = gauge.elo(refits.ratings, refits.elo_scales)[:, ranked]
        deviation = np.asarray(draws.std(axis=0, ddof=1), dtype=np.float64)
        bootstrap_errors = quantile(degrees) * deviation
    elif not is_quick:
        draws = draw_ratings(elo, _loosened(covariance, variances, is_accident), seed)
    differ = np.zeros((len(elo), len(elo)), dtype=np.bool_)
    if not is_quick:
        differ = tukey_marks(elo, variances, degrees)
    return Estimate(
        ranked=tuple(ranked),
        elo=elo,
        covariance=covariance,
        errors=quantile(degrees) * _deviations(own),
        model_errors=Z95 * _deviations(by_model.diagonal()),
        bootstrap_errors=bootstrap_errors,
        los=los_matrix(elo, variances, degrees),
        differ=differ,
        groups=("",) * len(elo) if is_quick else group_labels(alike_groups(differ)),
        chances=None if draws is None else rank_chances(draws),
        uncertainty=uncertainty,
        pairs_by_model=tuple(
            (one, other) for one, other in np.argwhere(np.triu(is_accident)).tolist()
        ),
        bots_by_model=tuple(np.flatnonzero(is_bot_accident).tolist()),
    )


def _transformed(covariance: FloatArray, gauge: Gauge, ranked: list[int]) -> FloatArray:
    bots = len(gauge.weights)
    transform = gauge.scale * (np.eye(bots)[ranked] - gauge.weights)
    return np.asarray(transform @ covariance[:bots, :bots] @ transform.T, dtype=np.float64)


def _is_degenerate(variances: FloatArray, by_model: FloatArray) -> BoolArray:
    return np.asarray((by_model > NO_VARIANCE) & (variances < DEGENERATE * by_model))


def _loosened(covariance: FloatArray, variances: FloatArray, loose: BoolArray) -> FloatArray:
    """Return the covariance with each loose difference as uncertain as ``variances`` say.

    The two bots move by as much in opposite directions, and nothing else does.
    """
    added = np.where(loose, variances / 4, 0.0)
    return np.asarray(covariance - added + np.diag(added.sum(axis=1)), dtype=np.float64)


def _deviations(variances: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.where(variances > NO_VARIANCE, variances, 0.0)), dtype=np.float64)
