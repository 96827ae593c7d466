from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from harness.ratings.match import (
    Interval,
    MatchEstimate,
    UnitStatistics,
    clopper_pearson,
    elo_to_score,
    exact_elo_interval,
    exact_los_of_decisive_games,
    los_of_decisive_games,
    match_estimate,
    pentanomial_counts,
    regularised,
    score_to_elo,
    unit_statistics,
)
from tests.unit.ratings.oracle import DATA

PENTANOMIAL = json.loads((DATA / "pentanomial.json").read_text())
TRINOMIAL = json.loads((DATA / "trinomial.json").read_text())
TOLERANCE = PENTANOMIAL["tolerance"]
OURS = TOLERANCE["ours_vs_any_correct_code"]
PRINTED = 1e-11
"""The references have twelve digits."""

COUNTS = {case["id"]: (case["counts_LL_LD_mid_WD_WW"], 2) for case in PENTANOMIAL["cases"]}
COUNTS |= {case["id"]: ([case["L"], case["D"], case["W"]], 1) for case in TRINOMIAL["cases"]}
CASES = {case["id"]: case for case in PENTANOMIAL["cases"] + TRINOMIAL["cases"]}


def _with(key: str) -> list[str]:
    return [name for name, case in CASES.items() if case.get(key) is not None]


def _statistics(name: str) -> UnitStatistics:
    statistics = unit_statistics(*COUNTS[name])
    assert statistics is not None
    return statistics


def _regularised(name: str) -> UnitStatistics:
    counts, games_per_unit = COUNTS[name]
    statistics = unit_statistics(regularised(counts), games_per_unit)
    assert statistics is not None
    return statistics


def _check(found: float, expected: float | str, tolerance: float, rel: float = PRINTED) -> None:
    assert found == pytest.approx(float(expected), abs=tolerance, rel=rel, nan_ok=True)


@pytest.mark.parametrize("name", _with("stats_unregularised"))
def test_plain_statistics_are_those_of_the_reference(name: str) -> None:
    found, expected = _statistics(name), CASES[name]["stats_unregularised"]
    assert found.units == expected["units"]
    assert found.games == expected["games"]
    _check(found.score, expected["score"], OURS["score"])
    _check(found.variance, expected["var_unit"], OURS["score"])
    _check(found.standard_error, expected["se"], OURS["score"])
    for key, number in (
        ("elo", found.elo),
        ("elo_lo", found.elo_low),
        ("elo_hi", found.elo_high),
        ("elo_margin", found.elo_margin),
        ("nelo", found.nelo),
        ("nelo_margin", found.nelo_margin),
    ):
        _check(number, expected[key], OURS.get(key, OURS["elo"]))
    _check(found.los, expected["los"], OURS["los"])


@pytest.mark.parametrize("name", _with("stats_regularised_1e-3"))
def test_regularised_statistics_are_those_of_the_reference(name: str) -> None:
    found, expected = _regularised(name), CASES[name]["stats_regularised_1e-3"]
    for key in ("score", "elo", "elo_margin", "nelo", "los"):
        _check(getattr(found, key), expected[key], OURS[key])


def _clamped_elo(score: float) -> float:
    return score_to_elo(min(max(score, 1e-3), 1 - 1e-3))


@pytest.mark.parametrize("name", [*_with("fishtest_get_elo"), *_with("fishtest")])
def test_fishtest_has_the_same_elo_within_its_clamp(name: str) -> None:
    case, found = CASES[name], _regularised(name)
    if "fishtest" in case:
        elo, margin, los = case["fishtest"]["get_elo"]
    else:
        elo, margin, los = case["fishtest_get_elo"].values()
    half = 1.959963984540054 * found.standard_error
    _check(_clamped_elo(found.score), elo, OURS["elo"])
    width = _clamped_elo(found.score + half) - _clamped_elo(found.score - half)
    _check(width / 2, margin, OURS["elo_margin"])
    _check(found.los, los, OURS["los"])


FASTCHESS = [(name, CASES[name]["fastchess_stats"]) for name in _with("fastchess_stats")] + [
    (name, row) for name in _with("fastchess") for row in CASES[name]["fastchess"].values()
]


