from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.stats import t as student

from harness.ratings.bootstrap import Refits, refit
from harness.ratings.davidson import ELO, DavidsonFit, fit
from harness.ratings.estimate import Estimate, Gauge, estimate_group
from harness.ratings.groups import Group
from harness.ratings.results import GameResults
from harness.ratings.robust import ClusterUnit
from harness.ratings.uncertainty import clustered_uncertainty, model_uncertainty
from tests.unit.ratings.oracle import clustered, games, results_of
from tests.unit.report.builders import played

CASES = {case["id"][:3]: case for case in clustered()["cases"]}


def _fitted(results: GameResults) -> DavidsonFit:
    found = fit(results.counts())
    assert found is not None
    return found


def _mean(fitted: DavidsonFit, bots: int) -> Gauge:
    return Gauge(np.full(bots, 1 / bots), fitted.elo_scale, 0.0, "")


def _estimate(
    results: GameResults,
    gauge: Gauge | None = None,
    *,
    refits: Refits | None = None,
    is_quick: bool = False,
) -> Estimate:
    fitted = _fitted(results)
    bots = len(results.names)
    return estimate_group(
        fitted,
        Group(np.arange(bots)),
        gauge or _mean(fitted, bots),
        clustered_uncertainty(fitted, results.opening_rows()),
        refits,
        seed=1,
        is_quick=is_quick,
    )


def test_a_gauge_shifts_and_scales() -> None:
    ratings = np.array([[0.5, 0.0, -0.5], [1.0, 1.0, 4.0]])
    mean = Gauge(np.array([0.5, 0.5, 0.0]), ELO, 0.0, "")
    assert mean.elo(ratings) == pytest.approx(
        ELO * np.array([[0.25, -0.25, -0.75], [0.0, 0.0, 3.0]])
    )
    anchor = Gauge(np.array([0.0, 0.0, 1.0]), 100.0, 1500.0, "")
    assert anchor.elo(ratings[0]) == pytest.approx([1600, 1550, 1500])


@pytest.mark.parametrize(
    ("case_id", "key", "clusters", "unit"),
    [
        ("r01", "se_cluster_opening", 20, ClusterUnit.OPENING),
        ("r03", "se_cluster_opening", 40, ClusterUnit.OPENING),
        ("r02", "se_cluster_pairing_x_opening", 72, ClusterUnit.PAIRING_OPENING),
    ],
)
def test_errors_are_students_on_the_clusters(
    case_id: str, key: str, clusters: int, unit: ClusterUnit
) -> None:
    case = CASES[case_id]
    found, expected = _estimate(results_of(case)), case["expected"]
    order = sorted(range(case["players"]), key=lambda bot: -expected["elo_score_scale"][bot])
    assert found.ranked == tuple(order)
    assert found.elo == pytest.approx(np.array(expected["elo_score_scale"])[order], abs=1e-5)
    errors = student.ppf(0.975, clusters - 1) * np.array(expected[key])[order]
    assert found.errors == pytest.approx(errors, rel=1e-6)
    by_model = 1.959963984540054 * np.array(expected["se_model_hessian"])[order]
    assert found.model_errors == pytest.approx(by_model, rel=1e-6)
    assert found.uncertainty.unit is unit


def test_covariance_and_superiority_are_joint() -> None:
    case = CASES["r02"]
    found, expected = _estimate(results_of(case)), case["expected"]
    order = list(found.ranked)
    covariance = np.array(expected["cov_cluster_pairing_x_opening"])[np.ix_(order, order)]
    assert found.covariance == pytest.approx(covariance, rel=1e-6, abs=1e-3)
    for one, row in enumerate(order):
        for other, column in enumerate(order):
            if one != other:
                los = expected["los_cluster_pairing_x_opening"][row][column]
                assert found.los[one, other] == pytest.approx(los, abs=1e-7)


