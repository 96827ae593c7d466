"""Do 95 % intervals hold in 95 % of tournaments, in the long run?"""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import pytest
from scipy.stats import studentized_range

from harness.ratings.robust import ClusterUnit
from harness.ratings.table import rate, rate_games
from harness.ratings.types import RatingTable
from tests.unit.ratings.simulation import Coverage, Scenario, coverage, hits, limit, play

OWN_OPENINGS = Scenario(8, 300, openings=25, is_shared=False, opening_sd_elo=150)
SHARED_OPENINGS = Scenario(12, 500, openings=40, is_shared=True, opening_sd_elo=250)
REPLAYED = Scenario(8, 300, openings=40, is_shared=True, opening_sd_elo=150, replays=4)
SCENARIOS = {
    "independent pairs": OWN_OPENINGS,
    "shared openings": SHARED_OPENINGS,
    "deterministic bots": REPLAYED,
}
RUNS = 1000
"""Monte Carlo error of a coverage: .003 for ratings and for differences (by the spread between
runs, as bots of one run are not independent), .007 for the first move, of which a run has one."""
FEW_RUNS = 300
"""The same where intervals fail: at most .013 and .029."""
SEED = 20


@pytest.fixture(autouse=True)
def _each_tukey_quantile_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes far longer than all the rest of a table, and is the same in every run."""
    monkeypatch.setattr(studentized_range, "ppf", cache(studentized_range.ppf))


def _by_opening(scenario: Scenario) -> Coverage:
    chance, truth = np.random.default_rng(SEED), limit(scenario)
    runs = []
    for _ in range(RUNS):
        tables, _ = rate_games(play(scenario, chance))
        table = _only(tables)
        assert table.unit is ClusterUnit.OPENING
        runs.append(hits(table, truth, scenario.all_openings - 1))
    return coverage(runs)


def _by_game(scenario: Scenario) -> Coverage:
    """As from counts alone, every game taken as independent."""
    chance, truth = np.random.default_rng(SEED), limit(scenario)
    counts = (play(scenario, chance).counts() for _ in range(FEW_RUNS))
    return coverage([hits(_only(rate(one.pairing_counts())), truth) for one in counts])


def _only(tables: tuple[RatingTable, ...]) -> RatingTable:
    assert len(tables) == 1
    return tables[0]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_intervals_by_opening_hold_in_95_percent(scenario: Scenario) -> None:
    found = _by_opening(scenario)
    print(found)
    assert 0.92 <= found.ratings <= 0.98
    assert 0.92 <= found.differences <= 0.98
    assert 0.92 <= found.first_move <= 0.98


@pytest.mark.slow
def test_with_replayed_games_taken_as_independent_no_interval_holds() -> None:
    found = _by_game(REPLAYED)
    print(found)
    assert max(found) < 0.8


@pytest.mark.slow
def test_with_shared_openings_taken_as_independent_the_first_moves_interval_fails() -> None:
    found = _by_game(SHARED_OPENINGS)
    print(found)
    assert found.first_move < 0.8


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_without_opening_bias_ratings_tend_to_the_strengths(scenario: Scenario) -> None:
    plain = dataclasses.replace(scenario, opening_sd_elo=0)
    truth = limit(plain)
    assert truth.elo == pytest.approx(plain.strengths, abs=1e-6)
    assert truth.first_move_elo == pytest.approx(plain.first_move_elo, abs=1e-6)


def test_the_limit_is_what_very_many_openings_give() -> None:
    many = dataclasses.replace(SHARED_OPENINGS, bots=4, openings=100_000)
    truth = limit(many)
    assert truth.elo[0] < many.best_elo - 50  # chance in the openings makes bots look alike
    table = _only(rate(play(many, np.random.default_rng(SEED)).counts().pairing_counts()))
    assert [row.elo for row in table.rows] == pytest.approx(truth.elo, abs=4)
    assert table.first_move is not None
    assert table.first_move.elo == pytest.approx(truth.first_move_elo, abs=4)
