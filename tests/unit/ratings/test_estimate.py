from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.stats import t as student

from harness.ratings import estimate
from harness.ratings.bootstrap import Refits, refit
from harness.ratings.counts import FloatArray
from harness.ratings.davidson import ELO, DavidsonFit, fit
from harness.ratings.estimate import Estimate, Gauge, estimate_group
from harness.ratings.groups import Group
from harness.ratings.ranking import draw_ratings
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
    deviation = elo.std(axis=0, ddof=1)
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


def _with_twin(results: GameResults, bot: int) -> GameResults:
    """The games again with one bot under another name, and its games against itself: all split."""
    twin, openings = len(results.names), len(results.openings)
    again = results.where((results.first == bot) | (results.second == bot))
    opening = np.tile(np.arange(openings), 2)
    own = GameResults(
        results.names,
        results.openings,
        np.repeat([bot, twin], openings),
        np.repeat([twin, bot], openings),
        opening,
        np.full(2 * openings, 2, dtype=np.int8),
        opening,
        np.zeros(2 * openings, dtype=np.int64),
    )
    again = dataclasses.replace(
        again,
        first=np.where(again.first == bot, twin, again.first),
        second=np.where(again.second == bot, twin, again.second),
    )
    columns = ("first", "second", "opening", "half_points", "pair", "moves")
    return GameResults(
        (*results.names, "zz"),
        results.openings,
        *(
            np.concatenate([getattr(one, name) for one in (results, again, own)])
            for name in columns
        ),
    )


def test_one_bot_under_two_names_leaves_all_other_errors_clustered() -> None:
    results = _with_twin(played("abcde", 30, lead=0.3), 2)
    fitted = _fitted(results)
    found = _estimate(results)
    assert found.uncertainty.unit is ClusterUnit.OPENING
    one, twin = sorted((found.ranked.index(2), found.ranked.index(5)))
    assert found.pairs_by_model == ((one, twin),)
    own = found.covariance.diagonal()
    assert own[one] + own[twin] - 2 * found.covariance[one, twin] < 1e-6 * own[one]
    errors = student.ppf(0.975, 29) * np.sqrt(own)
    assert found.errors == pytest.approx(errors)
    # of these two nothing is claimed, in LOS, marks or ranks
    assert found.los[one, twin] == pytest.approx(0.5, abs=1e-6)
    assert not found.differ[one, twin]
    assert found.chances is not None
    assert found.chances.low[one] == found.chances.low[twin]
    assert found.chances.best[one] == pytest.approx(found.chances.best[twin], abs=0.02)
    # all others are compared as if there were no twin
    by_model = estimate_group(
        fitted,
        Group(np.arange(6)),
        _mean(fitted, 6),
        model_uncertainty(fitted),
        None,
        seed=1,
        is_quick=True,
    )
    others = [place for place in range(6) if place not in (one, twin)]
    assert np.abs(found.los - by_model.los)[np.ix_(others, others)].max() > 1e-4


def test_the_twin_of_an_anchor_has_the_models_error() -> None:
    results = _with_twin(played("abcde", 30, lead=0.3), 2)
    fitted = _fitted(results)
    weights = np.zeros(6)
    weights[2] = 1
    found = _estimate(results, Gauge(weights, fitted.elo_scale, 0.0, ""))
    anchor, twin = found.ranked.index(2), found.ranked.index(5)
    assert found.errors[anchor] == 0
    assert found.bots_by_model == (twin,)
    ratio = student.ppf(0.975, 29) / 1.959963984540054
    assert found.errors[twin] == pytest.approx(ratio * found.model_errors[twin])


def test_a_small_lead_over_a_twin_is_as_uncertain_as_the_model_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A difference known "exactly" would make any lead a certainty."""
    results = _with_twin(played("abcde", 30, lead=0.3), 2)
    fitted = _fitted(results)
    drawn: list[FloatArray] = []

    def draw(elo: FloatArray, covariance: FloatArray, seed: int) -> FloatArray:
        drawn.append(covariance)
        return draw_ratings(elo, covariance, seed)

    monkeypatch.setattr(estimate, "draw_ratings", draw)
    moved = fitted.ratings.copy()
    moved[5] += 0.05
    found = estimate_group(
        dataclasses.replace(fitted, ratings=moved),
        Group(np.arange(6)),
        _mean(fitted, 6),
        clustered_uncertainty(fitted, results.opening_rows()),
        None,
        seed=1,
        is_quick=False,
    )
    twin, one = found.ranked.index(5), found.ranked.index(2)
    model = fitted.covariance
    variance = model[2, 2] + model[5, 5] - 2 * model[2, 5]
    los = student.cdf(0.05 / math.sqrt(variance), 29)
    assert found.los[twin, one] == pytest.approx(los, abs=2e-3)
    assert 0.5 < los < 0.9
    (loosened,) = drawn
    spread = loosened[one, one] + loosened[twin, twin] - 2 * loosened[one, twin]
    assert spread == pytest.approx(fitted.elo_scale**2 * variance, rel=1e-3)
    others = [place for place in range(6) if place not in (one, twin)]
    unmoved = np.ix_(others, range(6))
    assert loosened[unmoved] == pytest.approx(found.covariance[unmoved])


def test_nothing_is_drawn_where_refits_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("drawn for nothing")

    results = results_of(CASES["r01"])
    fitted, rows = _fitted(results), results.opening_rows()
    clusters = clustered_uncertainty(fitted, rows).clusters
    assert clusters is not None
    refits = refit(fitted, results.counts(), rows, clusters, refits=9, seed=1)
    monkeypatch.setattr(estimate, "draw_ratings", refused)
    assert _estimate(results, refits=refits).chances is not None
    with pytest.raises(AssertionError, match="for nothing"):
        _estimate(results)
