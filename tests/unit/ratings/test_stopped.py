from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from harness.ratings.match import NELO, exact_elo_interval, match_estimate, score_to_elo
from harness.ratings.sprt import (
    EloModel,
    SequentialTest,
    WaldBounds,
    approximate_log_likelihood_ratio,
    log_likelihood_ratio,
)
from harness.ratings.stopped import (
    BrownianOutcome,
    Correction,
    StoppedEstimate,
    brownian_outcome,
    stopped_estimate,
)
from tests.unit.ratings.oracle import DATA

PENTANOMIAL = json.loads((DATA / "pentanomial.json").read_text())
SEQUENTIAL = json.loads((DATA / "sequential.json").read_text())
TOLERANCE = SEQUENTIAL["tolerance"]["fishtest_elo_abs"]
LARGEST = 1000
"""Where fishtest gives up."""

CASES = [
    pytest.param(
        case["counts_LL_LD_mid_WD_WW"],
        {"alpha": case["alpha"], "beta": case["beta"], **case["fishtest_SPRT_elo"]},
        id=case["id"],
    )
    for case in PENTANOMIAL["cases"]
    if "fishtest_SPRT_elo" in case
]
ANALYTICS = [
    pytest.param(row["counts"], row, id=f"after-{number}")
    for number, row in enumerate(SEQUENTIAL["fishtest_after_sprt"])
]


def _test(row: dict[str, Any]) -> SequentialTest:
    rates = row.get("alpha", 0.05), row.get("beta", 0.05)
    return SequentialTest(row["elo0"], row["elo1"], *rates, EloModel(row["model"]))


@pytest.mark.parametrize(("counts", "row"), [*CASES, *ANALYTICS])
def test_estimates_are_those_of_fishtest(counts: list[int], row: dict[str, Any]) -> None:
    test, expected = _test(row), row["out"] if "out" in row else row["analytics"]
    assert list(test.bounds) == pytest.approx([expected["a"], expected["b"]], abs=1e-10)
    outcome = brownian_outcome(test, counts)
    for chance, elo in zip((0.5, 0.975, 0.025), (expected["elo"], *expected["ci"]), strict=True):
        found = outcome.elo_at(chance)
        assert found == (math.inf if elo == LARGEST else pytest.approx(elo, abs=TOLERANCE))
    assert outcome.chance_of_worse(0.0) == pytest.approx(expected["LOS"], abs=1e-9)


@pytest.mark.parametrize(("counts", "row"), CASES)
def test_the_ratio_beside_the_estimate_is_the_exact_one(
    counts: list[int], row: dict[str, Any]
) -> None:
    ratio = log_likelihood_ratio(_test(row), counts)
    assert ratio == pytest.approx(row["out"]["LLR"], rel=1e-9)


@pytest.mark.parametrize(("counts", "row"), ANALYTICS)
def test_the_height_is_the_quadratic_ratio(counts: list[int], row: dict[str, Any]) -> None:
    """All three stand between their bounds, where the height is not brought back."""
    assert not row["analytics"]["clamped"]
    outcome, test = brownian_outcome(_test(row), counts), _test(row)
    assert outcome.time == sum(counts)
    assert outcome.height == pytest.approx(row["analytics"]["LLR"], rel=1e-10)
    if test.model is EloModel.LOGISTIC:
        closed = approximate_log_likelihood_ratio(test, counts)
        assert closed == pytest.approx(outcome.height, rel=1e-10)


@pytest.mark.parametrize(("counts", "row"), [*CASES, *ANALYTICS])
def test_small_effects_are_shown_and_large_ones_are_exact(
    counts: list[int], row: dict[str, Any]
) -> None:
    test = _test(row)
    found, outcome = stopped_estimate(test, counts), brownian_outcome(test, counts)
    plain = match_estimate(np.repeat(np.linspace(0, 1, 5), counts))
    assert plain.nelo is not None
    if abs(plain.nelo) > 200:
        assert found.correction is Correction.EXACT
        assert found.elo == pytest.approx(plain.elo)
        points = sum(count * cell / 4 for cell, count in enumerate(counts))
        assert (found.elo_low, found.elo_high) == exact_elo_interval(points, sum(counts))
    else:
        assert found.correction is Correction.SEQUENTIAL
        assert found.elo == outcome.elo_at(0.5)
        assert (found.elo_low, found.elo_high) == (outcome.elo_at(0.975), outcome.elo_at(0.025))
        assert found.los == outcome.chance_of_worse(0.0)


def test_no_units_say_nothing() -> None:
    found = stopped_estimate(SequentialTest(), [0, 0, 0, 0, 0])
    assert found == StoppedEstimate(None, None, None, None, Correction.NONE)


def test_nothing_but_wins_are_exact() -> None:
    found, plain = stopped_estimate(SequentialTest(), [0, 0, 0, 0, 50]), match_estimate(np.ones(50))
    assert found.correction is Correction.EXACT
    assert (found.elo, found.elo_low, found.elo_high) == (None, plain.elo_low, None)
    assert found.los == plain.los


