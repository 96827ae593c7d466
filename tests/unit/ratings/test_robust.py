from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from harness.ratings.comparisons import difference_variances, los_matrix
from harness.ratings.counts import FloatArray
from harness.ratings.davidson import DavidsonFit, fit
from harness.ratings.results import OpeningRows
from harness.ratings.robust import (
    Clusters,
    ClusterUnit,
    choose_clusters,
    cluster_rows,
    clustered_covariance,
)
from harness.ratings.uncertainty import Uncertainty, clustered_uncertainty
from tests.unit.ratings.oracle import clustered, games, results_of

DOCUMENT = clustered()
TOLERANCE = DOCUMENT["tolerance"]
CASES = pytest.mark.parametrize("case", DOCUMENT["cases"], ids=lambda case: case["id"][:3])


def _fitted(case: dict[str, Any]) -> tuple[DavidsonFit, FloatArray, float]:
    """The fit, and the transformation to Elo with the mean of the core at zero."""
    model = fit(results_of(case).counts())
    assert model is not None
    bots, core = case["players"], case["expected"]["core"]
    weights = np.zeros(bots)
    weights[core] = 1 / len(core)
    return model, model.elo_scale * (np.eye(bots) - weights), model.elo_scale


def _elo_covariance(natural: FloatArray, transform: FloatArray) -> FloatArray:
    bots = len(transform)
    return np.asarray(transform @ natural[:bots, :bots] @ transform.T)


@CASES
def test_ratings_are_those_of_the_oracle(case: dict[str, Any]) -> None:
    model, transform, scale = _fitted(case)
    expected = case["expected"]
    elo = transform @ model.ratings
    assert elo == pytest.approx(expected["elo_score_scale"], abs=TOLERANCE["elo"])
    assert scale * model.advantage == pytest.approx(expected["adv"], abs=TOLERANCE["elo"])
    assert model.nu == pytest.approx(expected["nu"], abs=1e-8)
    errors = np.sqrt(_elo_covariance(model.covariance, transform).diagonal())
    assert errors == pytest.approx(expected["se_model_hessian"], abs=TOLERANCE["se"])


@CASES
@pytest.mark.parametrize(
    ("unit", "key"),
    [
        (ClusterUnit.OPENING, "se_cluster_opening"),
        (ClusterUnit.PAIRING_OPENING, "se_cluster_pairing_x_opening"),
    ],
)
def test_errors_are_those_of_the_oracle(case: dict[str, Any], unit: ClusterUnit, key: str) -> None:
    model, transform, _ = _fitted(case)
    rows = results_of(case).opening_rows()
    natural = clustered_covariance(model, rows, cluster_rows(rows, unit))
    errors = np.sqrt(_elo_covariance(natural, transform).diagonal())
    assert errors == pytest.approx(case["expected"][key], abs=TOLERANCE["se"])


@CASES
def test_other_clusters_give_the_other_errors_of_the_oracle(case: dict[str, Any]) -> None:
    """Pairs and single games as clusters: the oracle has them, people never need them."""
    model, transform, _ = _fitted(case)
    results = results_of(case)
    for key, clusters in (
        ("se_cluster_pair", np.unique(results.pair, return_inverse=True)[1]),
        ("se_cluster_game", np.arange(results.total)),
    ):
        single = _single_rows(case)
        natural = clustered_covariance(
            model, single, Clusters(ClusterUnit.GAME, clusters, int(clusters.max()) + 1)
        )
        errors = np.sqrt(_elo_covariance(natural, transform).diagonal())
        assert errors == pytest.approx(case["expected"][key], abs=TOLERANCE["se"])


def _single_rows(case: dict[str, Any]) -> OpeningRows:
    results = results_of(case)
    wins, draws, losses = (
        (results.half_points == points).astype(np.float64) for points in (2, 1, 0)
    )
    return OpeningRows(results.first, results.second, results.opening, wins, draws, losses)


@CASES
def test_covariance_and_superiority_are_those_of_the_oracle(case: dict[str, Any]) -> None:
    model, transform, _ = _fitted(case)
    rows = results_of(case).opening_rows()
    natural = clustered_covariance(model, rows, cluster_rows(rows, ClusterUnit.PAIRING_OPENING))
    covariance = _elo_covariance(natural, transform)
    expected = case["expected"]
    assert covariance == pytest.approx(
        np.array(expected["cov_cluster_pairing_x_opening"]), rel=1e-6, abs=1e-3
    )
    los = los_matrix(transform @ model.ratings, difference_variances(covariance))
    for one, row in enumerate(expected["los_cluster_pairing_x_opening"]):
        for other, chance in enumerate(row):
            if one != other:
                assert los[one, other] == pytest.approx(chance, abs=TOLERANCE["los"])


