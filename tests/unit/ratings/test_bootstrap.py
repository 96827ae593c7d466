from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from harness.ratings.bootstrap import Refits, refit
from harness.ratings.counts import FloatArray
from harness.ratings.davidson import ELO, Model, fit
from harness.ratings.robust import ClusterUnit, cluster_rows, clustered_covariance
from tests.unit.ratings.oracle import clustered, results_of

DOCUMENT = clustered()
TOLERANCE = DOCUMENT["tolerance"]
REFITS = 5_000
"""The reference has 800, whose own noise takes most of its tolerance."""


def _refits(
    case: dict[str, Any], unit: ClusterUnit, refits: int = REFITS, model: Model = Model.DAVIDSON
) -> tuple[Refits, FloatArray]:
    results = results_of(case)
    counts, rows = results.counts(), results.opening_rows()
    fitted = fit(counts, model=model)
    assert fitted is not None
    clusters = cluster_rows(rows, unit)
    found = refit(fitted, counts, rows, clusters, refits=refits, seed=1)
    natural = clustered_covariance(fitted, rows, clusters)
    return found, natural


def _elo(refits: Refits, core: list[int]) -> FloatArray:
    ratings = refits.ratings - refits.ratings[:, core].mean(axis=1, keepdims=True)
    return np.asarray((ELO * 2 / (2 + refits.nus))[:, None] * ratings)


@pytest.mark.parametrize("case", DOCUMENT["cases"], ids=lambda case: case["id"][:3])
def test_refits_spread_as_the_reference(case: dict[str, Any]) -> None:
    found, _ = _refits(case, ClusterUnit.PAIRING_OPENING)
    expected, core = case["expected"], case["expected"]["core"]
    elo = _elo(found, core)
    deviation = elo.std(axis=0, ddof=1)
    assert deviation[core] == pytest.approx(
        np.array(expected["bootstrap_sd"])[core], rel=TOLERANCE["bootstrap_sd_rel"]
    )
    for key, percent in (("bootstrap_p2.5", 2.5), ("bootstrap_p97.5", 97.5)):
        away = np.abs(np.percentile(elo, percent, axis=0) - expected[key])[core]
        assert (away < TOLERANCE["bootstrap_percentile_abs_in_sd"] * deviation[core]).all()


@pytest.mark.parametrize("model", Model)
def test_openings_are_drawn_for_all_pairings_together(model: Model) -> None:
    """The spread of refits and the sandwich with the same clusters tell the same."""
    found, natural = _refits(DOCUMENT["cases"][2], ClusterUnit.OPENING, refits=500, model=model)
    deviation = found.ratings.std(axis=0, ddof=1) * found.spread
    bots = found.ratings.shape[1]
    assert deviation == pytest.approx(np.sqrt(natural.diagonal()[:bots]), rel=0.15)


def test_the_same_seed_gives_the_same_refits_and_progress_is_told() -> None:
    case = DOCUMENT["cases"][0]
    results = results_of(case)
    counts, rows = results.counts(), results.opening_rows()
    fitted = fit(counts)
    assert fitted is not None
    told: list[int] = []
    clusters = cluster_rows(rows, ClusterUnit.OPENING)
    one = refit(fitted, counts, rows, clusters, refits=3, seed=1, progress=told.append)
    two = refit(fitted, counts, rows, clusters, refits=3, seed=1)
    other = refit(fitted, counts, rows, clusters, refits=3, seed=2)
    assert told == [1, 2, 3]
    assert np.array_equal(one.ratings, two.ratings)
    assert not np.array_equal(one.ratings, other.ratings)


def test_taking_every_cluster_once_is_the_fit_itself() -> None:
    case = DOCUMENT["cases"][1]
    results = results_of(case)
    counts, rows = results.counts(), results.opening_rows()
    fitted = fit(counts)
    assert fitted is not None
    single = cluster_rows(rows, ClusterUnit.OPENING)
    single = single._replace(of_row=np.zeros(len(rows.first), dtype=np.int64), number=1)
    found = refit(fitted, counts, rows, single, refits=1, seed=1)
    assert found.ratings[0] == pytest.approx(fitted.ratings, abs=1e-6)
    assert found.nus[0] == pytest.approx(fitted.nu, abs=1e-6)