@pytest.mark.parametrize("counts", [[0, 0, 60, 0, 0], [2, 1, 2, 1, 2]])
def test_all_draws_and_few_pairs_are_exact(counts: list[int]) -> None:
    found = stopped_estimate(SequentialTest(), counts)
    assert found.correction is Correction.EXACT
    assert found.elo == pytest.approx(0)
    assert found.los == pytest.approx(0.5)


def test_a_large_effect_is_exact_though_its_corrected_limits_are_scores() -> None:
    counts = [10, 0, 40, 0, 250]
    assert brownian_outcome(SequentialTest(), counts).elo_at(0.025) < math.inf
    found = stopped_estimate(SequentialTest(), counts)
    assert found.correction is Correction.EXACT
    assert (found.elo_low, found.elo_high) == exact_elo_interval(270, 300)


def test_a_limit_beyond_the_scores_is_replaced() -> None:
    """Few pairs of high variance: the corrected upper limit is a score above 1."""
    counts = [2, 0, 0, 0, 8]
    assert brownian_outcome(SequentialTest(), counts).elo_at(0.025) == math.inf
    found = stopped_estimate(SequentialTest(), counts)
    assert found.correction is Correction.EXACT
    assert (found.elo_low, found.elo_high) == exact_elo_interval(8, 10)


def _outcome(time: float, height: float) -> BrownianOutcome:
    bounds = WaldBounds(-2.944438979, 2.944438979)
    return BrownianOutcome(0.25, 0.0, 20 * math.sqrt(2) / NELO, bounds, time, height)


UPPER = 2.944438979


def test_early_decisions_are_better_than_late_ones() -> None:
    """At any effect: H0 at once, H0 late, undecided, H1 late, H1 at once."""
    order = [
        _outcome(100, -UPPER),
        _outcome(900, -UPPER),
        _outcome(1000, -2),
        _outcome(1000, 2),
        _outcome(900, UPPER),
        _outcome(100, UPPER),
    ]
    for effect in (-0.1, 0.0, 0.0407, 0.1):
        chances = [outcome.chance_of_worse(effect) for outcome in order]
        assert chances == sorted(chances)


def test_at_the_bounds_time_is_all() -> None:
    """In the long run either bound is met: the chance of H0 by then is Wald's."""
    rise = 20 * math.sqrt(2) / NELO
    for effect, chance_of_h0 in ((0.0, 0.95), (rise, 0.05), (rise / 2, 0.5)):
        for height in (-UPPER, 0.0, UPPER):
            found = _outcome(1e6, height).chance_of_worse(effect)
            assert found == pytest.approx(chance_of_h0, abs=1e-9)


@pytest.mark.parametrize("time", [1.0, 1e4])
def test_strong_effects_leave_no_chance(time: float) -> None:
    for height in (-UPPER, 0.0, UPPER):
        assert _outcome(time, height).chance_of_worse(-50) == pytest.approx(1, abs=1e-9)
        assert _outcome(time, height).chance_of_worse(50) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("effect", [-0.05, 0.0, 0.04, 0.12])
@pytest.mark.parametrize("height", [-UPPER, -1.0, 2.0, UPPER])
def test_images_and_waves_agree_where_both_hold(effect: float, height: float) -> None:
    rise = 20 * math.sqrt(2) / NELO
    drift, time = (effect - rise / 2) * rise, 120.0
    outcome = _outcome(time, height)
    images = outcome._by_images(drift * time, drift / rise**2, rise * math.sqrt(time))
    waves = outcome._by_waves(drift / rise**2, rise**2 * time)
    assert images == pytest.approx(waves, abs=1e-9)


def test_simulated_tests_stop_as_the_law_says() -> None:
    """Random walks in small steps: the share that took H0 before the 500th unit, or is lower."""
    generator = np.random.default_rng(1)
    rise, effect, runs, steps_per_unit = 20 * math.sqrt(2) / NELO, 0.07, 2000, 4
    drift = (effect - rise / 2) * rise / steps_per_unit
    height, decided = np.zeros(runs), np.zeros(runs)
    for _ in range(500 * steps_per_unit):
        moves = generator.normal(drift, rise / math.sqrt(steps_per_unit), runs)
        height = np.where(decided == 0, height + moves, height)
        # a step overshoots by 0.58 deviations on average
        reach = UPPER - 0.583 * rise / math.sqrt(steps_per_unit)
        decided = np.where(height >= reach, 1, np.where(height <= -reach, -1, decided))
    worse = np.mean((decided == -1) | ((decided == 0) & (height <= 1.0)))
    assert _outcome(500, 1.0).chance_of_worse(effect) == pytest.approx(worse, abs=0.035)


def test_decided_tests_are_pulled_back() -> None:
    """A test that has just taken H1 is less good than its plain score."""
    counts = [20, 40, 60, 70, 30]
    test = SequentialTest(0, 20)
    while log_likelihood_ratio(test, counts) < test.bounds.upper:
        counts = [*counts[:3], counts[3] + 1, counts[4] + 1]
    found = stopped_estimate(test, counts)
    score = sum(count * cell / 4 for cell, count in enumerate(counts)) / sum(counts)
    assert found.elo is not None
    assert 0 < found.elo < score_to_elo(score)