def _round_robin(openings: int, names: str = "abc", *, own: bool = False) -> list[str]:
    texts = []
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            for opening in range(openings):
                label = f"{one}{other}{opening}" if own else str(opening)
                result = "1=01"[opening % 4]
                texts += [f"{one}{other}{result}{label}", f"{other}{one}1{label}"]
    return texts


@pytest.mark.parametrize(
    ("openings", "own", "unit", "number"),
    [
        (20, False, ClusterUnit.OPENING, 20),
        (19, False, ClusterUnit.PAIRING_OPENING, 57),
        (5, True, ClusterUnit.OPENING, 15),
        (7, True, ClusterUnit.OPENING, 21),
        (2, False, ClusterUnit.PAIRING_OPENING, 6),
    ],
)
def test_clusters_are_openings_if_there_are_enough(
    openings: int, own: bool, unit: ClusterUnit, number: int
) -> None:
    rows = games(*_round_robin(openings, own=own), names="abc").opening_rows()
    clusters = choose_clusters(rows)
    assert clusters is not None
    assert (clusters.unit, clusters.number) == (unit, number)


def test_with_four_clusters_games_are_taken_as_independent() -> None:
    results = games(*_round_robin(4, names="ab"), names="ab")
    assert choose_clusters(results.opening_rows()) is None
    model = fit(results.counts())
    assert model is not None
    uncertainty = clustered_uncertainty(model, results.opening_rows())
    assert uncertainty.unit is ClusterUnit.GAME
    assert uncertainty.covariance is model.covariance
    assert math.isinf(uncertainty.degrees)
    assert uncertainty.advantage_variance is None


def test_the_first_move_always_goes_by_openings() -> None:
    results = games(*_round_robin(6), names="abc")
    rows = results.opening_rows()
    model = fit(results.counts())
    assert model is not None
    uncertainty = clustered_uncertainty(model, rows)
    assert uncertainty.unit is ClusterUnit.PAIRING_OPENING
    assert uncertainty.degrees == 17
    by_opening = clustered_covariance(model, rows, cluster_rows(rows, ClusterUnit.OPENING))
    assert uncertainty.advantage_variance == pytest.approx(by_opening[3, 3])
    assert uncertainty.advantage_degrees == 5


def test_replayed_games_add_no_certainty() -> None:
    """Every game four times over: clustered errors stay, the model's are halved."""
    texts = _round_robin(24)
    once, often = games(*texts, names="abc"), games(*texts * 4, names="abc")
    errors = {}
    for name, results in (("once", once), ("often", often)):
        model = fit(results.counts(), virtual_draws=1e-9)
        assert model is not None
        uncertainty = clustered_uncertainty(model, results.opening_rows())
        errors[name] = (
            math.sqrt(uncertainty.covariance[0, 0]), math.sqrt(model.covariance[0, 0]),
        )  # fmt: skip
    assert errors["often"][0] == pytest.approx(errors["once"][0], rel=1e-5)
    assert errors["often"][1] == pytest.approx(errors["once"][1] / 2, rel=1e-5)


def test_a_first_mover_that_always_wins_is_no_spread_between_openings() -> None:
    """What is left of each opening is its share of the virtual draws: the model's error holds."""
    texts = [text for opening in range(20) for text in (f"ab1{opening:02}", f"ba1{opening:02}")]
    model, uncertainty = _first_move(texts)
    assert uncertainty.advantage_variance == pytest.approx(model.covariance[2, 2])
    assert uncertainty.advantage_unit is ClusterUnit.GAME
    assert math.isinf(uncertainty.advantage_degrees)
    # openings played more often than others are no spread either
    model, uncertainty = _first_move([*texts, *texts[:10], *texts[:2] * 100])
    assert uncertainty.advantage_unit is ClusterUnit.GAME
    assert uncertainty.advantage_variance == pytest.approx(model.covariance[2, 2])


def test_one_opening_that_the_first_mover_lost_is_a_spread() -> None:
    texts = [text for opening in range(20) for text in (f"ab1{opening:02}", f"ba1{opening:02}")]
    model, uncertainty = _first_move([*texts[:-1], "ba019"])
    assert uncertainty.advantage_unit is ClusterUnit.OPENING
    assert uncertainty.advantage_degrees == 19
    assert uncertainty.advantage_variance != pytest.approx(model.covariance[2, 2], rel=0.01)


def _first_move(texts: list[str]) -> tuple[DavidsonFit, Uncertainty]:
    results = games(*texts)
    model = fit(results.counts())
    assert model is not None
    return model, clustered_uncertainty(model, results.opening_rows())
