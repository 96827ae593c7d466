from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from harness.ratings import bootstrap
from harness.ratings.bootstrap import Refits, refit
from harness.ratings.counts import FloatArray
from harness.ratings.davidson import ELO, Model, fit
from harness.ratings.robust import ClusterUnit, cluster_rows, clustered_covariance
from tests.unit.ratings.oracle import clustered, results_of
from tests.unit.report.builders import played

DOCUMENT = clustered()
TOLERANCE = DOCUMENT["tolerance"]
REFITS = 5_000
"""The reference has 800, whose own noise takes most of its tolerance."""


def _refits(
    case: dict[str, Any],
    unit: ClusterUnit,
    refits: int = REFITS,
    model: Model = Model.DAVIDSON,
    *,
    is_stretched: bool = True,
) -> tuple[Refits, FloatArray]:
    results = results_of(case)
    counts, rows = results.counts(), results.opening_rows()
    fitted = fit(counts, model=model)
    assert fitted is not None
    clusters = cluster_rows(rows, unit)
    found = refit(fitted, counts, rows, clusters, refits=refits, seed=1, is_stretched=is_stretched)
    natural = clustered_covariance(fitted, rows, clusters)
    return found, natural


def _elo(refits: Refits, core: list[int]) -> FloatArray:
    ratings = refits.ratings - refits.ratings[:, core].mean(axis=1, keepdims=True)
    return np.asarray((ELO * 2 / (2 + refits.nus))[:, None] * ratings)


@pytest.mark.parametrize("case", DOCUMENT["cases"], ids=lambda case: case["id"][:3])
def test_refits_spread_as_the_reference(case: dict[str, Any]) -> None:
    found, _ = _refits(case, ClusterUnit.PAIRING_OPENING, is_stretched=False)
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
    deviation = found.ratings.std(axis=0, ddof=1)
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


def _moves(found: Refits) -> FloatArray:
    return np.asarray(found.ratings - found.ratings.mean(axis=0))


def test_what_is_drawn_is_stretched_by_the_clusters_of_each_pairing() -> None:
    """Three openings a pairing: the spread is sqrt(3/2) of that of plain draws."""
    results = played("abc", 60, seed=4)
    results = dataclasses.replace(results, opening=results.opening % 3)  # many games in each
    counts, rows = results.counts(), results.opening_rows()
    fitted = fit(counts)
    assert fitted is not None
    clusters = cluster_rows(rows, ClusterUnit.PAIRING_OPENING)
    assert clusters.number == 9
    plain, stretched = (
        refit(fitted, counts, rows, clusters, refits=300, seed=1, is_stretched=is_stretched)
        for is_stretched in (False, True)
    )
    ratio = stretched.ratings.std(axis=0) / plain.ratings.std(axis=0)
    assert ratio == pytest.approx(np.full(3, 1.5**0.5), rel=0.06)  # 9/8 for all would be 1.06


def test_a_pairing_on_one_opening_is_drawn_as_it_is() -> None:
    results = played("abc", 4, seed=4)
    results = results.where((results.first + results.second != 3) | (results.opening == 0))
    counts, rows = results.counts(), results.opening_rows()
    fitted = fit(counts)
    assert fitted is not None
    clusters = cluster_rows(rows, ClusterUnit.PAIRING_OPENING)
    found = refit(fitted, counts, rows, clusters, refits=5, seed=1)
    assert found.still == ((1, 2),)
    shared = cluster_rows(rows, ClusterUnit.OPENING)
    assert refit(fitted, counts, rows, shared, refits=1, seed=1).still == ()


def test_a_refit_is_as_good_as_a_full_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    case = DOCUMENT["cases"][0]
    near, natural = _refits(case, ClusterUnit.OPENING, refits=50)
    monkeypatch.setattr(bootstrap, "_ENOUGH", 0.0)
    full, _ = _refits(case, ClusterUnit.OPENING, refits=50)
    errors = np.sqrt(natural.diagonal()[: full.ratings.shape[1]])
    away = np.abs(near.ratings - full.ratings) / errors
    assert away.max() < 1e-3
    assert np.abs(_moves(full)).max() > errors.min()
