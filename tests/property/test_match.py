from __future__ import annotations

import dataclasses
import math
from enum import Enum

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harness.ratings.betting import Evidence, bet, log_e_path
from harness.ratings.effort import pairs_to_reach
from harness.ratings.match import (
    Interval,
    MatchEstimate,
    elo_to_score,
    match_estimate,
    pentanomial_counts,
    score_to_elo,
)
from harness.ratings.sprt import (
    EloModel,
    SequentialTest,
    Verdict,
    approximate_log_likelihood_ratio,
    brownian_design,
    design,
    follow,
    log_likelihood_ratio,
    wald_bounds,
)
from harness.ratings.stopped import StoppedEstimate, stopped_estimate

QUARTERS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
SCORES = st.one_of(
    st.lists(QUARTERS, max_size=60),
    st.lists(st.floats(0, 1), max_size=40),
    st.tuples(QUARTERS, st.integers(1, 60)).map(lambda row: [row[0]] * row[1]),
)
COUNTS = st.one_of(
    st.lists(st.integers(0, 60), min_size=5, max_size=5),
    st.lists(st.one_of(st.just(0), st.integers(0, 100_000)), min_size=5, max_size=5),
)
GAMES = st.lists(st.one_of(st.just(0), st.integers(0, 2000)), min_size=3, max_size=3)


@st.composite
def sequential_tests(draw: st.DrawFn, model: EloModel = EloModel.NORMALIZED) -> SequentialTest:
    elo0 = draw(st.floats(-150, 140))
    elo1 = elo0 + draw(st.floats(1, 150))
    rates = st.floats(0.001, 0.4)
    return SequentialTest(elo0, elo1, draw(rates), draw(rates), model)


def _swapped(test: SequentialTest) -> SequentialTest:
    return SequentialTest(-test.elo1, -test.elo0, test.beta, test.alpha, test.model)


def _negated(number: float | None) -> object:
    return None if number is None else pytest.approx(-number, rel=1e-7, abs=1e-6)


def _complement(chance: float | None) -> object:
    return None if chance is None else pytest.approx(1 - chance, abs=1e-9)


def _assert_finite(row: MatchEstimate | StoppedEstimate) -> None:
    for field in dataclasses.fields(row):
        value = getattr(row, field.name)
        assert value is None or isinstance(value, Enum) or math.isfinite(value), field.name


@given(SCORES)
def test_every_match_has_finite_numbers_in_order(scores: list[float]) -> None:
    found = match_estimate(np.array(scores))
    _assert_finite(found)
    assert (found.interval is Interval.NONE) == (not scores)
    assert (found.score is None) == (not scores)
    assert found.pairs == len(scores)
    assert found.los is None or 0 <= found.los <= 1
    if found.elo is not None:
        assert found.elo_low is None or found.elo_low < found.elo
        assert found.elo_high is None or found.elo < found.elo_high
    if found.score is not None and found.los is not None and found.score != 0.5:
        assert (found.los >= 0.5) == (found.score > 0.5)


@given(SCORES)
def test_swapping_the_bots_mirrors_the_match(scores: list[float]) -> None:
    one, other = match_estimate(np.array(scores)), match_estimate(1 - np.array(scores))
    assume(one.interval is other.interval)  # rounding may decide where an end touches 0 or 1
    assert other.elo == _negated(one.elo)
    assert other.elo_low == _negated(one.elo_high)
    assert other.elo_high == _negated(one.elo_low)
    assert other.nelo == _negated(one.nelo)
    assert other.los == _complement(one.los)


@given(st.lists(QUARTERS, min_size=1, max_size=40), st.integers(2, 20))
def test_more_of_the_same_narrows_the_interval(scores: list[float], times: int) -> None:
    few, many = match_estimate(np.array(scores)), match_estimate(np.tile(scores, times))

    def width(row: MatchEstimate) -> float:
        low = 0.0 if row.elo_low is None else elo_to_score(row.elo_low)
        return (1.0 if row.elo_high is None else elo_to_score(row.elo_high)) - low

    assert many.score == pytest.approx(few.score)
    assert width(many) < width(few)
    assert few.los is not None
    assert many.los is not None
    assert abs(many.los - 0.5) >= abs(few.los - 0.5) - 1e-12


@given(st.floats(-3000, 3000))
def test_elo_and_score_are_inverse(elo: float) -> None:
    assert score_to_elo(elo_to_score(elo)) == pytest.approx(elo, rel=1e-6, abs=1e-9)


@given(COUNTS)
def test_counts_of_scores_are_the_counts(counts: list[int]) -> None:
    counts = [count % 50 for count in counts]
    assert pentanomial_counts(np.repeat(np.linspace(0, 1, 5), counts)) == tuple(counts)


