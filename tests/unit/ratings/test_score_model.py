"""``Model.SCORE`` against the oracle, and against Ordo's own output."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import numpy as np
import pytest

from harness.ratings.comparisons import difference_variances, los_matrix
from harness.ratings.counts import FloatArray, GameCounts
from harness.ratings.davidson import ELO, DavidsonFit, Model, fit
from harness.ratings.results import OpeningRows
from harness.ratings.robust import Clusters, ClusterUnit, clustered_covariance
from tests.unit.ratings.oracle import rows_of, table_cases, tolerances

CASES = table_cases()
TOLERANCES = tolerances()
ORDO_POINTS = 202 / (400 * math.log10(0.76 / 0.24))
"""Ordo's points in one Elo: 76 % is 202 points."""
CONNECTED = [key for key, case in CASES.items() if case["strong_components"] == 1]
STOPPED_EARLY = "m09"
"""Ordo's first-move advantage is not at its own maximum there (noted in the file)."""


def _fitted(case: dict[str, Any], *, with_advantage: bool = True) -> DavidsonFit:
    counts = GameCounts.from_rows(rows_of(case), case["players"])
    model = fit(counts, virtual_draws=0, model=Model.SCORE, with_advantage=with_advantage)
    assert model is not None
    return model


@pytest.mark.parametrize(
    ("case_id", "key"),
    [
        (case_id, key)
        for case_id, case in CASES.items()
        for key in ("score_noadv", "score_adv")
        if key in case["oracle"]
    ],
)
def test_the_fit_is_that_of_the_oracle(case_id: str, key: str) -> None:
    case = CASES[case_id]
    expected = case["oracle"][key]
    model = _fitted(case, with_advantage=key == "score_adv")
    bots = len(case["players"])
    elo, covariance = ELO * model.ratings, ELO**2 * model.covariance[:bots, :bots]
    assert model.nu == 0
    assert model.elo_scale == ELO
    assert elo == pytest.approx(expected["elo"], abs=TOLERANCES["oracle_elo_abs"])
    assert ELO * model.advantage == pytest.approx(expected["adv"], abs=TOLERANCES["oracle_elo_abs"])
    assert np.sqrt(covariance.diagonal()) == pytest.approx(
        expected["se_elo"], rel=TOLERANCES["oracle_se_rel"]
    )
    assert covariance == pytest.approx(np.array(expected["cov"]), rel=1e-6, abs=1e-5)
    assert model.log_likelihood == pytest.approx(expected["loglik"], abs=1e-6)
    los = los_matrix(elo, difference_variances(covariance))
    for one in range(bots):
        for other in range(bots):
            if one != other:
                assert los[one, other] == pytest.approx(
                    expected["los"][one][other], abs=TOLERANCES["oracle_los_abs"]
                )


@pytest.mark.parametrize("case_id", CONNECTED)
def test_ratings_are_those_of_ordo(case_id: str) -> None:
    case = CASES[case_id]
    runs = {run["switches"]: run for run in case["ordo"]}
    plain = ORDO_POINTS * ELO * _fitted(case, with_advantage=False).ratings
    assert plain == pytest.approx(runs["-a 0"]["rating"], abs=TOLERANCES["ordo_rating"])
    if case_id == STOPPED_EARLY:
        return
    model = _fitted(case)
    points = ORDO_POINTS * ELO * model.ratings
    run = runs["-a 0 -W"]
    assert points == pytest.approx(run["rating"], abs=TOLERANCES["ordo_rating"])
    assert ORDO_POINTS * ELO * model.advantage == pytest.approx(
        run["white_advantage"], abs=TOLERANCES["ordo_white_advantage"]
    )
    (anchored,) = [run for switches, run in runs.items() if "-A" in switches.split()]
    place = case["players"].index(anchored["switches"].split()[4])
    assert points - points[place] + 100 == pytest.approx(
        anchored["rating"], abs=TOLERANCES["ordo_rating"]
    )


def _game_covariance(case: dict[str, Any], model: DavidsonFit) -> FloatArray:
    """The sandwich with every game a cluster: what simulating games and refitting estimates."""
    counts = GameCounts.from_rows(rows_of(case), case["players"])
    kinds = np.concatenate([np.full(len(counts.first), kind) for kind in range(3)])
    number = np.concatenate([counts.wins, counts.draws, counts.losses]).astype(int)
    kinds = np.repeat(kinds, number)
    first, second = (np.repeat(np.tile(side, 3), number) for side in (counts.first, counts.second))
    wins, draws, losses = ((kinds == kind).astype(np.float64) for kind in range(3))
    rows = OpeningRows(first, second, np.arange(len(first)), wins, draws, losses)
    clusters = Clusters(ClusterUnit.GAME, np.arange(len(first)), len(first))
    return clustered_covariance(model, rows, clusters)


def _matrix(text: str) -> list[list[str]]:
    return [row[2:] for row in csv.reader(io.StringIO(text))][1:]


@pytest.mark.parametrize("place", [0, 1], ids=["relative to the mean", "relative to a bot"])
@pytest.mark.parametrize(
    "case_id",
    [
        key
        for key in CONNECTED
        if key != STOPPED_EARLY and "error95" in CASES[key]["ordo_simulated"][0]
    ],
)
def test_errors_are_those_that_ordo_simulates(case_id: str, place: int) -> None:
    case = CASES[case_id]
    run = case["ordo_simulated"][place]
    model = _fitted(case)
    bots = len(case["players"])
    covariance = (ORDO_POINTS * ELO) ** 2 * _game_covariance(case, model)[:bots, :bots]
    transform = np.eye(bots)
    if place:
        transform[:, 0] -= 1
    errors = 1.959964 * np.sqrt((transform @ covariance @ transform.T).diagonal())
    assert errors == pytest.approx(
        np.array([error or 0.0 for error in run["error95"]]),
        rel=TOLERANCES["ordo_error95_rel"],
        abs=1e-9,
    )
    los = los_matrix(ORDO_POINTS * ELO * model.ratings, difference_variances(covariance))
    for one, row in enumerate(_matrix(run["cfs_matrix_csv"])):
        for other, percent in enumerate(row):
            if percent.strip():
                assert 100 * los[one, other] == pytest.approx(
                    float(percent), abs=TOLERANCES["ordo_cfs_abs_percent"]
                )