@pytest.mark.parametrize(("name", "expected"), FASTCHESS)
def test_fastchess_has_the_same_statistics(name: str, expected: dict[str, Any]) -> None:
    found = _statistics(name)
    for key in ("score", "elo", "nelo", "nelo_margin"):
        _check(getattr(found, key), expected[key], 1e-8, rel=1e-9)  # it prints ten digits
    if expected["elo_margin"] == "nan":
        assert math.isinf(found.elo_margin)
    else:
        _check(found.elo_margin, expected["elo_margin"], 1e-8, rel=1e-9)
    if expected["los_percent"] == "nan":
        assert found.los == 0.5
    else:
        _check(100 * found.los, expected["los_percent"], TOLERANCE["vs_fastchess"]["los_percent"])


@pytest.mark.parametrize("name", _with("cutechess"))
def test_cutechess_has_the_same_statistics(name: str) -> None:
    found, case = _statistics(name), CASES[name]
    expected, tolerance = case["cutechess"], TRINOMIAL["tolerance"]["vs_cutechess"]
    _check(found.score, expected["pointRatio"], OURS["score"])
    _check(found.elo, expected["diff"], tolerance["elo"])
    _check(case["D"] / found.games, expected["drawRatio"], OURS["score"])
    if expected["errorMargin"] == "nan":
        assert math.isinf(found.elo_margin)
    else:
        _check(found.elo_margin, expected["errorMargin"], 0, rel=tolerance["elo_margin_rel"])
    los = los_of_decisive_games(case["W"], case["L"])
    if expected["LOS_percent"] == "nan":
        assert los is None
    else:
        assert los is not None
        _check(100 * los, expected["LOS_percent"], 100 * OURS["los"])


@pytest.mark.parametrize("name", _with("los_decisive_beta"))
def test_decisive_games_and_exact_intervals_are_those_of_the_reference(name: str) -> None:
    case = CASES[name]
    los = los_of_decisive_games(case["W"], case["L"])
    _check(math.nan if los is None else los, case["los_decisive_normal"], OURS["los"])
    exact = exact_los_of_decisive_games(case["W"], case["L"])
    _check(exact, case["los_decisive_beta"], OURS["los"])
    points, units = case["W"] + case["D"] / 2, case["W"] + case["D"] + case["L"]
    for found, score, expected in zip(
        exact_elo_interval(points, units),
        clopper_pearson(points, units),
        case["clopper_pearson_elo95"],
        strict=True,
    ):
        end = float(expected)
        assert found == (None if math.isinf(end) else pytest.approx(end, abs=OURS["elo"]))
        assert score == pytest.approx(1 / (1 + 10 ** (-end / 400)), abs=1e-9)


def test_no_units_have_no_statistics() -> None:
    assert CASES["p13-zero-pairs"]["stats_unregularised"] is None
    assert unit_statistics([0, 0, 0, 0, 0], 2) is None
    assert unit_statistics([0, 0, 0], 1) is None


def test_score_and_elo_by_hand() -> None:
    assert elo_to_score(400) == pytest.approx(10 / 11, abs=1e-15)
    assert elo_to_score(0) == 0.5
    assert score_to_elo(10 / 11) == pytest.approx(400, abs=1e-9)
    assert score_to_elo(1e-200) == pytest.approx(-80_000)
    assert (score_to_elo(0.0), score_to_elo(1.0)) == (-math.inf, math.inf)


def test_pairs_are_counted_by_score() -> None:
    assert pentanomial_counts(np.array([1, 0.25, 0.5, 0.75, 1, 0.5, 1])) == (0, 1, 2, 1, 3)
    assert pentanomial_counts(np.array([])) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("score", [0.3, 1.25, -0.25, math.nan])
def test_no_pair_scores_anything_else(score: float) -> None:
    with pytest.raises(ValueError, match="a pair scores"):
        pentanomial_counts(np.array([0.5, score]))


def _row(*counts: int) -> MatchEstimate:
    return match_estimate(np.repeat(np.linspace(0, 1, len(counts)), counts))


def test_many_pairs_are_the_plain_statistics() -> None:
    found, plain = _row(34, 54, 63, 64, 75), _statistics("p01-fastchess-doc")
    assert found.interval is Interval.NORMAL
    assert found.pairs == 290
    for key in ("score", "elo", "elo_low", "elo_high", "nelo", "nelo_margin", "los"):
        assert getattr(found, key) == pytest.approx(getattr(plain, key), abs=1e-9)
    assert found.deviation == pytest.approx(math.sqrt(0.113106420927))