def test_an_anchor_has_no_error_and_all_others_its() -> None:
    results = results_of(CASES["r01"])
    fitted = _fitted(results)
    weights = np.zeros(5)
    weights[2] = 1
    plain = _estimate(results)
    found = _estimate(results, Gauge(weights, fitted.elo_scale, 1500.0, ""))
    assert found.ranked == plain.ranked
    place = found.ranked.index(2)
    assert (found.elo[place], found.errors[place]) == (1500, 0)
    own = plain.covariance.diagonal()
    variances = own + own[place] - 2 * plain.covariance[:, place]
    errors = student.ppf(0.975, 19) * np.sqrt(np.maximum(variances, 0))
    assert found.errors == pytest.approx(errors, rel=1e-6)
    # nothing that compares bots depends on what zero is
    assert found.los == pytest.approx(plain.los)
    assert np.array_equal(found.differ, plain.differ)
    assert found.groups == plain.groups
    assert found.chances is not None
    assert plain.chances is not None
    assert found.chances.best == pytest.approx(plain.chances.best, abs=0.02)


def test_clusters_that_are_alike_by_accident_are_not_believed() -> None:
    """Each pair is split 1-1: no spread between openings, but strength is not known exactly."""
    texts = [text for opening in range(12) for text in (f"ab1{opening:02}", f"ba1{opening:02}")]
    results = games(*texts)
    fitted = _fitted(results)
    found = _estimate(results)
    assert found.uncertainty.unit is ClusterUnit.GAME
    assert found.errors == pytest.approx(found.model_errors)
    by_model = estimate_group(
        fitted,
        Group(np.arange(2)),
        _mean(fitted, 2),
        model_uncertainty(fitted),
        None,
        seed=1,
        is_quick=False,
    )
    assert found.errors == pytest.approx(by_model.errors)
    assert found.los[0, 1] == pytest.approx(0.5)


def test_refits_give_errors_and_chances_of_their_own() -> None:
    results = results_of(CASES["r01"])
    fitted, rows = _fitted(results), results.opening_rows()
    clusters = clustered_uncertainty(fitted, rows).clusters
    assert clusters is not None
    refits = refit(fitted, results.counts(), rows, clusters, refits=400, seed=1)
    found, plain = _estimate(results, refits=refits), _estimate(results)
    assert plain.bootstrap_errors is None
    assert found.bootstrap_errors is not None
    elo = ELO * 2 / (2 + refits.nus)[:, None] * refits.ratings
    deviation = elo.std(axis=0, ddof=1) * math.sqrt(20 / 19)
    errors = student.ppf(0.975, 19) * deviation[list(found.ranked)]
    assert found.bootstrap_errors == pytest.approx(errors, rel=1e-6)
    assert found.bootstrap_errors == pytest.approx(plain.errors, rel=0.2)
    best = (elo.argmax(axis=1)[:, None] == np.array(found.ranked)).mean(axis=0)
    assert found.chances is not None
    assert found.chances.best == pytest.approx(best)


def test_a_quick_estimate_has_the_same_numbers_without_marks_and_chances() -> None:
    results = played("abcd", 30, lead=1.0)
    full, quick = _estimate(results), _estimate(results, is_quick=True)
    for name in ("elo", "errors", "model_errors", "covariance", "los"):
        assert np.array_equal(getattr(full, name), getattr(quick, name))
    assert full.ranked == quick.ranked
    assert full.differ.any()
    assert not quick.differ.any()
    assert quick.groups == ("",) * 4
    assert quick.chances is None


def test_a_group_is_part_of_a_pool() -> None:
    """Only the group's bots are in it, and zero is its mean; all bots were fitted together."""
    case = CASES["r04"]
    results, expected = results_of(case), case["expected"]
    fitted = _fitted(results)
    core = np.array(expected["core"])
    weights = np.zeros(case["players"])
    weights[core] = 1 / len(core)
    found = estimate_group(
        fitted,
        Group(core),
        Gauge(weights, fitted.elo_scale, 0.0, ""),
        clustered_uncertainty(fitted, results.opening_rows()),
        None,
        seed=1,
        is_quick=False,
    )
    assert sorted(found.ranked) == core.tolist()
    assert found.elo.mean() == pytest.approx(0, abs=1e-9)
    errors = student.ppf(0.975, 89) * np.array(expected["se_cluster_pairing_x_opening"])
    assert found.errors == pytest.approx(errors[list(found.ranked)], rel=1e-6)


def test_equal_bots_are_in_order_of_their_names() -> None:
    fitted = dataclasses.replace(_fitted(played("abc", 8)), ratings=np.zeros(3))
    found = estimate_group(
        fitted,
        Group(np.arange(3)),
        _mean(fitted, 3),
        model_uncertainty(fitted),
        None,
        seed=1,
        is_quick=True,
    )
    assert found.ranked == (0, 1, 2)