@given(COUNTS, sequential_tests())
def test_swapping_the_bots_negates_the_ratio_of_pairs(
    counts: list[int], test: SequentialTest
) -> None:
    one = log_likelihood_ratio(test, counts)
    assert log_likelihood_ratio(_swapped(test), counts[::-1]) == _negated(one)
    closed = approximate_log_likelihood_ratio(test, counts)
    assert approximate_log_likelihood_ratio(_swapped(test), counts[::-1]) == _negated(closed)


@pytest.mark.parametrize("model", list(EloModel))
@given(counts=GAMES, data=st.data())
def test_swapping_the_bots_negates_the_ratio_of_games(
    counts: list[int], data: st.DataObject, model: EloModel
) -> None:
    test = data.draw(sequential_tests(model))
    one = log_likelihood_ratio(test, counts)
    assert math.isfinite(one)
    assert log_likelihood_ratio(_swapped(test), counts[::-1]) == _negated(one)


@given(COUNTS, st.floats(-300, 300), st.floats(1, 300), st.floats(1, 300))
def test_ratios_of_neighbouring_hypotheses_add_up(
    counts: list[int], elo: float, first: float, second: float
) -> None:
    def ratio(elo0: float, elo1: float) -> float:
        return log_likelihood_ratio(SequentialTest(elo0, elo1), counts)

    middle, last = elo + first, elo + first + second
    both = ratio(elo, middle) + ratio(middle, last)
    assert ratio(elo, last) == pytest.approx(both, rel=1e-7, abs=1e-6)


@given(st.lists(QUARTERS, max_size=40), st.lists(QUARTERS, max_size=10), sequential_tests())
def test_a_verdict_outlives_later_pairs(
    scores: list[float], later: list[float], test: SequentialTest
) -> None:
    state = follow(test, np.array(scores))
    assert state.units <= len(scores)
    if state.verdict is not Verdict.CONTINUE:
        assert follow(test, np.array(scores + later)) == state
        assert follow(test, np.array(scores[: state.units])) == state


@given(sequential_tests(), st.floats(-500, 500))
def test_designs_are_chances_and_mirror(test: SequentialTest, nelo: float) -> None:
    one, other = design(test, nelo), design(_swapped(test), -nelo)
    assert 0 <= one.chance_of_h1 <= 1
    assert one.expected_units > 0
    assert other.chance_of_h1 == pytest.approx(1 - one.chance_of_h1, abs=1e-6)
    assert other.expected_units == pytest.approx(one.expected_units, rel=1e-5)


@given(st.floats(0.001, 0.4), st.floats(0.001, 0.4), st.floats(0.001, 1))
def test_designs_keep_their_error_rates(alpha: float, beta: float, effect1: float) -> None:
    bounds = wald_bounds(alpha, beta)
    at_h0, at_h1 = (brownian_design(effect, 0.0, effect1, bounds) for effect in (0.0, effect1))
    assert at_h0.chance_of_h1 == pytest.approx(alpha)
    assert at_h1.chance_of_h1 == pytest.approx(1 - beta)


@given(COUNTS, sequential_tests())
def test_every_stop_has_finite_numbers_in_order_and_mirrors(
    counts: list[int], test: SequentialTest
) -> None:
    one, other = stopped_estimate(test, counts), stopped_estimate(_swapped(test), counts[::-1])
    _assert_finite(one)
    assert one.los is None or 0 <= one.los <= 1
    if one.elo is not None:
        assert one.elo_low is None or one.elo_low < one.elo
        assert one.elo_high is None or one.elo < one.elo_high
    assert one.correction is other.correction
    assert other.elo == _negated(one.elo)
    assert other.los == _complement(one.los)


@given(st.lists(st.floats(0, 1), max_size=60))
def test_bets_are_finite_and_mirror(scores: list[float]) -> None:
    one, other = bet(np.array(scores)), bet(1 - np.array(scores))
    assert np.isfinite(log_e_path(np.array(scores))).all()
    assert 0 < one.p_value <= 1
    mirror = {Evidence.BETTER: Evidence.WORSE, Evidence.WORSE: Evidence.BETTER}
    assert other.evidence is mirror.get(one.evidence, Evidence.NOTHING)
    assert other.log_e_worse == pytest.approx(one.log_e_better, abs=1e-9)


@given(st.floats(0, 1), st.floats(0, 0.5), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_effort_is_a_number_or_unknown(
    score: float, deviation: float, los: float, power: float
) -> None:
    pairs = pairs_to_reach(score, deviation, los=los, power=power)
    assert pairs is None or 0 <= pairs < math.inf