def test_no_pairs_say_nothing() -> None:
    assert match_estimate(np.array([])) == MatchEstimate(
        0, None, None, None, None, None, None, None, None, Interval.NONE
    )


def test_nothing_but_wins_leave_one_end() -> None:
    found = _row(0, 0, 0, 0, 30)
    low = 400 * math.log10(0.025 ** (1 / 30) / (1 - 0.025 ** (1 / 30)))
    assert found.elo_low == pytest.approx(low)
    assert (found.elo, found.elo_high) == (None, None)
    assert (found.nelo, found.nelo_margin) == (None, None)
    assert found.interval is Interval.EXACT
    assert found.los == pytest.approx(1, abs=1e-9)
    assert found.los is not None
    assert found.los < 1


def test_nothing_but_losses_mirror_it() -> None:
    won, lost = _row(0, 0, 0, 0, 7), _row(7, 0, 0, 0, 0)
    assert lost.elo is None
    assert lost.elo_low is None
    assert lost.elo_high == pytest.approx(-won.elo_low) if won.elo_low is not None else False
    assert lost.los == pytest.approx(1 - won.los) if won.los is not None else False


@pytest.mark.parametrize("pairs", [1, 9, 40])
def test_nothing_but_draws_are_even(pairs: int) -> None:
    found = _row(0, 0, pairs, 0, 0)
    assert (found.elo, found.nelo, found.los) == (0, 0, 0.5)
    assert found.nelo_margin is None
    assert found.interval is Interval.EXACT
    assert found.elo_high is not None
    assert found.elo_high > 0
    assert found.elo_low == pytest.approx(-found.elo_high)


def test_the_same_score_in_every_pair_is_no_certainty() -> None:
    found = match_estimate(np.full(20, 1 / 3))
    assert found.elo == pytest.approx(400 * math.log10(0.5))
    assert (found.nelo, found.nelo_margin, found.deviation) == (None, None, 0)
    assert found.interval is Interval.EXACT
    assert found.los is not None
    assert 0.05 < found.los < 0.1  # Beta(7.17, 13.83) above 1/2


def test_rounding_is_no_variance() -> None:
    same, nearly = match_estimate(np.full(40, 0.3)), match_estimate(np.array([0.1 + 0.2, 0.3] * 20))
    assert nearly == same
    assert nearly.nelo is None


def test_few_pairs_have_the_exact_interval_and_student_likelihood() -> None:
    found = _row(0, 0, 2, 0, 2)
    # t = (3/4 - 1/2) / sqrt((1/12) / 4) = sqrt(3), whose law with 3 degrees of freedom is closed
    assert found.los == pytest.approx(0.5 + (1 / 2 + math.pi / 4) / math.pi)
    assert found.interval is Interval.EXACT
    assert (found.elo_low, found.elo_high) == exact_elo_interval(3, 4)


def test_an_interval_that_leaves_the_scores_is_replaced() -> None:
    for found, points in ((_row(0, 0, 1, 0, 39), 39.5), (_row(39, 0, 1, 0, 0), 0.5)):
        assert found.interval is Interval.EXACT
        assert (found.elo_low, found.elo_high) == exact_elo_interval(points, 40)


def test_the_rule_changes_at_ten_and_at_thirty_pairs() -> None:
    assert _row(3, 0, 3, 0, 3).interval is Interval.EXACT
    assert _row(3, 0, 4, 0, 3).interval is Interval.NORMAL
    small, large = _row(9, 0, 0, 0, 20), _row(9, 0, 0, 0, 21)
    plain_small, plain_large = (unit_statistics([9, 0, wins], 2) for wins in (20, 21))
    assert small.los is not None
    assert plain_small is not None
    assert plain_large is not None
    assert small.los < plain_small.los - 1e-3
    assert large.los == pytest.approx(plain_large.los)


@pytest.mark.parametrize("scores", [[0.5, 1.1], [-0.1], [math.nan], [[0.5]]])
def test_scores_outside_their_range_are_refused(scores: list[Any]) -> None:
    with pytest.raises(ValueError, match="unit scores"):
        match_estimate(np.array(scores))
